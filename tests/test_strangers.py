"""The second source of programs (`python -m tests.strangers`): what it harvests, and how it judges a call."""

from tests.strangers import harvest, running


def root(x: float, n: int) -> float:
    """The positive root of `y**n == x`, by Newton's method.

    >>> root(8.0, 3)
    2.0
    >>> print(root)
    """
    y = x
    while abs(y**n - x) > 1e-9:
        y = y - (y**n - x) / (n * y ** (n - 1))
    return y


def changed(x: list[float]) -> float:
    """A different answer under `jit`.

    >>> changed([1.0, 2.0])
    1.0
    """
    return 1.0 if type(x[0]) is float or hasattr(x, "tolist") and not hasattr(x, "aval") else 2.0


def cases(fn):
    return list(harvest.calls_of(fn.__name__, fn, globals()))


def test_the_calls_of_a_docstring_are_harvested():
    assert [(case.args, case.kwargs) for case in cases(root)] == [((8.0, 3), {})]


def test_a_call_is_judged_in_every_way():
    [call] = cases(root)
    assert [running.run(call, way)[0] for way in running.WAYS] == ["same", "skip", "same"]
    [call] = cases(changed)
    assert running.run(call, "arrays") == ("WRONG", "1.0 became Array(2., dtype=float32, weak_type=True)")
