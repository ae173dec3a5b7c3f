"""`match` statements on traced and static subjects."""

import dataclasses
import typing

from tests.programs.harness import program


class Point(typing.NamedTuple):
    x: typing.Any
    y: typing.Any


@dataclasses.dataclass
class Circle:
    radius: typing.Any


@dataclasses.dataclass
class Square:
    side: typing.Any


@program((0,), (1,), (5,), transforms=("vmap",))
def literals(n):
    match n:
        case 0:
            return 10
        case 1:
            return 20
        case _:
            return 30


@program((0,), (1,), (5,))
def literals_assign(n):
    r = 0
    match n:
        case 0:
            r = 10
        case 1:
            r = 20
    return r


@program((0,), (3,), (5,), (-4,))
def or_patterns(n):
    match n:
        case 0 | 1 | 2:
            r = 1
        case 3 | 4:
            r = 2
        case -4:
            r = 4
        case _:
            r = 3
    return r


@program((5,), (-5,), (0,))
def guards(n):
    match n:
        case x if x > 0:
            return x * 2
        case x if x < 0:
            return -x
        case _:
            return 100


@program((5,), (0,))
def capture(n):
    match n:
        case 0:
            m = 1
        case m:
            m = m + 1
    return m


@program(((1, 2),), ((0, 5),), ((7, 0),))
def sequence_of_traced(p):
    match p:
        case (0, y):
            return y
        case (x, 0):
            return x * 10
        case (x, y):
            return x + y


@program(([1, 2, 3],), ([4],), ([],))
def sequence_lengths(p):
    match p:
        case []:
            return 0
        case [x]:
            return x
        case [x, *rest]:
            return x + len(rest)


@program(({"op": 1, "v": 4},), ({"op": 2, "v": 4},))
def mapping(d):
    match d:
        case {"op": 1, "v": v}:
            return v + 1
        case {"v": v}:
            return v * 2


@program((3, 0), (0, 4))
def named_tuple_class(a, b):
    match Point(a, b):
        case Point(x=0, y=y):
            return y
        case Point(x, y):
            return x * 100 + y


@program((3,), (4,))
def class_patterns(n):
    total = 0
    for shape in (Circle(n), Square(n + 1)):
        match shape:
            case Circle(radius=r):
                total += 3 * r * r
            case Square(side=s) if s > 4:
                total += s * s
            case Square():
                total += 1
    return total


@program(("stop", 4), ("go", 4), ("other", 4), static=(0,))
def static_strings(command, n):
    match command:
        case "go":
            return n + 1
        case "stop" | "halt":
            return 0
        case _:
            return -n


@program((3,), (12,))
def match_in_loop(n):
    s = 0
    while n > 0:
        match n % 3:
            case 0:
                s += 1
            case 1:
                s += 10
            case _:
                s += 100
        n -= 1
    return s


@program((3,), (1,))
def match_with_break(n):
    s = 0
    for i in range(10):
        match i - n:
            case 0:
                break
            case _:
                s += i
    return s


@program((3,), (2,))
def nested_sequence(n):
    match (n, (n + 1, 7)):
        case (2, (b, c)):
            return b + c
        case (a, (b, c)):
            return a * b - c


@program((3,), (2,))
def as_pattern(n):
    match (n, 1):
        case (2, _) as pair:
            return pair[0] + 100
        case (_, 1 as one):
            return one


@program((None, 1), static=(0,))
def none_literal(x, n):
    match x:
        case None:
            return n
        case _:
            return x


@program((True,), (False,))
def bool_literals(b):
    match b:
        case True:
            return 1
        case _:
            return 2


@program((1,), (2,), (3,))
def value_pattern(n):
    class Op:
        ADD = 1
        SUB = 2

    match n:
        case Op.ADD:
            return 10
        case Op.SUB:
            return 20
    return 30


@program(((0, 1, 5, 2),), ((1, 0, 5, 2),), ((2, 0, 5, 2),))
def interpreter(program_):
    op, flag, a, b = program_
    match op:
        case 0:
            r = a + b
        case 1 if flag:
            r = a - b
        case 1:
            r = b - a
        case _:
            r = 0
    return r


@program((1,), (3,), (6,))
def pair_of_traced_bools(n):
    match n > 2, n < 5:
        case (True, True):
            return n * 2
        case (True, False):
            return n * 3
        case _:
            return n


@program((1,), (3,), (6,), (15,))
def fizz_buzz(n):
    match (n % 2 == 0, n % 3 == 0):
        case True, True:
            return -6
        case True, _:
            return -2
        case _, True:
            return -3
        case _:
            return n


@program((1,), (3,))
def traced_bool_in_mapping(n):
    match {"on": n > 2, "k": n}:
        case {"on": True, "k": k}:
            return k
        case {"on": False}:
            return -1
        case _:
            return 0


@program((1,), (3,), (9,))
def alternatives_inside_with_traced_values(n):
    match [n, (n > 2, 4, n % 2)]:
        case [a, (True, b, 1) | (b, 5, _)]:
            return a + b
        case [a, (False, b, _) | (True, _, b)]:
            return b - a
        case _:
            return 0


@program((3, 9), (3, 2), (4, 4), (0, 8))
def captured_before_a_guard_and_read_behind_it(a, c):
    r = 0
    match (a % 3, c):
        case (0, y) if y > 7:
            if a > 1:
                r = y
        case (1, y):
            r = y + 1
    match a:
        case 0 | 3 as z if c > 2:
            for _ in range(2):
                r += z
    return r


@program((2.0,), (-2.0,), transforms=("vmap",))
def both_truth_values_without_a_default(x):
    match x > 0:
        case True:
            r = 1.0
        case False:
            r = x
    return r


def _door(x):
    return "open" if x > 0 else "shut"


@dataclasses.dataclass
class Door:
    state: typing.Any
    people: typing.Any


_doors = program((1, 1), (1, 2), (-1, 1), (-1, 2), transforms=("vmap",))


@_doors
def chosen_string_in_a_tuple(x, people):
    state = _door(x)
    match state, people:
        case "shut", 1:
            return 1
        case ("open", 1) | ("shut", 2):
            return 2
        case _, n:
            return n + 3


@_doors
def chosen_string_in_a_mapping(x, people):
    door = {"state": _door(x), "people": people}
    total = 0
    for _ in range(2):
        match door:
            case {"state": "shut" | "closed", "people": n}:
                total += n
                door["state"] = "open"
            case {"state": "open", **rest} if rest["people"] > 1:
                total += 10
    return total


@_doors
def chosen_string_in_an_object(x, people):
    match Door(_door(x), people):
        case Door("shut", 1):
            return 1
        case Door(state=str("open"), people=n):
            return n + 5
        case _:
            return 7


@_doors
def objects_with_a_chosen_string_that_differ(x, people):
    door, doors = Door(_door(x), people), [Door("shut", 1), Door("open", 1)]
    differ = Door(_door(x), 1) != Door("shut", people)
    return door != doors[0], doors[1] != door, differ, sum(other != door for other in doors)
