"""The operators of generated code, conventionally `ag__`: exactly the names that converted code may use."""

from autograph.runtime.checks import assert_ as assert_
from autograph.runtime.checks import raise_ as raise_
from autograph.runtime.conditionals import if_exp as if_exp
from autograph.runtime.conditionals import if_stmt as if_stmt
from autograph.runtime.conditionals import nothing as nothing
from autograph.runtime.for_loops import for_loop as for_loop
from autograph.runtime.journal import touch as touch
from autograph.runtime.loops import while_loop as while_loop
from autograph.runtime.state import State as State
from autograph.runtime.state import Undefined as Undefined
from autograph.runtime.state import read as read
