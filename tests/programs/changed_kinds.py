"""Variables and attributes whose kind changes in the first iteration of a loop that a traced jump ends."""

import jax.numpy as jnp

from tests.programs.harness import floats, program

START = floats(0.5, 1.0)
ACTIONS = floats((1.0, 2.0), (0.5, -1.0), (2.0, 0.25), (1.0, 1.0), (3.0, -2.0))
LOW, MIDDLE, HIGH = 0.0, 3.0, 100.0  # ends in the first iteration, in the third, never
ALL = ("vmap", "grad")


@program((START, ACTIONS, LOW), (START, ACTIONS, MIDDLE), (START, ACTIONS, HIGH), transforms=("vmap",))
def the_last_observation(s, actions, limit):
    seen = s
    for a in actions:
        s = s + a
        seen = jnp.concatenate([s, s * 2])
        if s[0] > limit:
            break
    return seen


@program((START, ACTIONS, LOW), (START, ACTIONS, MIDDLE), (START, ACTIONS, HIGH), transforms=ALL)
def returned_from_the_middle(s, actions, limit):
    seen = s
    for k, a in enumerate(actions):
        s = s + a
        seen = jnp.concatenate([s, s * k])
        if s[0] > limit:
            return jnp.sum(seen**2)
    return -jnp.sum(seen)


@program((START, ACTIONS, LOW), (START, ACTIONS, MIDDLE), (START, ACTIONS, HIGH), transforms=ALL)
def iterations_that_are_cut_short(s, actions, limit):
    seen, total = s, 0.0
    for a in reversed(actions):
        s = s + a
        seen = jnp.concatenate([s, seen[:2]])
        if s[0] > limit:
            continue
        total = total + seen.sum()
        if total > 40:
            break
    return total + seen[3]


class Cart:
    def __init__(self, state):
        self.state = state

    def step(self, force):
        place, speed = self.state
        speed = speed + force
        place = place + speed * 0.5
        self.state = (place, speed)
        return jnp.array([place, speed])


@program((START, ACTIONS, LOW), (START, ACTIONS, MIDDLE), (START, ACTIONS, HIGH), transforms=ALL)
def an_attribute_that_becomes_a_tuple(s, actions, limit):
    cart, total = Cart(s), 0.0
    for a in actions:
        seen = cart.step(a[0])
        total += seen.sum()
        if cart.state[0] > limit:
            break
    place, speed = cart.state
    return total + place * 2 + speed


@program((START, ACTIONS, LOW), (START, ACTIONS, MIDDLE), (START, ACTIONS, HIGH), transforms=ALL)
def an_attribute_in_a_while(s, actions, limit):
    cart, k, done = Cart(s), 0, False
    while not done:
        cart.step(actions[k][0])
        k += 1
        done = cart.state[0] > limit or k == 5
    return cart.state[0] * 2 + cart.state[1]


def _moved(state, a):
    return (state[0] + a[0], state[1] * a[1]), "moving"


@program((START, ACTIONS, LOW), (START, ACTIONS, MIDDLE), (START, ACTIONS, HIGH), transforms=("vmap",))
def in_a_helper_and_with_else(s, actions, limit):
    state, mood = s, "resting"
    for a in actions:
        state, mood = _moved(state, a)
        if state[0] > limit:
            break
    else:
        mood = "tired"
    return state, mood == "tired"


@program((START, ACTIONS, LOW), (START, ACTIONS, MIDDLE), (START, ACTIONS, HIGH), transforms=("vmap",))
def loops_in_a_loop(s, actions, limit):
    seen, total = s, 0.0
    for a in actions:
        mark = 0
        for b in actions:
            mark = s * b
            s = s + a * 0.5
            seen = jnp.concatenate([s, mark])
            if s[0] > limit * 4:
                break
        total += mark.sum()
        if total > limit * 20:
            break
    return seen, total


@program((START, ACTIONS, LOW), (START, ACTIONS, MIDDLE), (START, ACTIONS, HIGH), transforms=("vmap",))
def with_checks(s, actions, limit):
    seen = 0
    for a in actions:
        assert a[0] > 0, "backwards"
        s = s + a
        seen = s * 2
        if s[0] > limit:
            break
    return seen


@program((START, ACTIONS[:1], HIGH), (START, ACTIONS[:2], LOW), (START, ACTIONS[:2], HIGH), (START, ACTIONS[:3], MIDDLE))
def loops_of_a_few_iterations(s, actions, limit):
    seen = s
    for a in actions:
        seen = (s[0] + a[0], s[1])
        s = s + a
        if s[0] > limit:
            break
    return seen


class Alarm:
    def __init__(self):
        self.rung = None

    def hear(self, level):
        if level < 1.5:
            return 0.0
        elif self.rung is None:
            self.rung = 0
        else:
            self.rung += 1
        return self.rung + level


@program((ACTIONS, HIGH), (ACTIONS, MIDDLE), (ACTIONS, LOW), transforms=ALL)
def an_attribute_that_is_none_or_a_number(levels, limit):
    alarm, total = Alarm(), 0.0
    for level in levels:
        total += alarm.hear(level[0])
        if total > limit:
            break
    return total


@program((2.0, 1.0), (1.0, 2.0), (1.0, 1.0), (2.0, 3.0), transforms=ALL)
def an_attribute_that_is_none_or_a_number_in_branches(x, y):
    alarm = Alarm()
    first = alarm.hear(x)
    if y > x:
        first += alarm.hear(y) * 2
    return first + alarm.hear(y)


# --- the kind changes behind the exit, or from the second iteration on, and nobody reads it after the loop ---


@program((START, ACTIONS, LOW), (START, ACTIONS, MIDDLE), (START, ACTIONS, HIGH), transforms=ALL)
def an_exit_before_the_change(s, actions, limit):
    seen, total = s, 0.0
    for a in actions:
        if s[0] > limit:
            break
        total += seen.sum()
        s = s + a
        seen = jnp.concatenate([s, s * 2])
    return s[1] + total


@program((START, ACTIONS, LOW), (START, ACTIONS, MIDDLE), (START, ACTIONS, HIGH), transforms=ALL)
def an_attribute_behind_a_return(s, actions, limit):
    cart, total = Cart(s), 0.0
    for a in actions:
        if total > limit:
            return total * 2
        total += cart.step(a[0]).sum()
    return total


@program((START, LOW), (START, MIDDLE), (START, HIGH), transforms=ALL)
def an_attribute_in_a_while_that_may_not_begin(s, limit):
    cart, total = Cart(s), 0.0
    while total < limit:
        total += cart.step(1.0).sum()
    return total


@program((START, 0), (START, 1), (START, 4), transforms=("vmap",))
def a_traced_number_of_iterations(s, n):
    cart, total = Cart(s), 0.0
    for _ in range(n):
        total += cart.step(1.0).sum()
    return total


@program((START, ACTIONS, LOW), (START, ACTIONS, MIDDLE), (START, ACTIONS, HIGH), transforms=ALL)
def the_observation_before_the_last(s, actions, limit):
    before = seen = s
    total = 0.0
    for a in actions:
        total += before.sum()
        s = s + a
        before, seen = seen, jnp.concatenate([s, s * 2])
        if s[0] > limit:
            break
    return total + s[0]


@program((START, LOW), (START, MIDDLE), (START, HIGH), transforms=("vmap",))
def the_observation_before_the_last_in_a_range(s, limit):
    before = seen = s
    total = 0.0
    for k in range(90):
        total += before.sum()
        s = s + k
        before, seen = seen, jnp.concatenate([s, s * 2])
        if total > limit:
            return s
    return s + total


@program((START, LOW), (START, MIDDLE), (START, HIGH), transforms=ALL)
def the_observation_before_the_last_in_a_while(s, limit):
    before = seen = s
    total = 0.0
    while total < limit:
        total += before.sum()
        s = s + 1
        before, seen = seen, jnp.concatenate([s, s * 2])
    return total


@program((START, ACTIONS, LOW), (START, ACTIONS, MIDDLE), (START, ACTIONS, HIGH), transforms=("vmap",))
def the_observation_before_the_last_read_after_the_loop(s, actions, limit):
    before = seen = s
    total = 0.0
    for a in actions:
        s = s + a
        before, seen = seen, jnp.concatenate([s, s * 2])
        if s[0] > limit:
            continue
        total += before.sum()
    return before, seen, total


@program((START, ACTIONS, LOW), (START, ACTIONS, MIDDLE), (START, ACTIONS, HIGH), transforms=("vmap",))
def a_jump_on_either_side(s, actions, limit):
    seen, total, going = s, 0.0, False
    for a in actions:
        if a[0] > limit:
            return total * 2
        total += seen.sum()
        seen = jnp.concatenate([s, a * 2])
        if not going:  # known
            break
    return total


@program((START, ACTIONS, LOW), (START, ACTIONS, MIDDLE), (START, ACTIONS, HIGH), transforms=("vmap",))
def two_jumps_of_which_one_reads_it(s, actions, limit):
    seen, total = s, 0.0
    for a in actions:
        total += seen.sum()
        if a[1] < 0:
            seen = jnp.concatenate([s, a])
            continue
        if total > limit:
            break
        seen = jnp.concatenate([s, a * 2])
    return total
