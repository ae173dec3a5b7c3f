"""Comparisons in a process of their own, which is given up where a program does not end.

A compiled program that runs for ever hears of no signal: the process has a thread that ends it after some seconds of computing.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pathlib
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

from tests.random_programs import execution

PATIENCE = 60
"""Seconds of computing for one program; a little more where it cannot be interrupted."""
_CLEAR_EVERY = 125
_MOST = 500  # programs of one process: then a fresh one gives memory back


class Worker:
    """Compares programs, one after another, in a process that is replaced when one of them does not end."""

    def __init__(self, patience: int = PATIENCE, compare: Callable[..., execution.Outcome] = execution.compare) -> None:
        self.patience = patience
        self._compare = compare
        self._process: Any = None
        self._pipe: Any = None
        self._count = 0

    def compare(self, text: str, inputs: Any, **options: Any) -> execution.Outcome:
        """`execution.compare`, or the function that the worker was made with, with these options."""
        if self._process is None or self._count == _MOST:
            self.stop()
            context = multiprocessing.get_context("spawn")
            self._pipe, other = context.Pipe()
            self._process = context.Process(target=_serve, args=(other, self.patience, self._compare), daemon=True)
            self._process.start()
            other.close()
            self._count = 0
        self._count += 1
        try:
            self._pipe.send((text, inputs, options))
            outcome: execution.Outcome = self._pipe.recv()
            return outcome
        except (EOFError, ConnectionError):
            code = self._ended()
            if code == _GIVEN_UP:
                return execution.Outcome("timeout", "the compiled program does not end", "does not end")
            return execution.Outcome("crash", f"the process ended with exit code {code}", "the process ended")

    def stop(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._pipe.close()  # what it waits for
            self._ended()

    def _ended(self) -> int | None:
        self._process.join()
        code: int | None = self._process.exitcode
        self._process = None
        return code


_GIVEN_UP = 75


def _serve(pipe: Any, patience: int, compare: Callable[..., execution.Outcome]) -> None:
    """Compares what comes, until nothing does."""
    deadline: list[float] = []

    def watch() -> None:
        while True:
            time.sleep(0.5)
            if deadline and time.process_time() > deadline[0]:
                os._exit(_GIVEN_UP)

    threading.Thread(target=watch, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        for count in range(_MOST + 1):
            try:
                text, inputs, options = pipe.recv()
            except EOFError:
                return
            deadline[:] = [time.process_time() + patience + 5]
            if count % 2:  # what is garbage must not matter, nor when it is collected
                gc.disable()
            outcome = compare(text, inputs, pathlib.Path(folder), patience=patience, **options)
            gc.enable()
            deadline.clear()
            pipe.send(outcome)
            if count % _CLEAR_EVERY == 0:
                execution.forget_compiled_programs()
