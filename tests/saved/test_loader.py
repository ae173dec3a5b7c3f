"""The loader: which files it refuses, and what a loaded function does with a call."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.saved import container, loader, saving
from autograph.saved.entries import Check, Entry
from tests.saved import corpus, mutations
from tests.saved.examples import EXAMPLES, SCALAR, VECTOR, Account


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a file with two signatures."""
    path = tmp_path_factory.mktemp("sound") / "f"
    (power,) = [example for example in EXAMPLES if example.name == "power"]
    ag.save(power.fn, path, signatures=power.signatures)
    return path.read_bytes()


def refusal(data: bytes, tmp_path: Path) -> str:
    path = tmp_path / "f.ag"
    path.write_bytes(data)
    with pytest.raises(loader.SavedFileError) as caught:
        ag.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value).removeprefix(f"{path}: ")


def test_row_27_truncated_and_altered_files_are_refused(sound: bytes, tmp_path: Path) -> None:
    assert refusal(b"", tmp_path) == "the file is truncated"
    assert refusal(sound[:30], tmp_path) == "the file is truncated"
    assert refusal(sound[:200], tmp_path) == "the file is truncated"
    assert refusal(sound[:-1], tmp_path) == "the file is truncated"
    assert refusal(sound + b"\0", tmp_path) == "1 bytes follow the last section"
    assert refusal(b"import os\n", tmp_path) == "this is no saved file"
    assert refusal(sound.replace(b"\r\n", b"\n"), tmp_path) == "this is no saved file"
    assert refusal(sound.replace(b"power", b"tower"), tmp_path) == "the header was altered"
    assert refusal(sound[:-1] + bytes([sound[-1] ^ 1]), tmp_path) == "section 2 was altered"
    end = 48 + loader.PREFIX.unpack(sound[:48])[2]
    assert end % 64, "there is a byte between the header and the first section"
    assert refusal(sound[:end] + b"x" + sound[end + 1 :], tmp_path) == "the bytes before section 0 were altered"


def test_row_27_a_file_of_a_newer_version_is_refused(sound: bytes, tmp_path: Path) -> None:
    newer = sound[:8] + (2).to_bytes(4, "little") + sound[12:]
    assert refusal(newer, tmp_path) == "the file has version 2 of the format, this loader reads up to 1"
    header, sections = mutations.parts(sound)
    header["signatures"][0]["program"]["convention"] = 99
    text = refusal(container.assembled(header, sections), tmp_path)
    assert text == f"JAX {jax.__version__} does not run calling convention 99"


@pytest.mark.slow
def test_row_27_what_would_grow_is_refused(sound: bytes, tmp_path: Path) -> None:
    for name, data in mutations.bombs(sound).items():
        outcome, peak = mutations.load(data, tmp_path)
        assert peak <= 2 * len(data) + (32 << 20), f"{name} takes {peak}"
        assert (outcome == "loaded") is (name == "path names"), f"{name}: {outcome}"


@pytest.mark.slow
def test_row_27_mutated_files_are_loaded_or_refused_as_documented() -> None:
    found = mutations.search(count=500, seed=27)
    assert sum(found.values()) == 500 and min(found.values()) > 0


def test_no_file_is_no_saved_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ag.load(tmp_path / "f")


def test_a_program_that_is_none_is_refused_when_it_is_called_at_the_latest(sound: bytes) -> None:
    header, sections = mutations.parts(sound)
    sections[0] = b"no program"
    with pytest.raises(loader.SavedFileError, match="section 0 is no program"):
        loader.parse(container.assembled(header, sections), "f")
    header, sections = mutations.parts(sound)
    sections[0] = b"ML\xefR, it seems"
    loaded = loader.parse(container.assembled(header, sections), "f")
    with pytest.raises(loader.SavedFileError, match="a program of power is malformed"):
        loaded(jnp.ones(2), 2)


# --- calls ---


def made(fn: Any, *signatures: Any, **options: Any) -> Any:
    """A function as it is loaded."""
    entries = [saving._entry(fn, *saving._pair(item), ("cpu",)) for item in signatures]
    return loader.parse(container.content(fn.__name__, "", entries, **options), "f")


def error_of(loaded: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(loader.SavedCallError) as caught:
        loaded(*args, **kwargs)
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, ValueError)
    return str(caught.value)


def test_a_call_that_no_signature_is_for_names_the_signatures_and_what_differs() -> None:
    def scaled(x, mode="mean"):
        return x

    loaded = made(scaled, (VECTOR,), (SCALAR, "max"))
    assert error_of(loaded, jnp.ones((2, 2))) == (
        "scaled was not saved for these arguments\n"
        "  scaled(x: float32[b], mode='mean') -> float32[b]\n"
        "    x is float32[2,2]\n"
        "  scaled(x: float32[], mode='max') -> float32[]\n"
        "    x is float32[2,2]"
    )
    assert "mode is 'min'" in error_of(loaded, jnp.ones(2), "min")
    assert "x is int32[3]" in error_of(loaded, jnp.arange(3))
    assert "x is 'text'" in error_of(loaded, "text")
    assert "x is 1" in error_of(loaded, 1, mode="max")
    assert "missing a required argument: 'x'" in error_of(loaded)
    assert "got an unexpected keyword argument 'y'" in error_of(loaded, 1.0, y=2)


@pytest.mark.slow
def test_literals_are_compared_with_their_types() -> None:
    def chosen(n):
        return jnp.zeros(3) if n is None else jnp.zeros(3) + float(n)

    loaded = made(chosen, *[(n,) for n in (None, True, 1, 1.0, -0.0, float("nan"), float("inf"))])
    assert [str(item).partition(" ->")[0] for item in loaded.signatures] == [
        "chosen(n=None)", "chosen(n=True)", "chosen(n=1)", "chosen(n=1.0)", "chosen(n=-0.0)", "chosen(n=nan)", "chosen(n=inf)",
    ]  # fmt: skip
    assert [float(loaded(n)[0]) for n in (None, True, 1, 1.0, float("inf"))] == [0, 1, 1, 1, float("inf")]
    assert np.isnan(loaded(float("nan"))).all()
    assert "n is 0.0" in error_of(loaded, 0.0) and "n is 2" in error_of(loaded, 2)
    loaded = made(lambda z: jnp.zeros(2) + z, (1 + 2j,))
    assert loaded(1 + 2j)[0] == 1 + 2j and "z is 2j" in error_of(loaded, 2j)


def test_numbers_stand_for_scalars_of_their_kind() -> None:
    loaded = made(lambda x: x + 1, (SCALAR,), (np.int8(1),))
    assert [x.dtype.name for x in (loaded(1.5), loaded(3), loaded(np.float64(2)))] == ["float32", "int8", "float32"]
    assert "x is 300" in error_of(loaded, 300) and "x is True" in error_of(loaded, True)


def test_sizes_of_one_name_are_equal_and_others_are_computed() -> None:
    b, c = jax.export.symbolic_shape("b, c")
    pair = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((b, c), (c, b), (2 * b,))]
    loaded = made(lambda x, y, z: (x @ y, z[: x.shape[0]]), pair)
    product, half = loaded(jnp.ones((2, 3)), jnp.ones((3, 2)), jnp.ones(4))
    assert product.shape == (2, 2) and half.shape == (2,)
    assert "y is float32[3,4]" in error_of(loaded, jnp.ones((2, 3)), jnp.ones((3, 4)), jnp.ones(4))
    with pytest.raises(ValueError, match="[Ss]hape|[Dd]im"):
        loaded(jnp.ones((2, 3)), jnp.ones((3, 2)), jnp.ones(5))


def test_what_was_left_out_cannot_be_given() -> None:
    def applied(x, f=jnp.sin, *more, **others):
        return f(x)

    loaded = made(applied, (SCALAR,))
    assert float(loaded(0.5)) == pytest.approx(np.sin(0.5))
    for args, kwargs, name in (((1.0, jnp.cos), {}, "f"), ((1.0,), {"a": 1.0}, "others")):
        assert f"{name} was left out when it was saved" in error_of(loaded, *args, **kwargs)


def test_trees_are_compared_by_their_containers_and_keys() -> None:
    loaded = made(lambda x: x, ({"a": [VECTOR], 1: (SCALAR,)},))
    assert str(loaded) == "<lambda>(x: {'a': [float32[b]], 1: (float32[],)}) -> {'a': [float32[b]], 1: (float32[],)}"
    assert list(loaded({1: (2.0,), "a": [np.ones(2)]})) == ["a", 1]
    assert "x['a'] is ()" in error_of(loaded, {"a": (), 1: (1.0,)})
    assert "x is [1]" in error_of(loaded, [1])
    assert "x[1] is (1.0, 2.0)" in error_of(loaded, {"a": [np.ones(2)], 1: (1.0, 2.0)})


def test_open_sizes_are_at_least_1() -> None:
    loaded = made(lambda x: x * 2, (ag.TensorSpec([None, 2]),))
    assert loaded(np.ones((3, 2), np.float32)).shape == (3, 2)
    assert "x is float32[0,2] (an open size is at least 1)" in error_of(loaded, np.ones((0, 2), np.float32))


def test_vmap_of_a_program_in_a_file_says_what_to_do_instead() -> None:
    loaded, rows = made(lambda x: x * 2, (SCALAR,)), jnp.arange(3.0)
    with pytest.raises(ag.SavedCallError, match=r"was not saved for jax.vmap: save that, or use jax.lax.map"):
        jax.vmap(loaded)(rows)
    assert jax.lax.map(loaded, rows).tolist() == [0, 2, 4] == made(jax.vmap(lambda x: x * 2), (rows,))(rows).tolist()


def test_64_bits_are_asked_for() -> None:
    with jax.enable_x64(True):
        loaded = made(lambda x: x * 2, (np.float64(1),))
        assert loaded(np.float64(0.1)).dtype == np.float64
    assert "it computes with 64 bits: jax.config.update('jax_enable_x64', True)" in error_of(loaded, 0.1)


# --- checks ---


def failing(*checks: Check) -> Any:
    """A function of a number that fails the check of that number, with values 0.1 and [1, 2]."""
    program = jax.export.export(jax.jit(lambda n: (n, n, jnp.float32(0.1), jnp.arange(1, 3))))(
        jax.ShapeDtypeStruct((), "int32")
    )
    parameter = saving.inspect.signature(lambda n: n).parameters["n"]
    return loader.parse(container.content("f", "", [Entry(program, [parameter], {"n": "*"}, "*", {}, checks)]), "f")


def test_messages_show_values_as_f_strings_do() -> None:
    pieces = ("x=", (0, "", ""), " ", (0, ".3f", ""), " ", (0, "", "r"), " ", (0, ">5", "s"), " ", (1, "", ""))
    x, y = jnp.float32(0.1), jnp.arange(1, 3)
    with pytest.raises(ValueError) as caught:
        failing(Check("ValueError", pieces, "f.py", 1))(1)
    assert str(caught.value) == f"x={x} {x:.3f} {x!r} {x!s:>5} {y}"


def test_exceptions_are_builtins_by_name_or_made() -> None:
    names = [
        ("KeyError", ""),
        ("UnicodeDecodeError", "ValueError"),
        ("SystemExit", ""),
        ("print", "eval"),
        ("Own", "LookupError"),
    ]
    loaded = failing(*(Check(name, ("text",), "f.py", 1, base) for name, base in names))
    bases = [KeyError, ValueError, RuntimeError, RuntimeError, LookupError]
    for number, ((name, _), base) in enumerate(zip(names, bases), 1):
        with pytest.raises(base) as caught:
            loaded(number)
        assert type(caught.value).__name__ == name and caught.value.args == ("text",)
    assert int(loaded(0)) == 0
    with pytest.raises(loader.SavedCallError, match="has checks"):
        jax.jit(loaded)(0)


def test_messages_that_would_grow_are_refused() -> None:
    for piece in ((0, "999999999d", ""), (0, "d", "x"), (7, "", ""), (-1, "", ""), (0, ".99999f", "")):
        with pytest.raises(loader.SavedFileError):
            failing(Check("ValueError", (piece,), "f.py", 1))


def test_threads_share_the_state() -> None:
    from concurrent.futures import ThreadPoolExecutor

    (entry,) = Account(1000.0).__saved_entries__(["cpu"])
    loaded = loader.parse(container.content("withdraw", "", [entry]), "f")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: loaded(1.0), range(200)))
    assert float(loaded.state["balance"]) == 800


# --- files of other releases ---


@pytest.mark.parametrize(
    "file", sorted(corpus.FOLDER.glob("*/*.ag")), ids=lambda file: f"{file.parent.name}-{file.stem}"
)
def test_row_27_files_of_every_release_load(file: Path) -> None:
    calls = corpus.calls(file)
    assert calls
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = ag.load(file)
        for args, kwargs, expected in calls:
            corpus.assert_same(loaded(*args, **kwargs), expected)


def test_the_corpus_has_the_format_of_this_release() -> None:
    from autograph import __version__

    files = sorted((corpus.FOLDER / __version__).glob("*.ag"))
    assert [file.stem for file in files] == sorted(example.name for example in EXAMPLES)
    assert not any(b"/examples.py" in file.read_bytes() for file in files)  # no folder of who made them
