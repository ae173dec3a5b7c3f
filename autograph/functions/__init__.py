"""`ag.function`: a function that keeps a program for each kind of input, as TensorFlow's `tf.function` does, on `jax.jit`."""
