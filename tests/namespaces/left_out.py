"""Public names for which there is no program: a line for each reason, with the names. An indented line continues the one above."""

LEFT_OUT = {
    "np": """
reads or writes files and buffers: fromfile fromregex fromstring frombuffer genfromtxt load loadtxt memmap save savetxt savez
    savez_compressed
prints, or says how to print: array2string base_repr binary_repr format_float_positional format_float_scientific get_printoptions
    info printoptions set_printoptions show_config show_runtime typename
settings of the process: get_include getbufsize geterr geterrcall setbufsize seterr seterrcall test
dates, which JAX has no type for: busday_count busday_offset busdaycalendar datetime64 datetime_as_string datetime_data is_busday
    isnat timedelta64
strings, records and objects, which JAX has no type for: bytes_ character flexible object_ recarray record str_ void
wider than any type of JAX: clongdouble complex192 complex256 float96 float128 longdouble
tables of types: ScalarType sctypeDict typecodes little_endian
the protocol of another library, or an iterator over several arrays: from_dlpack nested_iters
""",
    "np.linalg": "the tests of NumPy: test",
    "np.fft": "the tests of NumPy: test",
    "builtins": """
talks to the user, or to the interpreter: aiter anext breakpoint compile copyright credits exec exit help input license open quit
""",
    "functools": """
for classes: cached_property partialmethod singledispatchmethod total_ordering
constants: WRAPPER_ASSIGNMENTS WRAPPER_UPDATES Placeholder
""",
    "statistics": "random numbers, and their kernels: kde kde_random",
    "itertools": "new in Python 3.12: batched",
    "math": "new in Python 3.12 or later: fma sumprod",
    "operator": "new in Python 3.14: is_none is_not_none",
}
"""By the namespace."""
