"""Switches in the environment."""

import pathlib
import subprocess
import sys

import pytest

from autograph import switches

PRINTS = (
    "import autograph as ag; from autograph import converters, errors, options, verbosity; "
    "from autograph.runtime.checks import runtime_checks; "
    "print(options.ALWAYS_STAGE, errors.DEBUG, converters.STRICT, runtime_checks.enabled, verbosity.level)"
)
NAMES = ("AUTOGRAPH_ALWAYS_STAGE", "AUTOGRAPH_DEBUG", "AUTOGRAPH_CHECKS", "AUTOGRAPH_VERBOSITY")


@pytest.mark.parametrize("text", ["0", "false", "False", "no", "off", "OFF", "", " "])
def test_words_for_off(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRAPH_CHECKS", text)
    assert not switches.is_on("AUTOGRAPH_CHECKS", True) and switches.level("AUTOGRAPH_CHECKS") == 0


@pytest.mark.parametrize("text", ["1", "true", "yes", "on"])
def test_words_for_on(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRAPH_DEBUG", text)
    assert switches.is_on("AUTOGRAPH_DEBUG") and switches.level("AUTOGRAPH_DEBUG") == 1


def test_a_switch_that_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUTOGRAPH_CHECKS", raising=False)
    assert switches.is_on("AUTOGRAPH_CHECKS", True) and not switches.is_on("AUTOGRAPH_CHECKS")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "printed"),
    [("off", "False False False False 0"), ("1", "True True True True 1"), (None, "False False False True 0")],
)
def test_every_switch_of_the_library(text: str | None, printed: str) -> None:
    root = pathlib.Path(__file__).resolve().parent.parent
    environment = {"PYTHONPATH": str(root)} | ({} if text is None else dict.fromkeys(NAMES, text))
    done = subprocess.run([sys.executable, "-c", PRINTS], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == printed + "\n"
