"""The rewriting of traced regions; it knows no Python object."""
