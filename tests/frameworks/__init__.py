"""Programs of users of JAX's libraries: models untouched, one `ag.jit` outside."""
