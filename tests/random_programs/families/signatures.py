"""Functions that `ag.function` compiles by signature: literals inside of containers, methods of several arrays, keywords.

Plain Python calls the function itself. Only under a trace is it an `ag.function`, so that the two are compared.

>>> all("concrete(" in text or "signed(" in text for text in map(write, map(random.Random, range(9))))
True
"""

from __future__ import annotations

import random

HEADER = """\
import autograph as ag
import jax

@ag.do_not_convert
def spec(value):
    return jax.tree.map(lambda leaf: ag.TensorSpec(leaf.shape, leaf.dtype) if isinstance(leaf, jax.Array) else leaf, value)

@ag.do_not_convert
def is_traced(value):
    return isinstance(value, jax.core.Tracer)

@ag.do_not_convert
def compiled(fn, **options):
    owner = getattr(fn, "__self__", None)
    if owner is None or isinstance(owner, type):
        return ag.function(fn, **options)
    return ag.function(fn.__func__, **options).__get__(owner, type(owner))  # as the class finds it

@ag.do_not_convert
def concrete(fn, by_spec, *args, **kwargs):
    if not is_traced(args[0]):
        return fn(*args, **kwargs)
    given = spec((args, kwargs)) if by_spec else (args, kwargs)
    return compiled(fn).get_concrete_function(*given[0], **given[1])(*args, **kwargs)

@ag.do_not_convert
def signed(fn, *args, **kwargs):
    if not is_traced(args[0]):
        return fn(*args, **kwargs)
    return compiled(fn, input_signature=spec(args))(*args, **kwargs)

"""
_LITERALS = ["2", "'fast'", "'slow'", "None", "True", "(1, 'fast')"]
_ARRAYS = ["a", "b", "xs", "xs[:2]"]


def write(rng: random.Random) -> str:
    """One program."""
    is_signed = rng.random() < 0.4
    parameters, arguments, terms = [], [], []
    for name in ["p", "q", "r"][: rng.randint(1, 3)]:
        is_array = is_signed or name == "p"  # whether the first is traced says whether the program is
        value, read = _array(rng, name) if is_array else _value(rng, name, 2)
        parameters.append(name)
        arguments.append(value)
        terms += read
    keywords = []
    if rng.random() < 0.4:  # the rest of them
        parameters.append("*args")
        extra = [_array(rng, f"args[{i}]") for i in range(rng.randint(1, 2))]
        arguments += [value for value, _ in extra]
        terms += [term for _, read in extra for term in read]
    if rng.random() < 0.4:
        parameters.append("k=3" if "*args" in parameters else "*, k=3")
        keywords = rng.choice([[], ["k=4"]])
        terms.append("k")
    body = f"return {' + '.join(terms)}"
    kind = rng.choice(["function", "method", "class", "static"])
    head = ", ".join({"method": ["self"], "class": ["cls"]}.get(kind, []) + parameters)
    mark = {"class": ["@classmethod"], "static": ["@staticmethod"]}.get(kind, [])
    definition = [*mark, f"def total({head}):", f"    {body}"]
    fn = "total"
    if kind != "function":
        definition = ["class Model:", *("    " + line for line in definition)]
        fn = rng.choice(["Model().total", "Model.total"] if kind != "method" else ["Model().total"])
    how = [] if is_signed else [str(rng.random() < 0.5)]
    call = f"{'signed' if is_signed else 'concrete'}({', '.join([fn, *how, *arguments, *keywords])})"
    lines = ["    n = 0", f"    n = (n + {call}) % 1009"]
    if rng.random() < 0.4:
        lines = ["    n = 0", "    for d in xs:", f"        n = (n + {call}) % 1009"]
    return HEADER + "\n".join([*definition, "", "def program(a, b, x, xs):", *lines, "    return n", ""])


def _array(rng: random.Random, path: str) -> tuple[str, list[str]]:
    """An array, and the terms that read it where it is called `path`."""
    value = rng.choice(_ARRAYS)
    return value, [f"{path}.sum()" if value.startswith("xs") else path]


def _value(rng: random.Random, path: str, depth: int) -> tuple[str, list[str]]:
    """An array, a literal or a container of some, and the terms that read what it holds where it is called `path`."""
    if depth and rng.random() < 0.6:
        keys = rng.choice([("0", "1"), ("'u'", "'v'")])
        parts = [_value(rng, f"{path}[{key}]", depth - 1) for key in keys]
        values = [value for value, _ in parts]
        if keys[0] == "0":
            made = rng.choice(["({}, {})", "[{}, {}]"]).format(*values)
        else:
            made = "{" + ", ".join(f"{key}: {value}" for key, value in zip(keys, values, strict=True)) + "}"
        return made, [term for _, read in parts for term in read]
    if rng.random() < 0.5:
        return _array(rng, path)
    literal = rng.choice(_LITERALS)
    reads = {"None": f"(2 if {path} is None else 3)", "(1, 'fast')": f"({path}[0] + (5 if {path}[1] == 'fast' else 7))"}
    as_string = f"(5 if {path} == 'fast' else 7)"
    return literal, [reads.get(literal, as_string if "'" in literal else f"{path} * 2")]
