"""Functions of public packages with the examples of their docstrings, plain and under `ag.jit`: `python -m tests.strangers`."""
