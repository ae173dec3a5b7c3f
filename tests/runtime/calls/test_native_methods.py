"""What C code writes to is heard of: by methods bound or taken from a class, to arguments given by position, unconverted."""

import array
import collections
import contextlib
import functools
import inspect
import operator
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.analyses.numpy_writes import PLACES_OF_OUT
from autograph.errors import StagingError

A = np.arange(4.0)
OUT_BY_POSITION = [
    lambda out: A.cumsum(0, None, out),
    lambda out: A.clip(0, 1, out),
    lambda out: A.take([0, 1, 2, 3], 0, out),
    lambda out: np.eye(4).dot(A, out),
    lambda out: np.ndarray.cumsum(A, out=out),
    lambda out: np.cumsum(A, 0, None, out),
    lambda out: np.add.accumulate(A, 0, None, out),
    lambda out: np.add.reduce(np.eye(4), 0, None, out),
    lambda out: np.add.reduce(np.eye(4), 0, out=(out,)),
    lambda out: np.concatenate([A[:2], A[2:]], 0, out),
]


@pytest.mark.parametrize("write", OUT_BY_POSITION, ids=range(len(OUT_BY_POSITION)))
def test_an_array_that_takes_a_result_by_position_is_heard_in_a_branch(write):
    def f(p, out):
        if p:
            write(out)
        return out.sum()

    out = np.zeros(4)
    with pytest.raises(StagingError, match="a NumPy array is changed inside a staged statement"):
        jax.jit(lambda p: ag.convert(f)(p, out))(False)
    assert not out.any()


def test_no_traced_result_is_written_to_an_array_that_is_given_by_position():
    for call in (lambda x, out: x.round(0, out), lambda x, out: np.round(x, 0, out), lambda x, out: np.take(x, [0, 1], 0, out)):
        with pytest.raises(StagingError, match=r"out=\.\.\.\) cannot write a traced result into an array"):
            ag.jit(lambda x, call=call: call(x, np.zeros(2)))(jnp.ones(2))
    assert ag.jit(lambda x: np.take(x, [0, 1], 0, None, "clip"))(jnp.ones(2)).tolist() == [1, 1]


def test_where_numpy_takes_out():
    for name, place in PLACES_OF_OUT.items():
        owner = np.add if name in ("accumulate", "reduce", "reduceat") else np
        function = functools.reduce(lambda found, part: getattr(found, part, None), name.split("."), owner)
        with contextlib.suppress(ValueError, TypeError):  # some have no signature, in older versions of NumPy
            assert [*inspect.signature(function).parameters][place] == ["out"], name
    with_out = {name for name in dir(np) if "out" in parameters(getattr(np, name))}
    assert with_out <= PLACES_OF_OUT.keys()


def parameters(f):
    """The parameters that a function of NumPy takes by position; none where it tells no signature."""
    try:
        found = inspect.signature(f).parameters.values() if callable(f) and not isinstance(f, type | np.ufunc) else ()
    except ValueError:
        return []
    return [p.name for p in found if p.kind is p.POSITIONAL_OR_KEYWORD]


BY_C_CODE = [
    (lambda: [1.0], lambda p, x: (x.__setitem__(0, 2.0) if p else None, x[0])[1]),
    (lambda: [1.0], lambda p, x: (operator.setitem(x, 0, 2.0) if p else None, x[0])[1]),
    (lambda: np.zeros(2), lambda p, x: (x.put([0], [1.0]) if p else None, x[0])[1]),
    (lambda: np.zeros(2), lambda p, x: (A[:2].cumsum(out=x) if p else None, x[1])[1]),
    (lambda: collections.OrderedDict(a=1, b=2), lambda p, x: (x.move_to_end("a") if p else None, next(iter(x.values())))[1]),
    (lambda: collections.defaultdict(int), lambda p, x: (x.__missing__("a") if p else None, len(x))[1]),
    (lambda: array.array("d", [1.0]), lambda p, x: (x.fromlist([2.0]) if p else None, len(x))[1]),
    (lambda: types.SimpleNamespace(a=1.0), lambda p, x: (x.__setattr__("a", 2.0) if p else None, x.a)[1]),
]


@pytest.mark.parametrize(("make", "write"), BY_C_CODE, ids=range(len(BY_C_CODE)))
def test_a_write_by_c_code_is_undone_where_called_functions_are_not_converted(make, write):
    with contextlib.suppress(StagingError):  # of what cannot be undone
        assert jax.jit(lambda p: ag.convert(write, recursive=False)(p, make()))(False) == write(False, make())


def test_methods_taken_from_their_class_take_traced_values():
    def f(x, i):
        xs = [3.0, x, 1.0]
        list.sort(xs)
        return xs, list.pop(xs, i), list.count([1.0, 2.0, x], 2.0), dict.get({1: 5.0}, i, 0.0)

    assert ag.jit(f)(2.0, 1) == f(2.0, 1)
    with pytest.raises(TypeError, match="descriptor 'sort'"):
        ag.convert(lambda: list.sort(5))()


def test_what_is_no_container_gets_each_option_of_a_choice():
    def f(p):
        s = "x" if p else "y"
        return np.append(["a"], s).size

    with pytest.raises(StagingError, match="have different values"):
        ag.jit(f)(True)
