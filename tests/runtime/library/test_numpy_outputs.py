"""Functions of NumPy that write an array: each gives what NumPy gives, or is refused by name."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from tests.namespaces import comparison

UFUNCS = {f.__name__: f for f in vars(np).values() if isinstance(f, np.ufunc) and f.nout == 1 and not f.signature}
MASK = np.array([True, False, True])


def result_of(f, out, *args):
    """What NumPy writes, or the class of what it raises."""
    try:
        with np.errstate(all="ignore"):
            return f(*args, out=out, where=MASK)
    except TypeError:
        return None


@pytest.mark.parametrize("name", sorted(set(UFUNCS) - {"isnat", "spacing"}))
def test_every_ufunc_writes_where_it_is_told_to(name):
    f = UFUNCS[name]
    for x, y in ((np.float32([0.5, -3, 1]), np.float32([2, 0, 3])), (np.int32([5, 0, 2]), np.int32([2, 0, 1]))):
        args = (x, y)[: f.nin]
        for out in (np.float32([7, 8, 9]), np.int32([7, 8, 9])):
            wanted = result_of(f, out.copy(), *args)
            try:
                got = ag.jit(lambda out, *args: f(*args, out=out, where=MASK))(out, *args)
            except (ag.StagingError, TypeError, ValueError):
                assert wanted is None or name in ("ldexp", "float_power"), "NumPy writes it"
                continue
            assert wanted is not None and got.dtype == wanted.dtype
            np.testing.assert_allclose(got, wanted, rtol=1e-5)


SAME = """
np.add(f, 1, o); return o
r = np.add(f, g, out=o); return r, o
return np.divide(f, g, out=np.zeros(3), where=g > 0)
o = np.add(o, f, out=o); return o
a = np.ones(3); np.divmod(f, g, out=(o, a)); return o, a
return np.sqrt(np.abs(f, out=o), out=o)
if np.add(f, g, out=o).sum() > 0: o[1] = 5
return o
for a in range(n): r = np.multiply(o, x, out=o)[a]
return o, r
np.greater_equal(f, 0, out=o, where=p); return o
np.take(f, j, None, o, "clip"); return o
f.clip(0, 1, out=f); return f
m.sum(axis=0, out=o); return o
m.dot(f, out=o); return o
np.add.reduce(m, 0, None, o); return o
np.multiply.accumulate(f, out=o); return o
np.clip(f, 0, 1, out=m); return m
np.nan_to_num(v, copy=False, nan=2.0); return v
f = np.nan_to_num(f / 0, copy=False); return f
np.fill_diagonal(m, g); return m
a = np.zeros((5, 2)); np.fill_diagonal(a, x, wrap=True); return a
np.maximum.at(m, [0, 1, 0], f); return m
np.divide.at(f, [0, 1, 0], g); return f
np.logical_or.at(p, [1, 1], x > 0); return p
np.putmask(f, p, []); np.put(f, [0], []); np.put(f, [], []); return f
a = np.zeros(()); a[...] = f.sum(); a[a > 0] = x; np.add(a, x, out=a); return a
a = np.zeros(()); f.max(out=a); return a
r = (f + 0)[:n]; r.sort(); a = r.copy(); r.fill(x); return r, a
np.add(f[:e], 1, out=f[:e]); f[1:n].sort(); return f
r = (f + 0)[:e]; np.multiply(r, 2, out=r); return r
o.fill(x); o.sort(); return o
try: o.fill(x)
finally: o[0] = 7
return o
"""
REFUSED = """
r = o; np.add(f, g, out=o); return r
r = np.add(f, g, out=o); r[0] = 9; return o
r = f; a = np.add(f, g, out=f); return r
r = o[1:]; np.add(f[1:], 1, out=r); return o
np.add(f, g, out=i); return i
np.add(i, j, out=u); return u
np.add.at(i, [0, 0], x); return i
np.argmax(m, axis=0, out=f); return f
np.ptp(m, axis=0, out=m[1]); return m
np.concatenate([g[:2], f[:1]], out=f); return f
i[[0, 0]] += x; return i
np.place(i, p, g); return i
np.copyto(f, z, casting="unsafe"); return f
(lambda a: np.add(f, g, out=a))(f); return f
f[:n].partition(1); return f
np.add(f, g, out=np.broadcast_to(o, (2, 3))[0]); return o
"""


def bodies(table):
    """The programs of a table; a line without a `return` continues."""
    lines = "\n".join(table.strip().splitlines()).split("\n")
    found, held = [], []
    for line in lines:
        held.append(line)
        if "return" in line:
            found.append("\n".join(held))
            held = []
    return found


def source_of(body):
    lines = body.replace("; ", "\n") if ": " not in body.split("; ")[0] else body
    letters = sorted({c for c in "fgvijupzmkwqsxyne" if re.search(rf"\b{c}\b", body)})
    inside = "\n    ".join(["o = np.ones(3, np.float32)", *lines.split("\n")])
    return f"def program({', '.join(letters)}):\n    {inside}\n"


@pytest.mark.parametrize("body", bodies(SAME))
def test_what_is_written_is_what_numpy_writes(body, tmp_path):
    assert comparison.compare(source_of(body), "in place", tmp_path).kind == "same"


@pytest.mark.parametrize("body", bodies(REFUSED))
def test_what_cannot_be_written_is_refused_by_name(body, tmp_path):
    assert comparison.compare(source_of(body), "in place", tmp_path).kind in ("refused", "error both")


def test_what_is_not_computed_has_no_derivative():
    def ratio(a, b):
        return np.divide(a, b, out=np.zeros_like(a), where=b != 0).sum()

    b = jnp.array([2.0, 0.0])
    first = jax.grad(ag.jit(ratio), (0, 1))(jnp.ones(2), b)
    np.testing.assert_allclose(first, [[0.5, 0.0], [-0.25, 0.0]])
    second = jax.grad(lambda b: jax.grad(ag.jit(ratio), 1)(jnp.ones(2), b)[0])(b)
    np.testing.assert_allclose(second, [0.25, 0.0])


def test_lanes_are_written_apart():
    def program(a, k):
        total = np.zeros(3)
        np.add(a, k, out=total, where=a > k)
        np.add.at(total, [0, 0], k)
        return total

    a, k = np.float32([[1, 2, 3], [3, 2, 1]]), np.float32([1, 2])
    got = jax.vmap(ag.jit(program))(a, k)
    np.testing.assert_allclose(got, [program(row, each) for row, each in zip(a, k)])
