"""`if`, `while` and `for` over local functions and a state."""

import pytest

import autograph as ag
from autograph.converters.control_flow import ControlFlow
from autograph.converters.directives import Directives
from autograph.converters.jumps import Jumps
from tests.converters.converting import Case

PASSES = (Directives, Jumps, ControlFlow)

CASES = {
    "branches that return": Case(
        """
        def f(x):
            if x > 0:
                return x
            else:
                return -x
        """,
        """
        def f(x):
            def if_body():
                return x
            def else_body():
                return -x
            return ag__.if_stmt(x > 0, if_body, else_body)
        """,
        "f(1)",
        "f(-1)",
    ),
    "a variable that a branch changes is state": Case(
        """
        def f(x):
            y = 0
            if x > 0:
                y = x
            return y
        """,
        """
        def f(x):
            y = 0
            def if_body():
                nonlocal y
                y = x
            ag__.if_stmt(x > 0, if_body, ag__.nothing, lambda: (y,))
            return y
        """,
        "f(1)",
        "f(-1)",
    ),
    "one that is dead afterwards is a local of the branch": Case(
        """
        def f(x):
            if x > 0:
                y = x + 1
                note(y)
            return x
        """,
        """
        def f(x):
            def if_body():
                y = x + 1
                note(y)
            ag__.if_stmt(x > 0, if_body, ag__.nothing)
            return x
        """,
        "f(1)",
        "f(-1)",
    ),
    "one that a branch reads before it writes is state": Case(
        """
        def f(x, y):
            if x > 0:
                y = y + 1
                note(y)
            return x
        """,
        """
        def f(x, y):
            def if_body():
                nonlocal y
                y = y + 1
                note(y)
            ag__.if_stmt(x > 0, if_body, ag__.nothing, lambda: (y,), dead=('y',))
            return x
        """,
        "f(1, 2)",
        "f(-1, 2)",
    ),
    "one that a closure captures is state": Case(
        """
        def f(x):
            y = 0
            g = lambda: y
            if x > 0:
                y = x
            return g()
        """,
        """
        def f(x):
            y = 0
            g = lambda: y
            def if_body():
                nonlocal y
                y = x
            ag__.if_stmt(x > 0, if_body, ag__.nothing, lambda: (y,))
            return g()
        """,
        "f(1)",
        "f(-1)",
    ),
    "branches with nothing in them": Case(
        """
        def f(x):
            if x > 0:
                pass
            else:
                x = 0
            return x
        """,
        """
        def f(x):
            def else_body():
                nonlocal x
                x = 0
            ag__.if_stmt(x > 0, ag__.nothing, else_body, lambda: (x,))
            return x
        """,
        "f(1)",
        "f(-1)",
    ),
    "a chain of elif": Case(
        """
        def f(x):
            if x > 1:
                y = 'a'
            elif x > 0:
                y = 'b'
            else:
                y = 'c'
            return y
        """,
        """
        def f(x):
            def if_body():
                nonlocal y
                y = 'a'
            def else_body():
                nonlocal y
                def if_body():
                    nonlocal y
                    y = 'b'
                def else_body():
                    nonlocal y
                    y = 'c'
                ag__.if_stmt(x > 0, if_body, else_body, lambda: (y,))
            ag__.if_stmt(x > 1, if_body, else_body, lambda: (y,))
            return y
        """,
        "f(2)",
        "f(1)",
        "f(0)",
    ),
    "a static test": Case(
        """
        def f(x):
            if x is None:
                x = 0
            while False:
                if x > 0:
                    x = 1
            return x
        """,
        """
        def f(x):
            if x is None:
                x = 0
            while False:
                def if_body():
                    nonlocal x
                    x = 1
                ag__.if_stmt(x > 0, if_body, ag__.nothing, lambda: (x,))
            return x
        """,
        "f(None)",
        "f(1)",
    ),
    "a while": Case(
        """
        def f(n):
            s = 0
            while n > 0:
                s = s + n
                n = n - 1
            return s
        """,
        """
        def f(n):
            s = 0
            def loop_body():
                nonlocal n, s
                s = s + n
                n = n - 1
            ag__.while_loop(lambda: n > 0, loop_body, lambda: (n, s), dead=('n',))
            return s
        """,
        "f(3)",
        "f(0)",
    ),
    "a while whose test binds": Case(
        """
        def f(n):
            while (m := n - 1) > 0:
                n = m
            return n, m
        """,
        """
        def f(n):
            def loop_test():
                nonlocal m
                return (m := (n - 1)) > 0
            def loop_body():
                nonlocal n
                n = m
            ag__.while_loop(loop_test, loop_body, lambda: (m, n))
            return (n, m)
        """,
        "f(3)",
        "f(0)",
    ),
    "a while whose test binds a variable of outside": Case(
        """
        def f(n):
            global global_m
            while (global_m := n - 1) > 0:
                n = global_m
            return n
        """,
        """
        def f(n):
            global global_m
            def loop_test():
                global global_m
                ag__.touch(lambda: global_m)
                return (global_m := (n - 1)) > 0
            def loop_body():
                nonlocal n
                n = global_m
            ag__.while_loop(loop_test, loop_body, lambda: (n,))
            return n
        """,
        "f(3)",
    ),
    "a variable that lives from iteration to iteration": Case(
        """
        def f(n):
            last = 0
            while n > 0:
                note(last)
                last = n
                n = n - 1
        """,
        """
        def f(n):
            last = 0
            def loop_body():
                nonlocal last, n
                note(last)
                last = n
                n = n - 1
            ag__.while_loop(lambda: n > 0, loop_body, lambda: (last, n), dead=('last', 'n'))
        """,
        "f(2)",
    ),
    "one that lives within an iteration": Case(
        """
        def f(n):
            while n > 0:
                half = n // 2
                n = half
            return n
        """,
        """
        def f(n):
            def loop_body():
                nonlocal n
                half = n // 2
                n = half
            ag__.while_loop(lambda: n > 0, loop_body, lambda: (n,))
            return n
        """,
        "f(5)",
    ),
    "the target of a for is the parameter": Case(
        """
        def f(xs):
            s = 0
            for x in xs:
                s = s + x
            return s
        """,
        """
        def f(xs):
            s = 0
            def loop_body(x):
                nonlocal s
                s = s + x
            ag__.for_loop(xs, loop_body, lambda: (s,))
            return s
        """,
        "f([1, 2])",
        "f([])",
    ),
    "unless it is read afterwards": Case(
        """
        def f(xs):
            x = 0
            for x in xs:
                pass
            return x
        """,
        """
        def f(xs):
            x = 0
            def loop_body(item):
                nonlocal x
                x = item
            ag__.for_loop(xs, loop_body, lambda: (x,))
            return x
        """,
        "f([1, 2])",
        "f([])",
    ),
    "or belongs to outside": Case(
        """
        def f(xs):
            global global_x
            for global_x in xs:
                note(global_x)
        """,
        """
        def f(xs):
            global global_x
            def loop_body(item):
                global global_x
                global_x = item
                note(global_x)
            ag__.for_loop(xs, loop_body)
        """,
        "f([1, 2])",
    ),
    "or is no name": Case(
        """
        def f(xs):
            s = 0
            for a, (b, *c) in xs:
                s = s + a + b + len(c)
            return s
        """,
        """
        def f(xs):
            s = 0
            def loop_body(item):
                nonlocal s
                a, (b, *c) = item
                s = s + a + b + len(c)
            ag__.for_loop(xs, loop_body, lambda: (s,))
            return s
        """,
        "f([(1, (2, 3, 4))])",
    ),
    "a name for the item that is not taken": Case(
        """
        def f(item):
            for a, b in item:
                for c, d in a:
                    note(c + d + b)
        """,
        """
        def f(item):
            def loop_body(item_1):
                a, b = item_1
                def loop_body(item_2):
                    c, d = item_2
                    note(c + d + b)
                ag__.for_loop(a, loop_body)
            ag__.for_loop(item, loop_body)
        """,
        "f([([(1, 2)], 3)])",
    ),
    "lists that a body only appends to": Case(
        """
        def f(xs):
            out, seen = [], []
            for x in xs:
                out.append(x)
                seen.append(len(seen))
            return out, seen
        """,
        """
        def f(xs):
            out, seen = ([], [])
            def loop_body(x):
                out.append(x)
                seen.append(len(seen))
            ag__.for_loop(xs, loop_body, appends=lambda: (out,))
            return (out, seen)
        """,
        "f([3, 4])",
    ),
    "also where a flag may end the loop": Case(
        """
        def f(xs):
            out = []
            for x in xs:
                if x < 0:
                    break
                out.append(x)
            return out
        """,
        """
        def f(xs):
            out = []
            break_ = False
            def loop_body(x):
                nonlocal break_
                def if_body():
                    nonlocal break_
                    break_ = True
                def else_body():
                    out.append(x)
                ag__.if_stmt(x < 0, if_body, else_body, lambda: (break_,), exits={'break_': ()})
            ag__.for_loop(xs, loop_body, lambda: (break_,), test=lambda: not break_, last=True, appends=lambda: (out,))
            return out
        """,
        "f([3, -1, 4])",
    ),
    "flags of jumps are named, also the variables that may be unbound": Case(
        """
        def f(xs):
            for x in xs:
                if x > 0:
                    y = x
                    break
                note(x)
            return y
        """,
        """
        def f(xs):
            break_ = False
            def loop_body(x):
                nonlocal break_, y
                def if_body():
                    nonlocal break_, y
                    y = x
                    break_ = True
                def else_body():
                    note(x)
                ag__.if_stmt(x > 0, if_body, else_body, lambda: (break_, y), exits={'break_': ()})
            ag__.for_loop(xs, loop_body, lambda: (break_, y), test=lambda: not break_, last=True)
            return y
        """,
        "f([0, 2, 3])",
    ),
    "a loop in a loop": Case(
        """
        def f(n):
            s = 0
            for i in range(n):
                for j in range(i):
                    s = s + j
            return s
        """,
        """
        def f(n):
            s = 0
            def loop_body(i):
                nonlocal s
                def loop_body(j):
                    nonlocal s
                    s = s + j
                ag__.for_loop(range(i), loop_body, lambda: (s,))
            ag__.for_loop(range(n), loop_body, lambda: (s,))
            return s
        """,
        "f(4)",
    ),
    "statements that suspend stay, others in them do not": Case(
        """
        def f(n):
            for i in range(n):
                yield i
                if i > 1:
                    note(i)
        """,
        """
        def f(n):
            for i in range(n):
                yield i
                def if_body():
                    note(i)
                ag__.if_stmt(i > 1, if_body, ag__.nothing)
        """,
        "f(4)",
    ),
    "try and with stay": Case(
        """
        def f(n):
            try:
                while n > 0:
                    n = n - 1
                    if n == 1:
                        n = n / 0
            except ZeroDivisionError:
                if n:
                    n = 5
            return n
        """,
        """
        def f(n):
            try:
                def loop_body():
                    nonlocal n
                    n = n - 1
                    def if_body():
                        nonlocal n
                        n = n / 0
                    ag__.if_stmt(n == 1, if_body, ag__.nothing, lambda: (n,))
                ag__.while_loop(lambda: n > 0, loop_body, lambda: (n,))
            except ZeroDivisionError:
                def if_body():
                    nonlocal n
                    n = 5
                ag__.if_stmt(n, if_body, ag__.nothing, lambda: (n,))
            return n
        """,
        "f(0)",
        "f(3)",
    ),
    "functions in a function": Case(
        """
        def f(n):
            def g(m):
                if m > n:
                    m = n
                return m
            return g(3)
        """,
        """
        def f(n):
            def g(m):
                def if_body():
                    nonlocal m
                    m = n
                ag__.if_stmt(m > n, if_body, ag__.nothing, lambda: (m,))
                return m
            return g(3)
        """,
        "f(4)",
        "f(2)",
    ),
    "a name of ours that is taken": Case(
        """
        def f(if_body):
            if if_body:
                if_body = 0
            return if_body
        """,
        """
        def f(if_body):
            def if_body_1():
                nonlocal if_body
                if_body = 0
            ag__.if_stmt(if_body, if_body_1, ag__.nothing, lambda: (if_body,))
            return if_body
        """,
        "f(4)",
    ),
    "a global": Case(
        """
        def f(x):
            global global_g
            if x:
                global_g = x
        """,
        """
        def f(x):
            global global_g
            def if_body():
                global global_g
                global_g = x
            ag__.if_stmt(x, if_body, ag__.nothing)
        """,
        "f(4)",
    ),
    "a function that looks at its frame": Case(
        """
        def f(x):
            if x:
                y = 1
            return sorted(locals())
        """,
        """
        def f(x):
            if x:
                y = 1
            return sorted(locals())
        """,
        "f(4)",
        "f(0)",
    ),
    "the options of a loop": Case(
        """
        def f(x):
            for i in x:
                ag.set_loop_options(unroll=i)
                note(i)
        """,
        """
        def f(x):
            def loop_body(i):
                note(i)
            ag__.for_loop(x, loop_body, options={'unroll': i})
        """,
        names={"ag": ag},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)
