"""Test suites of other packages and of CPython, plain and converted: `python -m tests.suites`."""
