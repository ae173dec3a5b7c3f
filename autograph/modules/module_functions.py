"""The functions of a module that are converted: outermost ones, methods, and lambdas.

>>> tree = ast.parse("class C:\\n    def m(self, key=lambda x: x): ...\\nf, g = lambda x: lambda y: x + y, lambda x: -x")
>>> [target.name for target in outermost_functions(tree)]
['C.<lambda>', 'C.m', 'f', 'g']
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Target:
    """An outermost function of a module: `C.method`, `f`, or the name that a lambda is assigned to."""

    name: str
    node: Function
    classes: tuple[ast.ClassDef, ...]

    def is_named_by(self, names: frozenset[str]) -> frozenset[str]:
        """Returns those of `names` that mean this function: its own name or that of a class around it."""
        parts = self.name.split(".")
        return names & {".".join(parts[: end + 1]) for end in range(len(parts))}


def outermost_functions(tree: ast.Module, is_opted_out: Callable[[Any], bool] = lambda node: False) -> Iterator[Target]:
    """Returns the functions that are inside no other, in the order of the source.

    Args:
        is_opted_out: whether a `def` or a class is left as it is, with all that is in it.
    """
    return _below(tree, (), "", is_opted_out)


def _below(
    node: ast.AST,
    classes: tuple[ast.ClassDef, ...],
    assigned: str,
    is_opted_out: Callable[[Any], bool],
) -> Iterator[Target]:
    """Yields the outermost functions below a node, in the order of the source."""
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr):
                continue  # positions inside f-strings are wrong before Python 3.12
            prefix = ".".join([*(outer.name for outer in classes), ""])
            if isinstance(child, ast.Lambda):
                yield Target(prefix + (assigned if field == "value" and assigned else "<lambda>"), child, classes)
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                for part in (*child.decorator_list, child.args):
                    yield from _below(ast.Expression(part), classes, "", is_opted_out)  # type: ignore[arg-type]
                if not is_opted_out(child):
                    yield Target(prefix + child.name, child, classes)
            elif isinstance(child, ast.ClassDef):
                for part in (*child.decorator_list, *child.bases, *child.keywords):
                    yield from _below(ast.Expression(part), classes, "", is_opted_out)  # type: ignore[arg-type]
                if not is_opted_out(child):
                    yield from _below(ast.Module(child.body, []), (*classes, child), "", is_opted_out)
            else:
                for part in _assignments(child):
                    yield from _below(part, classes, _assigned_name(part), is_opted_out)


def _assignments(node: ast.AST) -> list[ast.AST]:
    """`f, g = a, b` as its single assignments; any other node as it is."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            if all(isinstance(item, ast.Name) for item in targets) and not any(
                isinstance(v, ast.Starred) for v in values
            ):
                return [ast.Assign([target], value) for target, value in zip(targets, values, strict=True)]
    return [node]


def _assigned_name(node: ast.AST) -> str:
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return ""


def inner_functions(node: ast.AST, path: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Yields the named functions inside a function, with their paths."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield path + child.name, child
            yield from inner_functions(child, f"{path}{child.name}.")
        else:
            yield from inner_functions(child, f"{path}{child.name}." if isinstance(child, ast.ClassDef) else path)
