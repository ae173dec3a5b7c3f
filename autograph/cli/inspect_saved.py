"""`autograph inspect FILE`: the signatures of a saved file, and how many operations the program of each has."""

import argparse
import collections
import re
import sys

import jax
from jax import export

from autograph.cli.show import fail
from autograph.saved import loader

DESCRIPTION = """\
Print what `ag.save` has put into a file: its signatures, for which platforms, the operations of their programs. Nothing is run."""

_OPERATION = re.compile(r'^ *(?:%\S+ = )?"?(?:stablehlo|chlo)\.(\w+)', re.MULTILINE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `inspect`."""
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--stablehlo", action="store_true", help="print the programs as well")


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns the exit code."""
    try:
        loaded = loader.load(arguments.file)
        texts = [signature.exported.mlir_module() for signature in loaded.signatures]
    except OSError as error:
        return fail(f"{arguments.file}: cannot read: {error.strerror or error}")
    except loader.SavedFileError as error:
        return fail(str(error))
    except jax.errors.JaxRuntimeError as error:
        return fail(f"{arguments.file}: a program is malformed: {error}")
    print(f"{loaded.__name__}: written by {loaded.written_by}")
    for name, value in loaded.state.items():
        print(f"  state {name}: {value.dtype}[{','.join(map(str, value.shape))}]")
    for signature, text in zip(loaded.signatures, texts):
        print(signature)
        for line in facts(signature, text):
            print(f"  {line}")
        if arguments.stablehlo:
            sys.stdout.write(text)
    return 0


def facts(signature: loader.Signature, text: str) -> list[str]:
    """Returns the lines below a signature."""
    derivatives = _order(signature.exported)
    counts = operations(text)
    said = [
        f"for {', '.join(signature.exported.platforms)}",
        f"{sum(counts.values())} operations: {', '.join(f'{count} {name}' for name, count in counts.most_common())}",
    ]
    if derivatives:
        said.append(f"derivatives of order {derivatives}")
    return said + [f"raises {kind.__name__} ({place})" for kind, _, place in signature.checks]


def _order(exported: export.Exported) -> int:
    """Returns how often a program can be differentiated: the last derivative says that it has none."""
    try:
        return 1 + _order(exported.vjp())
    except loader.SavedCallError:
        return 0


def operations(text: str) -> collections.Counter[str]:
    """Counts each operation of a program.

    >>> operations('  %0 = stablehlo.add %a, %b : tensor<f32>\\n  return %0 : tensor<f32>')
    Counter({'add': 1})
    """
    return collections.Counter(name for name in _OPERATION.findall(text) if name not in ("return", "constant"))
