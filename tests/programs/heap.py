"""Writes to attributes, dicts, lists, sets under traced conditions.

The branch not taken leaves no trace, and every alias sees the value.
"""

import sys

from tests.programs.harness import program


class Box:
    """An object with plain attributes."""

    def __init__(self, v, w=0):
        self.v = v
        self.w = w

    def add(self, k):
        self.v = self.v + k
        return self

    @property
    def double(self):
        return self.v * 2

    @double.setter
    def double(self, value):
        self.w = self.w + 1
        self.v = value // 2


class Items:
    """An object whose item access is Python code."""

    def __init__(self):
        self.data = {"a": 0}
        self.writes = 0

    def __setitem__(self, key, value):
        self.writes += 1
        self.data[key] = value

    def __getitem__(self, key):
        return self.data[key]


@program((3,), (8,))
def attribute_in_branch(n):
    b = Box(n)
    if n > 5:
        b.v = 100
    return b.v, b.w


@program((3,), (8,))
def attribute_in_both_branches(n):
    b = Box(n)
    if n > 5:
        b.v += 1
    else:
        b.w = n * 2
    return b.v, b.w


@program((3,), (8,))
def attribute_in_while(n):
    b = Box(0)
    while n > 0:
        b.v += n
        n -= 1
    return b.v


@program((3,), (8,))
def attribute_in_for(n):
    b = Box(0)
    for i in range(n):
        b.v = b.v + i
        b.w = i
    return b.v, b.w


@program((3,), (8,))
def attribute_as_loop_condition(n):
    b = Box(n)
    k = 0
    while b.v > 1:
        b.v //= 2
        k += 1
    return k, b.v


@program((3,), (8,))
def method_in_branch(n):
    b = Box(n)
    if n > 5:
        b.add(10).add(5)
    return b.v


@program((3,), (8,))
def method_in_loop(n):
    b = Box(0)
    for i in range(n):
        b.add(i)
    return b.v


@program((3,), (8,))
def property_setter_in_branch_runs_once(n):
    b = Box(n)
    if n > 5:
        b.double = 100
    return b.v, b.w, b.double


@program((3,), (8,))
def setitem_method_in_branch(n):
    s = Items()
    if n > 5:
        s["a"] = n
    return s["a"], s.writes


@program((3,), (8,))
def dict_value_in_one_branch(n):
    d = {"p": 0, "q": 1}
    if n > 5:
        d["p"] = n
    return d


@program((3,), (8,))
def dict_value_in_both_branches(n):
    d = {"p": 0, "q": 1}
    if n > 5:
        d["p"] = n
    else:
        d["q"] = -n
    return d


@program((3,), (8,))
def dict_update_in_one_branch(n):
    d = {"p": 0, "q": 1}
    if n > 5:
        d.update(p=n, q=2)
    return d


@program((3,), (8,))
def dict_in_loop(n):
    d = {"sum": 0, "count": 0}
    for i in range(n):
        d["sum"] += i
        d["count"] += 1
    return d


@program((3,), (8,))
def new_key_in_both_branches(n):
    d = {}
    if n > 5:
        d["p"] = n
    else:
        d["p"] = -n
    return d


@program((3,), (8,))
def list_element_in_branch(n):
    xs = [1, 2, 3]
    if n > 5:
        xs[0] = n
        xs[-1] = n + 1
    return xs


@program((3,), (8,))
def append_in_both_branches(n):
    xs = []
    if n > 5:
        xs.append(n)
    else:
        xs.append(-n)
    return xs


@program((3,), (8,))
def append_two_or_two(n):
    xs = [0]
    if n > 5:
        xs.append(1)
        xs.append(n)
    else:
        xs.extend([n, 2])
    return xs


@program((3,), (8,))
def append_in_callee_of_both_branches(n):
    xs = []

    def put(v):
        xs.append(v)

    if n > 5:
        put(n)
    else:
        put(0)
    return xs


@program((3,), (8,))
def append_in_static_loop(n):
    xs = []
    for i in range(4):
        if n > i:
            xs.append(n - i)
        else:
            xs.append(0)
    return xs


@program((3,), (8,))
def append_in_counted_loop_over_array_length(n):
    xs = []
    for i in range(5):
        xs.append(n * i)
    return xs


@program((3,), (8,))
def alias_of_list(n):
    a = [1, 2]
    b = a
    if n > 5:
        a[0] = n
    return b[0], a is b


@program((3,), (8,))
def alias_of_dict(n):
    a = {"k": 1}
    b = a
    if n > 5:
        a["k"] = n
    return b["k"]


@program((3,), (8,))
def alias_of_object_in_loop(n):
    a = Box(1)
    b = a
    for _ in range(n):
        a.v += 2
    return b.v, a is b


@program((3,), (8,))
def object_inside_list(n):
    boxes = [Box(1), Box(2)]
    if n > 5:
        boxes[1].v = n
    return boxes[0].v + boxes[1].v


@program((3,), (8,))
def nested_containers(n):
    d = {"xs": [1, 2], "b": Box(3)}
    if n > 5:
        d["xs"][1] = n
        d["b"].v += n
    return d["xs"], d["b"].v


@program((3,), (8,))
def helper_changes_dict_in_branch(n):
    d = {"k": 0}

    def helper(e, v):
        e["k"] = v

    if n > 5:
        helper(d, n)
    return d["k"]


@program((3,), (8,))
def helper_changes_object_in_loop(n):
    b = Box(0)

    def bump(box, by):
        box.v += by

    i = 0
    while i < n:
        bump(b, i)
        i += 1
    return b.v


@program((7,), (0,), (3,))
def rotate_list_in_loop(a):
    v = [1, 2, 3]
    for _ in range(a):
        v.append(v.pop(0))
    return v


@program((3, 1, 2), (1, 2, 3), (5, 4, 1))
def bubble_sort_of_list(a, b, c):
    v = [a, b, c]
    for i in range(2):
        for j in range(2 - i):
            if v[j] > v[j + 1]:
                v[j], v[j + 1] = v[j + 1], v[j]
    return v


@program((3,), (8,))
def negative_literal_index_in_one_branch(n):
    v = [1, 2, 3]
    if n > 5:
        v[-1] = v[-1] + 1
    return v


@program((3,), (8,))
def pop_in_both_branches(n):
    v = [n, n + 1, n + 2]
    if n > 5:
        x = v.pop()
    else:
        x = v.pop(0)
    return x, v


@program((3,), (8,))
def insert_remove_in_static_code(n):
    v = [5, n]
    v.insert(1, n * 2)
    v.remove(5)
    v.reverse()
    return v


@program((3,), (8,))
def list_plus_equals(n):
    v = [n]
    w = v
    v += [1, 2]
    if n > 5:
        v[2] = 9
    return w


@program((3,), (8,))
def del_item_in_both_branches(n):
    d = {"a": 1, "b": n, "c": 3}
    if n > 5:
        del d["a"]
        d["c"] = n
    else:
        del d["a"]
    return d


@program((3,), (8,))
def set_in_static_code(n):
    seen = set()
    for c in "abcab":
        if c not in seen:
            seen.add(c)
            n = n + 1
    return n, len(seen)


@program((3,), (8,))
def temporary_list_inside_branch(n):
    r = 0
    if n > 5:
        t = []
        t.append(n)
        t.append(n * 2)
        r = t[0] + t[1]
    return r


@program((3,), (8,))
def temporary_list_inside_loop(n):
    r = 0
    while n > 0:
        t = [n]
        t.append(n * 2)
        r += sum(t)
        n -= 1
    return r


@program((3,), (8,))
def object_made_in_branch(n):
    if n > 5:
        b = Box(n, 1)
    else:
        b = Box(-n, 2)
    return b.v, b.w


@program((3,), (8,))
def write_in_branch_not_taken_statically(n):
    d = {"k": n}
    flag = False
    if flag:
        d["k"] = 100
    return d


@program((3,), (8,))
def attribute_of_function(n):
    def f():
        return n

    f.count = 0
    if n > 5:
        f.count = f.count + n
    return f.count


@program((3,), (8,))
def write_then_break(n):
    b = Box(0)
    for i in range(10):
        b.v += i
        if i == n:
            break
        b.w += 1
    return b.v, b.w


@program((3,), (8,))
def write_in_nested_branches(n):
    d = {"a": 0, "b": 0}
    if n > 2:
        d["a"] = 1
        if n > 5:
            d["b"] = n
        else:
            d["a"] = n
    return d


@program((3,), (8,))
def setdefault_and_get(n):
    d = {}
    d.setdefault("a", n)
    if d.get("a") > 5:
        d["a"] = d.get("b", 50)
    return d


@program((3,), (8,))
def clear_in_both_branches(n):
    v = [1, 2]
    if n > 5:
        v.clear()
        v.append(n)
    else:
        v.clear()
        v.append(0)
    return v


@program((3,), (8,))
def stack_machine(n):
    stack = [n]
    for op in ("dup", "add", "dup", "mul"):
        if op == "dup":
            stack.append(stack[-1])
        elif op == "add":
            stack.append(stack.pop() + stack.pop())
        else:
            stack.append(stack.pop() * stack.pop())
    return stack


class AttributesAreItems(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


@program((3,), (-5,))
def attributes_that_are_items(n):
    c = AttributesAreItems(lr=1)
    if n > 0:
        c.lr = n
    while n > 0:
        c.lr += n
        n -= 1
    return c.lr


class ItsOwnDict(dict):
    def __init__(self, **values):
        super().__init__(**values)
        self.__dict__ = self


@program((3,), (-5,))
def one_place_by_attribute_and_by_item(n):
    c = ItsOwnDict(lr=1)
    if n > 0:
        c.lr = n
    else:
        c["lr"] = 7
    return c.lr


class Shared:
    _state = {}

    def __init__(self):
        self.__dict__ = self._state


@program((3,), (-5,))
def two_objects_with_one_dict(n):
    p, q = Shared(), Shared()
    p.x = 1
    if n > 0:
        p.x = n
    else:
        q.x = 5
    return p.x + q.x


SETTING = 0


@program((3,), (-5,), (-1,))
def a_global_by_three_names(n):
    global SETTING
    SETTING = 0
    if n > 0:
        globals()["SETTING"] = n
    elif n < -3:
        setattr(sys.modules[__name__], "SETTING", 9)  # noqa: B010  # the call is what is tried
    else:
        SETTING = 2
    result, SETTING = SETTING, 0
    return result


class Limited:
    limit = 7


@program((3,), (-5,), (1,))
def a_class_attribute_that_one_branch_shadows(n):
    Limited.limit = 7
    first = Limited()
    if n > 2:
        first.limit = 1
    else:
        first.limit = 2
    Limited.limit = 9  # both branches have written it
    second = Limited()
    if n > 0:
        second.limit = n
    return first.limit, second.limit
