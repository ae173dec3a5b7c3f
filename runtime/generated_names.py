"""The operators that `autograph.runtime` lends to generated code: exactly the names that converted code may use."""

from builtins import slice as slice

from autograph.runtime.calls.context_managers import context as context
from autograph.runtime.calls.dispatch import converted as converted
from autograph.runtime.checks.exception_parts import error as error, raised as raised
from autograph.runtime.checks.handlers import caught as caught, depth as depth, raise_refusal as raise_refusal
from autograph.runtime.checks.messages import f_string as f_string, formatted as formatted, percent as percent
from autograph.runtime.checks.runtime_checks import assert_ as assert_, raise_ as raise_
from autograph.runtime.heap.array_versions import latest as latest
from autograph.runtime.heap.journal import touch as touch
from autograph.runtime.library.arithmetic_errors import (
    attempt as attempt,
    binary as binary,
    failed as failed,
    failure as failure,
    operand as operand,
)
from autograph.runtime.library.array_methods import positive as positive
from autograph.runtime.library.element_loops import collected as collected
from autograph.runtime.library.generator_arguments import filtering as filtering, fold as fold, taken as taken
from autograph.runtime.library.number_methods import method as method
from autograph.runtime.operators.attributes import (
    aug_attr as aug_attr,
    del_attr as del_attr,
    maybe_attr as maybe_attr,
    set_attr as set_attr,
)
from autograph.runtime.operators.augmented import iop as iop, lent as lent
from autograph.runtime.operators.comprehensions import (
    comp_counted as comp_counted,
    comp_each as comp_each,
    comp_iter as comp_iter,
    comp_kept as comp_kept,
    comp_len as comp_len,
    comp_test as comp_test,
    comp_where as comp_where,
)
from autograph.runtime.operators.conditionals import (
    either as either,
    if_exp as if_exp,
    if_stmt as if_stmt,
    nothing as nothing,
)
from autograph.runtime.operators.for_loops import for_loop as for_loop
from autograph.runtime.operators.item_paths import (
    aug_item_at as aug_item_at,
    in_place_call as in_place_call,
    in_place_method as in_place_method,
    latest_at as latest_at,
    set_item_at as set_item_at,
)
from autograph.runtime.operators.items import (
    aug_item as aug_item,
    del_item as del_item,
    get_item as get_item,
    get_slice as get_slice,
    get_view as get_view,
    set_item as set_item,
)
from autograph.runtime.operators.logical import (
    and_ as and_,
    compare as compare,
    in_ as in_,
    is_ as is_,
    is_not as is_not,
    not_ as not_,
    not_in as not_in,
    or_ as or_,
)
from autograph.runtime.operators.optional_results import (
    asked_for_none as asked_for_none,
    asking as asking,
    is_some as is_some,
    uncovered as uncovered,
)
from autograph.runtime.operators.unbound_reads import read as read
from autograph.runtime.operators.while_loops import while_loop as while_loop
from autograph.runtime.sequences.comparison import eq as eq, ge as ge, gt as gt, le as le, lt as lt, ne as ne
from autograph.runtime.sequences.powers import power as power
from autograph.runtime.sequences.repeated_lists import repeat as repeat
from autograph.runtime.sequences.short_circuit import binding as binding
from autograph.runtime.tracing.context import handled as handled
from autograph.runtime.tracing.python_bools import bool_op as bool_op
from autograph.runtime.tracing.start_values import bound_op as bound_op, start as start
from autograph.runtime.tracing.statement_names import ending as ending
from autograph.runtime.tracing.variables import State as State, Undefined as Undefined, read_free as read_free
from autograph.runtime.values.optional import is_none as is_none, some as some
from autograph.runtime.values.order_reads import display as display, ordered as ordered, union as union
