"""Traced programs as data: listed, printed, drawn. It stands on JAX's public names; nothing of it reaches generated code."""
