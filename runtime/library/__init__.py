"""Builtins, methods of numbers, `math`, NumPy and the standard library, on traced values."""
