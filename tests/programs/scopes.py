"""Names: closures, `nonlocal`, `global`, late binding, `del`, unbound names, hostile names."""

from tests.programs.harness import ints, program

counter = 0
LIMIT = 5


@program((1,), (5,))
def closure_reads_changed_variable(m):
    n = 10
    add = lambda a: a + n  # noqa: E731
    if m > 2:
        n = n + 100
    return add(m)


@program((1,), (5,))
def def_closure_reads_changed_variable(m):
    n = 10

    def add(a):
        return a + n

    if m > 2:
        n = n + 100
    return add(m)


@program((1, 2), (5, 2))
def closures_that_run_before_their_variable_is_bound_again(a, b):
    c = d = e = 1
    if a > 2:
        c, d, e = a, a + b, a
    c = sum(map(lambda u: u + c, [a, b]))
    d = max([a, b, 7], key=lambda u: abs(u - d))
    if (e := (lambda: e + 1)()) > 3:
        b = b + 1
    return c, d, e, b


@program((1.0,), (5.0,))
def nonlocal_in_staged_branch(x):
    t = 1.0

    def inner():
        nonlocal t
        if x > 2:
            t = x + 1
        return t

    r = inner()
    return r, t


@program((7,), (0,), (3,))
def nonlocal_called_in_loop(a):
    n = 0

    def put(k):
        nonlocal n
        n += k

    for _ in range(a):
        put(2)
    return n


@program((7,), (0,))
def nonlocal_called_in_branch(a):
    n = 0

    def put(k):
        nonlocal n
        n += k

    if a > 3:
        put(2)
    else:
        put(5)
        put(6)
    return n


@program((7,), (0,))
def nonlocal_called_in_one_branch(a):
    n = 0

    def put(k):
        nonlocal n
        n += k

    if a > 3:
        put(2)
    return n


@program((7,), (2,))
def nonlocal_two_levels(a):
    n = 0

    def outer():
        def inner():
            nonlocal n
            if a > 3:
                n += a

        inner()
        inner()

    outer()
    return n


@program((7,), (2,))
def late_binding_of_closures(n):
    fs = []
    for i in range(3):
        fs.append(lambda: i + n)
    return [f() for f in fs]


@program((7,), (2,))
def late_binding_with_default(n):
    fs = []
    for i in range(3):
        fs.append(lambda i=i: i + n)
    return [f() for f in fs]


@program((7,), (2,))
def closures_called_in_the_loop(n):
    s = 0
    for i in range(n):
        f = lambda: i * 2  # noqa: E731
        s += f()
    return s


@program((7,), (2,))
def closure_over_loop_variable_called_after(n):
    i = 0

    def f():
        return i * 10

    for i in range(n):
        pass
    return f()


@program((7,), (2,))
def global_read(n):
    if n > LIMIT:
        return n - LIMIT
    return LIMIT


@program((7,), (2,))
def global_write_in_branch(n):
    global counter
    counter = 0
    if n > 5:
        counter = counter + n
    r = counter
    counter = 0
    return r


@program((7,), (2,))
def global_write_in_loop(n):
    global counter
    counter = 0
    for i in range(n):
        counter += i
    r = counter
    counter = 0
    return r


@program((7,), (2,))
def global_write_in_callee(n):
    global counter
    counter = 1

    def bump():
        global counter
        counter = counter * 2

    if n > 5:
        bump()
    r = counter
    counter = 0
    return r


@program((7,), (2,))
def shadowed_name(n):
    x = n

    def f(x):
        if x > 5:
            x = x - 5
        return x

    return f(x) * 100 + x


@program((7,), (2,))
def shadowed_builtin(n):
    max = n * 2
    if n > 5:
        max = max + 1
    return max


@program((7,), (2,))
def del_local(n):
    t = n * 2
    n = t
    del t
    if n > 5:
        t = 1
    else:
        t = 2
    return t


@program((7,), (2,))
def del_in_both_branches(n):
    t = n
    if n > 5:
        n = t + 1
        del t
    else:
        n = t - 1
        del t
    return n


@program((7,), (2,))
def del_temporary_in_loop(n):
    s = 0
    while n > 0:
        t = n * 2
        s += t
        del t
        n -= 1
    return s


@program((7,))
def unbound_after_del(n):
    t = n
    del t
    return t


@program((7,))
def unbound_before_assignment(n):
    n = n + late  # noqa: F821
    late = 1
    return n + late


@program((7,))
def unbound_in_static_branch(n):
    if n is None:
        y = 1
    return n + y


@program((7,))
def missing_global(n):
    return n + no_such_name  # noqa: F821


@program((7,), (2,), (4,))
def user_name_ag__(n):
    ag__ = n + 1
    if ag__ > 5:
        ag__ = ag__ - 5
    return ag__


@program((7,), (2,))
def user_names_like_generated_ones(n):
    if_body = n
    else_body = 1
    loop_body = 0
    loop_test = n
    get_state = set_state = break_ = return_ = return_value = continue_ = 3
    while loop_test > 0:
        if loop_test == 4:
            break
        if loop_test % 2 == 0:
            loop_test -= 1
            continue
        loop_body += if_body + else_body
        loop_test -= 1
    return loop_body + get_state + set_state + break_ + return_ + return_value + continue_


@program((7,), (2,))
def unicode_names(größe):
    α = 0
    while größe > 0:
        α += größe
        größe -= 1
    return α


@program((7,), (2,))
def soft_keywords(match):
    case = 0
    type = 1
    _ = match
    if match > 5:
        case = type + match
    return case


@program((7,), (2,))
def several_closures_share_a_variable(n):
    total = 0

    def add(k):
        nonlocal total
        total += k

    def double():
        nonlocal total
        if total > 3:
            total *= 2

    def get():
        return total

    add(n)
    double()
    add(1)
    return get()


@program((7,), (2,))
def counter_factory(n):
    def make(start):
        count = start

        def step():
            nonlocal count
            count += 1
            return count

        return step

    a, b = make(0), make(n)
    if n > 5:
        a()
        a()
    b()
    return a(), b()


@program((7,), (2,))
def accumulator_in_inner_loop_function(n):
    out = 0

    def run(limit):
        nonlocal out
        i = 0
        while i < limit:
            out += i
            i += 1

    run(n)
    run(n + 1)
    return out


@program((7,), (2,))
def comprehension_variable_does_not_leak(n):
    x = n
    ys = [x * 2 for x in (1, 2, 3)]
    if n > 5:
        x = x + ys[2]
    return x


@program((7,), (2,))
def lambda_with_default_argument(n):
    f = lambda a, b=2: a * b if a > b else a + b  # noqa: E731
    return f(n) + f(n, 10)


@program((7,), (2,))
def two_lambdas_on_one_line(n):
    f, g = (lambda a: a + 1 if a > 5 else a - 1), (lambda a: a * 2 if a > 5 else a * 3)
    return f(n) + g(n)


@program((7,), (2,))
def unpacking(n):
    a, (b, *c), d = n, (1, 2, 3), 4
    if a > 5:
        a, b = b, a
        c[0] = a
    return a, b, c, d


@program((7,), (2,))
def multiple_targets(n):
    a = b = n
    if n > 5:
        a = b = a + 1
    return a, b


@program((7,), (2,))
def augmented_operators(n):
    n += 1
    n -= 2
    n *= 3
    n //= 2
    n %= 7
    n **= 2
    n <<= 1
    n >>= 1
    n |= 8
    n &= 15
    n ^= 1
    if n > 5:
        n += 1
    return n


@program((ints(1, 2, 3), 2))
def augmented_matmul(v, n):
    v = v.reshape(1, 3)
    v @= v.T
    return v * n


@program((7,), (2,))
def one_line_bodies(n):
    if n > 5:
        n = n - 5
        n = n * 2  # noqa: E701, E702
    while n > 3:
        n -= 1  # noqa: E701
    return n


@program((7,), (2,))
def docstring_and_comments(n):
    """A docstring."""
    # a comment
    if n > 5:
        """A string statement."""
        n = n - 1  # a trailing comment
    return n


@program((7,), (2,))
def line_continuation(n):
    s = n + 1
    if n > 5 and s > 3:
        s = s + n
    return s


@program((7,), (2,))
def class_in_function(n):
    class Local:
        scale = 2
        if scale > 1:
            bonus = 10
        else:
            bonus = 0

        def run(self, k):
            if k > 5:
                return k * self.scale + self.bonus
            return k

    return Local().run(n)
