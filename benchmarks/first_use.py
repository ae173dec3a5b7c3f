"""What a process pays once: `import autograph` beyond JAX, the first conversion and the first trace beyond later ones.

    python benchmarks/first_use.py

Processor time of fresh processes, with byte code as an installed package has it. `tests/test_architecture.py` counts the modules.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile

from measure import table

ROUNDS = 15
LIMITS = {"import": 100, "first `ag.to_code`": 50, "first trace": 50}
PROCESS = """
import gc, json, sys, time
import jax
import jax.numpy as jnp
import generated
from jax import lax
x = jnp.float32(2)
step = lambda s: lax.cond(s > 1, lambda: s * 2, lambda: s + 1)
jax.jit(lambda x: lax.while_loop(lambda s: s < 9, step, x))(x)  # what JAX pays once
gc.disable()  # when it looks at all of JAX (60 ms) depends on what else a process did
modules, start = len(sys.modules), time.process_time()
import autograph as ag
times, counts = {"import": [time.process_time() - start]}, {"import": len(sys.modules) - modules}
functions = [generated.function(generated.nested_whiles(1)) for _ in range(20)]
traced = [lambda f=f: ag.jit(f).trace(x, x) for f in functions[10:]]
for what, calls in (("first `ag.to_code`", [lambda f=f: ag.to_code(f) for f in functions[:10]]), ("first trace", traced)):
    modules, times[what] = len(sys.modules), []
    for call in calls:
        start = time.process_time()
        call()
        times[what].append(time.process_time() - start)
    counts[what] = len(sys.modules) - modules
print(json.dumps([times, counts]))
"""


def main() -> None:
    samples: dict[str, list[tuple[float, float]]] = {what: [] for what in LIMITS}
    with tempfile.TemporaryDirectory() as cache:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONPYCACHEPREFIX": cache, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        for k in range(ROUNDS + 1):
            run = subprocess.run([sys.executable, "-c", PROCESS], env=environment, check=True, capture_output=True)
            times, counts = json.loads(run.stdout)
            if k > 0:  # the first one writes the byte code
                for what, seconds in times.items():
                    samples[what].append((1e3 * seconds[0], 1e3 * statistics.median(seconds[1:] or [0.0])))
    rows = []
    for what, limit in LIMITS.items():
        first, later = (statistics.median(column) for column in zip(*samples[what], strict=True))
        rows.append((what, f"{first:.1f}", f"{later:.1f}", f"{first - later:.1f}", str(limit), str(counts[what])))
    print(table(("what", "ms", "later ms", "beyond", "at most", "modules"), rows))


if __name__ == "__main__":
    main()
