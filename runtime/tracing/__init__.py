"""What JAX knows of a value, what is known of a traced one, and what is in progress in a thread."""
