"""`ag.function` on eight devices that XLA makes of one: shardings, checks of sharded arrays, and what of it is saved."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
import jax, jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
import autograph as ag

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType[sys.argv[1]],))
rows, whole = NamedSharding(mesh, P("d")), NamedSharding(mesh, P())
x = jax.device_put(jnp.arange(8.0), rows)

def doubled(x):
    if x.sum() < 0:
        raise ValueError(f"negative: {x}")
    return 2 * x

for options in {}, {"out_shardings": rows}, {"in_shardings": rows, "out_shardings": rows}, {"out_shardings": whole}:
    f = ag.function(doubled, **options)
    assert f(x).sharding.is_equivalent_to(jax.jit(lambda x: 2 * x, **options)(x).sharding, 1), options
    assert f(x).tolist() == (2 * jnp.arange(8)).tolist()
    try:
        f(-x)
    except ValueError as error:
        assert str(error) == f"negative: {-x}", error
    else:
        raise SystemExit("nothing was raised")
    ag.save(f, sys.argv[2])
    assert ag.load(sys.argv[2])(jnp.arange(8.0)).tolist() == f(x).tolist()

one = jnp.arange(8.0)  # of one device
for options in {"out_shardings": rows}, {"in_shardings": rows, "out_shardings": whole}, {"out_shardings": whole}:
    f, plain = ag.function(doubled, **options), jax.jit(lambda x: 2 * x, **options)
    for given in one, x:
        assert f(given).sharding.is_equivalent_to(plain(given).sharding, 1), options
        assert f(given).tolist() == plain(given).tolist()
    within = jax.jit(lambda x: f(x) + 1)
    assert within(x).tolist() == (plain(x) + 1).tolist()

def named(x):
    return {"twice": 2 * x, "name": "sum", "sign": "low" if x.sum() < 0 else "high"}

found = ag.function(named, out_shardings=rows)(one)
assert found["twice"].sharding == rows and (found["name"], found["sign"]) == ("sum", "high")

for options in {"in_shardings": rows}, {"out_shardings": rows}:
    try:
        ag.function(doubled, input_signature=[ag.TensorSpec([None])], **options)(x)
    except ag.AutoGraphError as error:
        assert "the program of doubled() for open sizes cannot be exported" in str(error) and "several devices" in str(error)
    else:
        raise SystemExit("nothing was raised")
    f = ag.function(doubled, reduce_retracing=True, **options)
    assert [f(jnp.ones(n)).tolist() for n in (8, 16, 24)] == [[2.0] * n for n in (8, 16, 24)] and f.tracing_count == 3

parts = ag.function(lambda x: jax.shard_map(lambda x: x + jax.lax.axis_index("d"), mesh=mesh, in_specs=P("d"), out_specs=P("d"))(x))
assert parts(x).tolist() == (2 * jnp.arange(8)).tolist()
try:
    ag.save(parts, sys.argv[2])
except ag.AutoGraphError as error:
    assert "<lambda> computes with the parts of arrays on 8 devices" in str(error) and "without `jax.shard_map`" in str(error)
    assert jax.export.export(jax.jit(parts))(x).nr_devices == 8
    part = ag.function(lambda x, index: x + index)  # of one device
    part(one[:1], 3)
    ag.save(part, sys.argv[2])
    assert ag.load(sys.argv[2])(one[:1], 3).tolist() == [3.0]
    print("done")
"""


@pytest.mark.slow
@pytest.mark.parametrize("axes", ["Auto", "Explicit"])
def test_arrays_that_are_sharded_keep_their_sharding_and_are_shown_by_checks(axes: str, tmp_path: Path) -> None:
    environment = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=8", "JAX_PLATFORMS": "cpu"}
    Path(tmp_path, "program.py").write_text(PROGRAM)
    command = [sys.executable, "program.py", axes, "f.ag"]
    ran = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout == "done\n", ran.stderr
