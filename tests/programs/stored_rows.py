"""Lists, dicts and objects that an iteration of a staged loop makes, changes, and stores or leaves in a variable."""

import dataclasses

from tests.programs.harness import floats, program

XS = floats(1.0, 2.0, 3.0)


class Body:
    def __init__(self, at, speed):
        self.at = at
        self.speed = [speed]


@dataclasses.dataclass
class Reading:
    value: float
    count: float


@program((floats([1, 2], [3, 4]),), transforms=("vmap",))
def a_row_that_is_filled_before_it_is_appended(data):
    out = []
    for d in data:
        row = []
        row.append(d[0])
        out.append(row)
    return out


@program((XS, 2.0), transforms=("vmap",))
def rows_that_are_changed_after_they_are_appended(xs, a):
    rows, tables, nested = [], [], []
    for x in xs:
        row, table, inner = [x, a], {"p": 0.0}, [x]
        rows.append(row)
        tables.append(table)
        nested.append(([inner], row))
        row[0], row[1] = row[1], row[0]
        row += [1.0]
        table["p"] += x
        table.update(q=x * a)
        inner.insert(0, a)
    return rows, tables, nested


def _pair(x, y):
    made = []
    made.append(x)
    made.append(y)
    return made


def _raise(row, y):
    row[-1] = row[-1] + y


@program((XS,), transforms=("vmap",))
def rows_of_called_functions(xs):
    out = []
    for x in xs:
        row = _pair(x, 1.0)
        out.append(row)
        _raise(row, x)
    return out


@program((floats([1, 2], [3, 4]), floats([0, 1], [2, 3])), transforms=("vmap",))
def a_product_of_nested_lists(a, b):
    out = []
    for row in a:
        made = []
        for j in range(2):
            total = 0.0
            for k in range(2):
                total += row[k] * b[k, j]
            made.append(total)
        out.append(made)
    return out


@program((XS,), transforms=("vmap",))
def objects_that_are_appended(xs):
    out, found = [], []
    for x in xs:
        body = Body(x, 0.0)
        reading = Reading(x, 0.0)
        out.append(body)
        found.append({"r": reading})
        body.speed.append(x * 2)
        reading.count += x
    out[0].at = 9.0
    return [(b.at, b.speed) for b in out], [(f["r"].value, f["r"].count) for f in found]


@program((XS,), transforms=("vmap",))
def one_row_that_is_stored_twice(xs):
    out, others = [], []
    for x in xs:
        row = [x]
        out.append(row)
        out.append(row)
        others.append((row, [row]))
    out[0][0] = 9.0
    others[2][0].append(5.0)
    return out, others


@program((XS,), transforms=("vmap",))
def a_row_that_every_iteration_appends(xs):
    out = []
    row = [0.0]
    for x in xs:
        row[0] += x
        out.append(row)
    row.append(1.0)
    return out


@program((XS,), transforms=("vmap",))
def the_row_of_the_iteration_before(xs):
    out = []
    last = [0.0]
    for x in xs:
        row = [x + last[0]]
        out.append(row)
        last = row
    last[0] = 100.0
    return out


@program((XS,), transforms=("vmap",))
def what_a_variable_held_before_the_iteration(xs):
    out = []
    state = first = [0.0]
    for x in xs:
        out.append(state)
        state = [state[0] + x]
    first[0] = 8.0
    state.append(2.0)
    return out, state


@program((XS,), transforms=("vmap",))
def sets_that_are_appended(xs):
    out = []
    for _ in xs:
        seen = {1}
        seen.add(2)
        out.append(seen)
    out[0].add(3)
    return [len(seen) for seen in out]


@program((XS,), transforms=("vmap",))
def an_object_that_is_read_after_the_loop(xs):
    for x in xs:
        body = kept = Body(x, 1.0)
        body.speed.append(x)
    for x in xs[1:]:
        last = Reading(x, 2.0)
    kept.at += 1.0
    return body.at, body.speed, last.value, last.count


@program((3,), (1,), transforms=("vmap",))
def an_object_of_a_loop_of_unknown_length(n):
    k = 0
    while k < n:
        reading = Reading(k, 2)
        k += 1
    return reading.value, reading.count


@program((XS,), transforms=("vmap",))
def the_object_of_the_iteration_before(xs):
    out = []
    last = Reading(0.0, 1.0)
    for x in xs:
        reading = Reading(x, 0.0)
        reading.count = last.value
        out.append(reading)
        last = reading
    last.value = 9.0
    return [(r.value, r.count) for r in out], last.value
