"""Ordinary Python with data-dependent control flow, compiled by JAX. By convention `import autograph as ag`."""

import typing as _typing
from os import path as _path

# The sub-packages are links in a checkout and folders when installed; where links are missing they stand beside us.
if not _path.isdir(_path.join(__path__[0], "converters")):
    __path__.append(_path.dirname(__path__[0]))

# After the path above, by which they are found: hence E402.
from autograph import first_use as _first_use  # noqa: E402
from autograph._version import __version__ as __version__  # noqa: E402
from autograph.api import (  # noqa: E402  # behind the path, as all of these
    convert as convert,
    do_not_convert as do_not_convert,
    functions_run_eagerly as functions_run_eagerly,
    jit as jit,
    run_functions_eagerly as run_functions_eagerly,
    to_code as to_code,
    to_graph as to_graph,
)
from autograph.directives import range as range, set_loop_options as set_loop_options  # noqa: E402  # behind the path
from autograph.errors import (  # noqa: E402  # behind the path
    AutoGraphError as AutoGraphError,
    AutoGraphWarning as AutoGraphWarning,
    ConversionError as ConversionError,
    SourceError as SourceError,
    StagingError as StagingError,
    UndefinedVariableError as UndefinedVariableError,
    Unsupported as Unsupported,
)
from autograph.jax_dispatch import hide_frames as _hide_frames  # noqa: E402
from autograph.verbosity import set_verbosity as set_verbosity  # noqa: E402

__all__ = [
    "AutoGraphError",
    "AutoGraphWarning",
    "BoundedArray",
    "BoundedList",
    "ConcreteFunction",
    "ConversionError",
    "Graph",
    "SavedCallError",
    "SavedFileError",
    "SignatureError",
    "SourceError",
    "StagingError",
    "TensorSpec",
    "UndefinedVariableError",
    "Unsupported",
    "Variable",
    "__version__",
    "at_most",
    "convert",
    "do_not_convert",
    "function",
    "functions_run_eagerly",
    "graph",
    "install_import_hook",
    "jit",
    "load",
    "print",
    "range",
    "run_functions_eagerly",
    "save",
    "set_checks",
    "set_loop_options",
    "set_verbosity",
    "to_code",
    "to_graph",
]

if _typing.TYPE_CHECKING:
    from autograph.functions.concrete import ConcreteFunction as ConcreteFunction
    from autograph.functions.decorator import function as function
    from autograph.functions.printing import print_ as print
    from autograph.functions.signatures import SignatureError as SignatureError
    from autograph.functions.variables import Variable as Variable
    from autograph.graphs.graph import Graph as Graph, graph as graph
    from autograph.modules.import_hook import install_import_hook as install_import_hook
    from autograph.runtime.checks.runtime_checks import set_checks as set_checks
    from autograph.runtime.checks.size_bounds import at_most as at_most
    from autograph.runtime.sequences.bounded_list import BoundedList as BoundedList
    from autograph.runtime.values.bounded_array import BoundedArray as BoundedArray
    from autograph.saved.loader import SavedCallError as SavedCallError, SavedFileError as SavedFileError
    from autograph.saved.saving import load as load, save as save
    from autograph.tensor_specs import TensorSpec as TensorSpec
else:
    __getattr__ = _first_use.attributes(
        __name__,
        {
            "BoundedArray": "autograph.runtime.sequences.bounded_operators:BoundedArray",
            "BoundedList": "autograph.runtime.sequences.bounded_list:BoundedList",
            "at_most": "autograph.runtime.checks.size_bounds:at_most",
            "SavedCallError": "autograph.saved.loader:SavedCallError",
            "SavedFileError": "autograph.saved.loader:SavedFileError",
            "Graph": "autograph.graphs.graph:Graph",
            "graph": "autograph.graphs.graph:graph",
            "ConcreteFunction": "autograph.functions.concrete:ConcreteFunction",
            "SignatureError": "autograph.functions.signatures:SignatureError",
            "TensorSpec": "autograph.tensor_specs:TensorSpec",
            "Variable": "autograph.functions.variables:Variable",
            "function": "autograph.functions.decorator:function",
            "print": "autograph.functions.printing:print_",
            "install_import_hook": "autograph.modules.import_hook:install_import_hook",
            "load": "autograph.saved.saving:load",
            "save": "autograph.saved.saving:save",
            "set_checks": "autograph.runtime.checks.runtime_checks:set_checks",
        }.get,
    )

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


_hide_frames()
