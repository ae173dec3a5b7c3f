"""Private names of how JAX calls and replays programs, and of what made them; each is guarded, as in `jax_internals`.

| name | from | without it |
| --- | --- | --- |
| `stage_check` | `jax._src.debugging`, `jax._src.pjit` | checks: 30 microseconds more a call, and longer programs with more lanes |
| `jit_is_disabled` | `jax._src.config` | the eager switch inside `with jax.disable_jit()` ends with it off |
| `jit_options` | `PjitFunction._jit_info` | a function that was jitted before stays as it is, with a warning |
| `say_of_exports` | `jax._src.export._export` | an export of a program with checks fails with JAX's words alone |
| `frames_of` | `jax._src.source_info_util` | a drawn graph has no lines, and scopes are named after JAX's operations |
| `reads_back` | the frames of `backward_pass3`, `eval_jaxpr` | `jit` of `grad` is refused where an array was used, then written |
| `hide_frames` | `jax._src.traceback_util`, `source_info_util` | filtered tracebacks and op metadata name our frames |
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import jax
import jax.numpy as jnp

from autograph import errors


def stage_check(check: Callable[..., None], *values: Any) -> None:
    """Makes the program that is traced call `check(*values)` when it runs: for its exceptions, it writes and prints nothing.

    It is `jax.debug.callback`, whose effect keeps it where nothing else is used. Because of that effect JAX calls such a
    program from Python, so that `jax.effects_barrier` can wait for it. A program that has results is waited for, and fails,
    with these: with no other effect it is called on the fast path, as one with a `pure_callback` is.
    """
    bind = _binder()
    if bind is None:
        jax.debug.callback(check, *values)
    else:
        bind(*values, callback=check)


@functools.cache
def _binder() -> Callable[..., Any] | None:
    try:
        from jax._src import pjit
        from jax._src.debugging import DebugEffect, debug_batching_rule, debug_callback_p
        from jax.interpreters.batching import primitive_batchers as rules

        fast_path: Callable[..., Any] = pjit._get_fastpath_data
    except (ImportError, AttributeError):  # pragma: no cover - other JAX versions
        return None

    class Check(DebugEffect):
        """The effect of a check, which shows itself as JAX's own do."""

        def __str__(self) -> str:
            return "Check"

    def with_checks(executable: Any, out_tree: Any, args: Any, results: Sequence[Any], effects: Any, *rest: Any) -> Any:
        call = getattr(executable, "unsafe_call", None)
        if not (results and effects and all(type(effect) is Check for effect in effects)) or call is None:
            return fast_path(executable, out_tree, args, results, effects, *rest)
        before = call.has_unordered_effects
        call.has_unordered_effects = False
        try:
            return fast_path(executable, out_tree, args, results, effects, *rest)
        finally:
            call.has_unordered_effects = before

    pjit._get_fastpath_data = with_checks  # type: ignore[assignment]  # the last parameters differ between versions
    one_by_one = functools.partial(debug_batching_rule, primitive=debug_callback_p)
    rules[debug_callback_p] = functools.partial(_lanes_at_once, debug_callback_p, one_by_one)
    return functools.partial(debug_callback_p.bind, effect=Check(), partitioned=False)


def _lanes_at_once(
    own: Any, one_by_one: Callable[..., Any], values: Sequence[Any], axes: Sequence[Any], *, callback: Any, **params: Any
) -> Any:
    """Calls the host under `vmap`: for each lane, which takes a program as long as there are lanes.

    A check is called once, with all lanes along the first axis of each value.
    """
    in_lanes = getattr(callback, "in_lanes", None)
    if in_lanes is None:
        return one_by_one(values, axes, callback=callback, **params)
    size = next(x.shape[axis] for x, axis in zip(values, axes, strict=True) if axis is not None)
    lanes = [
        jnp.broadcast_to(x, (size, *jnp.shape(x))) if axis is None else jnp.moveaxis(x, axis, 0)
        for x, axis in zip(values, axes, strict=True)
    ]
    return own.bind(*lanes, callback=in_lanes(), **params), []


def jit_options(jitted: Any) -> dict[str, Any] | None:
    """Returns the options that a function was jitted with, as `jax.jit` takes them; None when they cannot be read."""
    try:
        info = jitted._jit_info
        if any(leaf is not None for leaf in (*info.in_layouts_leaves, *info.out_layouts_leaves)):
            return None
        return {
            "in_shardings": info.in_shardings_treedef.unflatten(info.in_shardings_leaves),
            "out_shardings": info.out_shardings_treedef.unflatten(info.out_shardings_leaves),
            **{name: getattr(info, name) or None for name in ("static_argnums", "static_argnames")},
            **{name: getattr(info, name) or None for name in ("donate_argnums", "donate_argnames")},
            **{name: getattr(info, name) for name in ("keep_unused", "device", "backend", "inline")},
            "compiler_options": dict(info.compiler_options_kvs) or None,
        }
    except AttributeError:
        return None


def jit_is_disabled() -> bool:
    """Whether the process itself sets `jax_disable_jit`, whatever a `with jax.disable_jit()` around says."""
    try:
        from jax._src.config import disable_jit

        return bool(disable_jit.get_global())
    except (ImportError, AttributeError):  # pragma: no cover - other JAX versions
        return False


def say_nothing_of(kind: type[BaseException]) -> None:
    """Keeps JAX from logging a callback that raised `kind`: the program raises it too, and without our frames."""
    for name in ("jax._src.debugging", "jax._src.callback"):
        logging.getLogger(name).addFilter(
            lambda record: not record.exc_info or not isinstance(record.exc_info[1], kind)
        )


def say_of_exports(says: Callable[[Any], str]) -> None:
    """Adds a note to JAX's error for an exported program that calls the host: `says(jaxpr)`, unless that is empty."""
    try:
        from jax._src.export import _export

        export: Callable[..., Any] = _export._export_lowered
    except (ImportError, AttributeError):  # pragma: no cover - other JAX versions
        return

    def export_lowered(lowered: Any, jaxpr: Any, *args: Any, **options: Any) -> Any:
        try:
            return export(lowered, jaxpr, *args, **options)
        except NotImplementedError as error:
            if said := says(jaxpr):
                error.add_note(said)
            raise

    _export._export_lowered = export_lowered


def frames_of(equation: Any) -> list[Any]:
    """Returns an equation's frames, not JAX's or ours, outermost first: `file_name`, `function_name`, `start_line`, ..."""
    try:
        from jax._src.source_info_util import user_frames

        return list(user_frames(equation.source_info.traceback))[::-1]
    except (ImportError, AttributeError):  # pragma: no cover - other JAX versions
        return []


def hide_frames() -> None:
    """Tells JAX that our files are library code: op metadata and filtered tracebacks then name the user's lines."""
    try:
        from jax._src.source_info_util import register_exclusion as exclude_from_locations
        from jax._src.traceback_util import register_exclusion as exclude_from_tracebacks
    except ImportError:  # pragma: no cover - other JAX versions
        return
    if not errors.DEBUG:
        for directory in errors.PACKAGE_DIRECTORIES:
            exclude_from_locations(directory)
            exclude_from_tracebacks(directory)


_REPLAYS = {"backward_pass3": "cotangents_in", "backward_pass": "cotangents_in", "eval_jaxpr": "args"}
"""The functions that run the recorded program of a derivative, and the name that each gives its arguments."""


def reads_back(frame: FrameType, x: Any) -> bool:
    """Whether JAX replays in this frame a program that recorded `x`: as a constant (a residual), not as an argument."""
    arguments = _REPLAYS.get(frame.f_code.co_name)
    if arguments is None or not str(frame.f_globals.get("__name__")).startswith("jax."):
        return False
    values = frame.f_locals
    recorded, given = values.get("consts", ()), values.get(arguments, (x,))
    return any(x is value for value in recorded) and all(x is not value for value in given)
