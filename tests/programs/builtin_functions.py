"""Builtins, `math` and `numpy` functions on traced values."""

import functools
import itertools
import math
import operator

import jax.numpy as jnp
import numpy as np

from tests.programs.harness import floats, ints, program


@program((-3,), (4,))
def abs_(n):
    return abs(n)


@program((3, 5, 1), (5, 3, 9))
def min_max(a, b, c):
    return min(a, b), max(a, b, c), min([c, a]), max((a, b))


@program((3, -5), (-4, 2))
def min_max_with_key(a, b):
    return min(a, b, key=abs), max([a, b], key=lambda v: -v)


@program((floats(3, 1, 2),))
def min_max_of_array(v):
    return min(v), max(v)


@program((ints(3, 1, 2),))
def sum_of_array(v):
    return sum(v), sum(v, 10)


@program((3, 5), (0, 0))
def sum_any_all_of_list(a, b):
    return sum([a, b, 1]), any([a, b]), all([a, b])


@program((ints(0, 1, 0),), (ints(0, 0, 0),), (ints(1, 1, 1),))
def any_all_of_array(v):
    return any(v), all(v)


@program((3, 1, 2), (1, 2, 3), (2, 2, 1))
def sorted_list(a, b, c):
    return sorted([a, b, c]), sorted((a, b, c), reverse=True)


@program((ints(3, 1, 2),))
def sorted_array(v):
    return sorted(v)


@program((3, -1, 2), (-5, 2, 3))
def sorted_with_key(a, b, c):
    return sorted([a, b, c], key=abs)


@program((1.5, -2.5))
def sorted_items(x, y):
    values = [v for k, v in sorted({"b": x, "a": y, "c": x}.items()) if k != "c"]
    return values, dict(sorted({2: x, 1: y}.items()))


@program((floats(1, 2), floats(3, 4)))
def sorted_items_of_arrays(x, y):
    return list(dict(sorted({"b": x, "a": y}.items(), reverse=True)).values())


@program((1.5, -2.5))
def sorted_by_the_first_parts_that_differ(x, y):
    return [p[-1] for p in sorted([(3, "c", x), (1, ("b", 2), y), (1, ("b",), x)])], sorted([[2, x], [1, y]])


@program((1.5, -2.5))
def sorted_by_known_keys(x, y):
    pairs = [("b", x), ("a", y), ("b", y)]
    return [v for _, v in sorted(pairs, key=lambda p: p[0], reverse=True)]


@program((1.5, -2.5))
def sorted_with_one_value_in_two_pairs(x, y):
    return [k for _, k in sorted([(x, 2), (x, 1)])], sorted([(1, x), (1, y)]), sorted([(2, x), (1, y)])


@program((1.5, -2.5))
def list_sort_of_pairs(x, y):
    pairs = [("b", x), ("c", y), ("a", y)]
    pairs.sort()
    first = [ord(name) for name, _ in pairs]
    pairs.sort(reverse=True)
    return first, dict(pairs)


@program((1.5, -2.5))
def min_max_of_items(x, y):
    params = {"b": x, "a": y, "c": x}
    least, largest = min(params.items()), max(params.items())
    return {least[0]: least[1], largest[0]: largest[1]}


@program((3.7,), (-3.7,), (2.5,))
def int_and_round(x):
    return int(x), round(x)


@program((3.14159,), (-2.71828,))
def round_to_digits(x):
    return round(x, 2)


@program((12.375, 1250, 1), (-2.5, -1250, 0), (1e30, 55, 9), (1234.5, 1250, -2), (0.0, 15, -1), (3.0, 7, -60), (3.0, 7, 60))
def round_to_some_digits(x, n, k):
    return round(x, k), round(n, k), round(n > 3, k), round(123.456, k), round(x, 12), round(x, -1), round(x, -60)


@program((3,), (0,))
def float_and_bool(n):
    return float(n), bool(n)


@program((17, 5), (-17, 5), (17, -5), (-17, -5))
def floor_division_and_modulo(a, b):
    return a // b, a % b, divmod(a, b)


@program((7.5, 2.0), (-7.5, 2.0))
def float_floor_division(a, b):
    return a // b, a % b


@program((3, 2), (2, 5))
def pow_(a, b):
    return pow(a, b), a**b, pow(a, 3)


@program((3, 20, 7), (2, 10, 1000))
def pow_with_modulus(a, b, m):
    return pow(a, b, m)


@program((ints(1, 2, 3),))
def len_is_static(v):
    return len(v) + len([v, v])


@program((2.0,), (0.5,))
def math_functions(x):
    return math.sqrt(x), math.sin(x), math.exp(x), math.log(x), math.tanh(x), math.pow(x, 2.0)


@program(
    (3.0, 4.0),
)
def math_of_two(a, b):
    return math.hypot(a, b), math.atan2(a, b), math.fabs(-a), math.copysign(a, -b)


@program((2.7,), (-2.7,))
def math_rounding(x):
    return math.floor(x), math.ceil(x), math.trunc(x)


@program(
    (0.5,),
)
def math_constants(x):
    return x * math.pi + math.e, math.isnan(x), math.isinf(x), math.isfinite(x)


@program((12, 18), (7, 3))
def math_gcd(a, b):
    return math.gcd(a, b)


@program((floats(1, 4, 9),))
def numpy_functions(v):
    return np.sqrt(v), np.sum(v), np.maximum(v, 2.0), np.where(v > 2, v, 0)


@program((floats(1, 4, 9),))
def numpy_constants(v):
    return v * np.float32(2) + np.array([1, 2, 3], np.float32)


@program((2,), (5,))
def range_builtin_len(n):
    return len(range(4)) + n


@program((ints(5, 6, 7),))
def enumerate_to_list(v):
    return [(i, x) for i, x in enumerate(v)]


@program((3, 4), (1, 2))
def map_and_filter(a, b):
    def f(x):
        if x > 2:
            return x * 10
        return x

    return list(map(f, [a, b])), list(map(lambda x, y: x + y, [a, b], [1, 2]))


@program((3, 4), (1, 2))
def reduce_(a, b):
    def f(x, y):
        if y > 2:
            return x * y
        return x + y

    return functools.reduce(f, [a, b, 1], 1)


@program((3, 4), (1, 2))
def operator_functions(a, b):
    return operator.add(a, b), operator.mul(a, b), operator.lt(a, b)


@program((3, 4), (1, 2))
def zip_and_dict(a, b):
    return dict(zip(("x", "y"), (a, b), strict=True))


@program((3, 4), (1, 2))
def isinstance_is_static(a, b):
    if isinstance(a, (list, tuple)):
        return b
    return a


@program((3,), (1,))
def getattr_setattr(n):
    class Box:
        pass

    box = Box()
    box.v = n
    if hasattr(box, "v") and getattr(box, "w", None) is None:
        return getattr(box, "v") + 1  # noqa: B009
    return 0


@program((5,), (2,))
def iter_and_next(n):
    it = iter([n, n + 1, n + 2])
    a = next(it)
    b = next(it)
    return a * b + next(it) + next(it, 100)


@program((3.0,), (2.0,))
def complex_parts(x):
    z = complex(x, 1.0)
    return z.real, z.imag


@program((ints(1, 2, 3),))
def array_methods(v):
    return v.sum(), v.max(), v.astype(jnp.float32), v.reshape(3, 1), v.T


@program((3,), (12,))
def print_is_harmless(n):
    if n > 5:
        n = n - 5
    return n


@program((3.5,), (-3.5,))
def int_truncates_in_loop(x):
    s = 0
    for i in range(3):
        s += int(x * i)
    return s


@program((5,), (9,))
def int_of_division_as_bound(n):
    s = 0
    for i in range(int(n / 2)):
        s += i
    return s


@program((10, 3), (11, 4))
def range_of_expression(n, k):
    s = 0
    for i in range(n // k, n + 1, k - 1):
        s += i
    return s


@program((7,), (8,))
def bit_operations(n):
    return n & 1, n | 8, n ^ 3, ~n, n << 2, n >> 1


@program((7,), (8,))
def true_division(n):
    return n / 2, n / 4 + 1


@program((3, 4), (6, 2))
def slice_and_list_builtins(a, b):
    xs = list((a, b, 3))
    ys = xs[::-1] + [1] * 2
    return ys[0], ys[-1], len(ys), tuple(xs[:2])


@program((floats(0.1, 0.7, 0.2),))
def argmax_of_list_with_index(v):
    xs = list(v)
    return xs[0] + xs[2]


@program((ints(1, 2, 3),))
def accumulate_partial(v):
    add = functools.partial(operator.add, 10)
    return [add(x) for x in v]


@program((1,), (2,), (7,), transforms=("vmap",))
def reductions_of_a_range(n):
    numbers = range(3, 3 + 4 * n, 4)
    return len(range(n)), sum(numbers), min(numbers), max(numbers), sum(range(n, 0, -1), 5), max(range(n, -n, -2))


@program((0,), (-3,), (4,))
def lengths_of_ranges(n):
    return len(range(n)), len(range(2, n)), len(range(n, 0, -1)), sum(range(n)), sum(range(2, n, 3))


@program((3,), (6,))
def questions_to_a_range(n):
    numbers = range(1, n + 1)
    ends = numbers.start, numbers.stop, numbers.step
    return numbers.count(2), numbers.index(2), numbers[-1], numbers[0], numbers[n - 2], numbers[-n], ends


@program((6,), (3,))
def questions_to_a_range_downwards(n):
    numbers = range(n, -n, -2)
    counts = numbers.count(n - 4), numbers.count(2.0), numbers.count(0.5), numbers.count(True)
    return counts, numbers.index(n - 4), numbers.index(n - 2.0), numbers[-1], numbers[1]


@program((6,), (3,))
def traced_questions_to_a_known_range(n):
    numbers = range(0, 20, 3)
    return numbers.count(n), numbers.count(n + 0.5), numbers.index(n), numbers[n], numbers[-n]


@program((6,), (3,))
def numbers_of_a_range_one_by_one(n):
    s = 0
    for k in range(n):
        s += range(1, n + 1)[k] * 2 + range(k, n).index(n - 1)
    return s


@program((50_000,), (65_535,))
def a_sum_that_fits_though_its_double_does_not(n):
    return sum(range(n))


@program((0,), (2,))
def the_extremes_of_an_empty_range(n):
    return max(range(n))


@program((2,), (5,), (8,), transforms=("vmap",))
def a_loop_over_a_filtered_list(n):
    total = 0
    for x in filter(lambda v: v < n, [1, 4, 6, 2]):
        if x == 6:
            break
        total += x
    for i in filter(lambda k: (k + n) % 2 == 0, range(5)):
        total += 10 * i
    return total


@program((2,), (5,), (8,), transforms=("vmap",))
def builtins_handed_to_libraries(n):
    steps = list(itertools.accumulate([3, n, 4], max))
    return functools.reduce(max, [n, 3, 7]), functools.reduce(min, [n, 3], 4), functools.reduce(math.gcd, [n, 4]), steps


@program((2,), (5,), (8,), transforms=("vmap",))
def functions_of_the_operator_module(n):
    tens = [10 * i for i in range(9)]
    flags = operator.not_(n - 5), operator.truth(n - 5), operator.contains([1, 5], n), operator.eq((n, 1), (5, 1))
    ordered = operator.lt((n, 1), (5, 2)), operator.ge(n, 5), operator.ne([n], [5])
    return flags, ordered, operator.getitem(tens, n), tens[operator.index(n)], operator.countOf([n, 5], 5)


@program((2,), (5,), (8,))
def the_place_of_a_value(n):
    return operator.indexOf([2, 5, 8], n), operator.indexOf([1, 2], 2)


@program((2,), (5,), (8,))
def a_repeated_value_is_no_endless_loop(n):
    total = 0
    for step in itertools.repeat(2, 5):
        total += step
        if total > n:
            break
    return total


@program((15,), (25,), (-15,), (-125,), (149,), (0,), transforms=("vmap",))
def integers_rounded_to_tens(n):
    return round(n, -1), round(n, -2), round(n, ndigits=-12), round(n > 3), round(n, 0) if n > 20 else round(n + 1, -1)


@program((5,), (0,), (-7,), (-(2**31),), transforms=("vmap",))
def bits_of_an_integer(n):
    return n.bit_length(), n.bit_count(), (n % 8).bit_length()


@program((jnp.array([[1, 2], [3, 4]]), jnp.int8(100)), transforms=("vmap",))
def numbers_of_an_array(x, y):
    total = 0
    for row in x.tolist():
        for number in row:
            if number > 2:
                total += number
    places = x.item(3), x.item(1, 0), x[0].item(-1), (x[1, 0] > 2).item() + (x[1, 1] > 2).item()
    return total * y, x.tolist(), x[:, :0].tolist(), x[0, 0].item() * y, (x / 2).item(1) * jnp.float16(2), places


@program((5.0,), (0.5,), (float("inf"),), (-2.0,), transforms=("vmap",))
def whole_numbers(x):
    if x.is_integer():
        return 1
    return x.is_integer() + (x / 2).is_integer()


@program((0, 3), (3, 3), (9, 3))
def walrus_that_only_its_item_reads(n, k):
    found = any((double := v * 2) > n and double < 5 for v in [1, 2, k])
    return found, n in ((half := v) + half for v in [1, 2, k])


@program((0,), (3,), (9,))
def any_of_an_iterator_that_nobody_else_has(n):
    numbers = [1, 2, 3]
    return any(map(n.__lt__, iter(numbers))), all(a < n for a, b in zip(numbers, reversed(numbers))), n in iter(numbers)


@program((3,), (8,))
def methods_of_numbers(n):
    total = (5).__add__(n) + (5).__rsub__(n) + (2.0).__mul__(n) + (7).__rmod__(n)
    total += len((300).to_bytes(3, byteorder="big", signed=True)) + (0.5).as_integer_ratio()[1]
    return total, (5).__lt__(n), (5).__eq__(n), (9).__divmod__(n), (20).__rdivmod__(n), (5).__add__(n) is NotImplemented


@program((3,), (0,), static=(0,))
def strings_of_dicts_whose_keys_cannot_be_sorted(n):
    d = {3: n, "k": 2}
    if n:
        d["k"] = [{1: n, None: (n,)}]
    return len(f"{d}"), f"{d!r:>60}".strip() == repr(d), f"{[d]}" == str([d])


@program((3,), (0,))
def message_of_a_dict_whose_keys_cannot_be_sorted(n):
    d = {3: n, "k": 2}
    assert n >= 0, f"{d}"
    return d["k"], d[3]
