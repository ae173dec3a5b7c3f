"""The version, one literal that a build reads without importing JAX."""

__version__ = "0.1.0"
