"""Small programs for each public name of NumPy, of Python's builtins and of the modules that compute: `python -m tests.namespaces`.

Random programs hold what their authors thought of. Here the names come from the modules themselves: each is called with
arguments of several kinds, and a name that no table knows fails a test. See `programs` for how a name becomes programs,
and `comparison` for what may come of one.
"""
