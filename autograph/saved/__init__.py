"""Functions in files: `ag.save` writes compiled programs, `ag.load` runs them in any process that has JAX."""
