"""Types of traced values, their join, and conversion to a joined type: JAX's own lattice decides."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, PartitionSpec

from autograph.runtime.operators.conditionals import if_exp
from autograph.runtime.tracing.array_types import (
    ArrayType,
    TypesDiffer,
    check_fits,
    convert_to,
    join_types,
    placeholder,
    type_of,
)

SCALARS = [
    True,
    1,
    2.5,
    1j,
    np.bool_(True),
    np.int8(1),
    np.uint8(1),
    np.int32(1),
    np.uint32(1),
    np.float16(1),
    np.float32(1),
    np.complex64(1),
    jnp.bfloat16(1),
    jnp.asarray(1),
    jnp.asarray(2.5),
    jnp.float8_e4m3fn(1),
    jnp.int4(1),
]


def jax_join(a, b):
    """What JAX makes of `a` beside `b`, or None where it refuses."""
    try:
        both = jax.eval_shape(lambda a, b: jnp.where(True, a, b), a, b)
    except Exception:
        return None
    return both.dtype, both.weak_type


@pytest.mark.parametrize(
    "a, b", list(itertools.combinations_with_replacement(SCALARS, 2)), ids=lambda x: f"{type(x).__name__}"
)
def test_joins_are_those_of_jax(a, b):
    want = jax_join(a, b)
    try:
        got = join_types(type_of(a), type_of(b))
    except TypesDiffer:
        got = None
    if want is None or got is None:
        assert want == got
        return
    assert join_types(type_of(b), type_of(a)) == got == join_types(got, type_of(a))
    assert got.dtype == want[0]
    assert got.weak == want[1] or got.dtype == bool


@pytest.mark.parametrize("a, b", list(itertools.combinations(SCALARS, 2)), ids=lambda x: f"{type(x).__name__}")
def test_converted_values_have_the_joined_type(a, b):
    try:
        kind = join_types(type_of(a), type_of(b))
    except TypesDiffer:
        return
    for x in (a, b):
        staged = []
        jax.make_jaxpr(lambda x: staged.append(type_of(convert_to(x, kind))))(x)  # noqa: B023  # it is traced before the next iteration
        assert staged == [kind]


def test_a_join_is_the_same_in_any_order_of_three():
    for triple in itertools.product([type_of(x) for x in SCALARS[:13]], repeat=3):
        assert len({join_types(join_types(*p[:2]), p[2]) for p in itertools.permutations(triple)}) <= 2


def test_shapes_and_kinds_must_agree():
    with pytest.raises(TypesDiffer, match="shapes differ"):
        join_types(type_of(jnp.ones(3)), type_of(1.0))
    with pytest.raises(TypesDiffer, match="dtypes differ"):
        join_types(type_of(jax.random.key(0)), type_of(1))
    with pytest.raises(TypesDiffer, match="dtypes differ"):
        join_types(type_of(jax.random.key(0)), type_of(jax.random.key(0, impl="rbg")))


def test_types_as_messages_show_them():
    assert (
        str(type_of(1)) == "weak int32"
        and str(type_of(True)) == "bool"
        and str(type_of(np.ones((2, 3)))) == "float32[2,3]"
    )
    assert "key<fry>" in str(type_of(jax.random.key(0)))


@pytest.mark.parametrize(
    "number, dtype", [(256, "uint8"), (-1, "uint8"), (128, "int8"), (-129, "int8"), (2**31, "int32")]
)
def test_python_integers_out_of_range(number, dtype):
    kind = ArrayType((), np.dtype(dtype), False, frozenset())
    with pytest.raises(TypesDiffer, match=f"{number} does not fit into {dtype}"):
        check_fits(number, kind)
    check_fits(1, kind)
    check_fits(float(number), kind._replace(dtype=np.dtype("float32")))


@pytest.mark.parametrize(
    "x", [1, 2.5, 1j, True, np.int8(1), jnp.full(3, 2), np.ones((2, 3), np.int8), jnp.ones(3, jnp.bfloat16)], ids=str
)
def test_placeholders_have_the_type_asked_for(x):
    assert type_of(placeholder(type_of(x))) == type_of(x)


def test_placeholders_of_random_keys():
    keys = jax.random.split(jax.random.key(0, impl="rbg"), 3)
    made = placeholder(type_of(keys))
    assert made.shape == (3,) and made.dtype == keys.dtype


def test_varying_axes_join():
    mesh = Mesh(np.array(jax.devices()[:1]), ("i",))

    def f(x):
        both = join_types(type_of(x[0]), type_of(jnp.float32(1)))
        assert both.varying == {"i"} and type_of(convert_to(jnp.float32(1), both)).varying == {"i"}
        return if_exp(x[0] > 0, lambda: x[0], lambda: 1.0)[None]

    mapped = jax.jit(jax.shard_map(f, mesh=mesh, in_specs=PartitionSpec("i"), out_specs=PartitionSpec("i")))
    assert mapped(jnp.array([3.0])) == 3 and mapped(jnp.array([-3.0])) == 1


def test_shardings_of_explicit_meshes_join():
    mesh = jax.make_mesh((1, 1), ("i", "j"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)
    with jax.set_mesh(mesh):
        spread = jax.device_put(jnp.arange(4.0), jax.sharding.NamedSharding(mesh, PartitionSpec("i")))
        other = jax.device_put(jnp.arange(4.0), jax.sharding.NamedSharding(mesh, PartitionSpec("j")))
        kind = type_of(spread)
        assert (
            kind.sharding is not None and type_of(jnp.zeros(4)).sharding is None and "sharded over ('i',)" in str(kind)
        )
        assert join_types(type_of(jnp.zeros(4)), kind) == kind == join_types(kind, type_of(jnp.zeros(4)))
        with pytest.raises(TypesDiffer, match="shardings differ"):
            join_types(kind, type_of(other))
        f = jax.jit(lambda a, n: if_exp(n > 0, lambda: a * 2, lambda: jnp.zeros(4)))
        assert f(spread, 1).tolist() == [0, 2, 4, 6] and f(spread, -1).tolist() == [0] * 4
        assert type_of(f(spread, 1)) == kind == type_of(placeholder(kind))
