"""What the import hook converted, and what it left with which reason.

>>> report = ConversionReport()
>>> report.add(ModuleReport("shapes", "shapes.py", 3, (Left("stream.<lambda>", 12, "two are alike"),)))
>>> report.add(ModuleReport("shapes._speedups", "_speedups.so", problem="has no source"))
>>> print(report)
2 of 3 functions converted in 1 module
  shapes.py:12: `stream.<lambda>` stays as it is: two are alike
  `shapes._speedups` stays as it is: it has no source (_speedups.so)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autograph.modules.compiled_modules import Left


@dataclass(frozen=True)
class ModuleReport:
    """One module.

    Args:
        name: of the module.
        filename: of its source.
        functions: how many functions its source has; lambdas and nested ones count.
        left: those that stay as they are.
        problem: why the whole module stays as it is.
    """

    name: str
    filename: str | None
    functions: int = 0
    left: tuple[Left, ...] = ()
    problem: str = ""

    @property
    def stays(self) -> bool:
        """Whether anything in the module stays as it is."""
        return bool(self.left or self.problem)

    def __str__(self) -> str:
        if self.problem:
            where = f" ({self.filename})" if self.filename else ""
            return f"`{self.name}` stays as it is: it {self.problem}{where}"
        if not self.left:
            return f"`{self.name}`: {self.functions} functions converted"
        return "\n".join(f"{self.filename}:{f.line}: `{f.name}` stays as it is: {f.reason}" for f in self.left)


@dataclass
class ConversionReport:
    """All modules that a hook has met, in the order of import."""

    modules: dict[str, ModuleReport] = field(default_factory=dict)

    def add(self, module: ModuleReport) -> None:
        """Notes a module; a later note of the same one takes the place of the earlier."""
        self.modules[module.name] = module

    def as_data(self) -> list[Any]:
        """Returns the report as lists, strings and numbers, for another process."""
        return [
            [m.name, m.filename, m.functions, [[f.name, f.line, f.reason] for f in m.left], m.problem]
            for m in self.modules.values()
        ]

    def add_data(self, data: list[Any]) -> None:
        """Adds the report of another process."""
        for name, filename, functions, left, problem in data:
            self.add(ModuleReport(name, filename, functions, tuple(Left(*entry) for entry in left), problem))

    @property
    def functions(self) -> int:
        """The number of functions with source."""
        return sum(module.functions for module in self.modules.values())

    @property
    def converted(self) -> int:
        """The number of functions that were converted."""
        return self.functions - sum(len(module.left) for module in self.modules.values())

    @property
    def share(self) -> float:
        """The converted share of the functions with source, from 0 to 1."""
        return self.converted / self.functions if self.functions else 1.0

    def __str__(self) -> str:
        count = sum(not module.problem for module in self.modules.values())
        head = f"{self.converted} of {self.functions} functions converted in {count} module{'' if count == 1 else 's'}"
        notes = [line for module in self.modules.values() if module.stays for line in str(module).splitlines()]
        return "\n  ".join([head, *notes])
