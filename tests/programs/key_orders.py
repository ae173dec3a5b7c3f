"""Dicts whose order of keys depends on a branch or a loop: all that gives one answer for every order."""

import jax

from tests.programs.harness import program


@program((1.5, 3), (0.5, 0), (2.5, 1))
def what_no_order_shows_in(x, n):
    d = {"x": x, "y": 2.0} if n > 1 else {"y": 3.0, "x": 4.0}
    d["y"] += 1.0
    known = "x" in d, len(d), "z" in d.keys(), len(d.items()), sorted(d), {"x", "y"} == set(d), d.get("x")
    return (
        d,
        known[0],
        known[1:4],
        known[4] == ["x", "y"],
        known[5:],
        [d[k] for k in sorted(d)],
        d == {"y": 3.0, "x": x},
    )


@program((1.5, 3), (0.5, 0), (2.5, 1))
def parameters_in_a_loop(x, n):
    params = {"w": x, "b": 1.0}
    for _ in range(n):
        slope = jax.grad(lambda p: (p["w"] * 2 + p["b"] - 1) ** 2)(params)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, slope)
    return params, jax.tree.leaves(params), list(jax.tree.map(lambda p: p + 1, params).values())


@program((1.5, 3), (0.5, 0))
def nested_and_joined_again(x, n):
    table = {"at": 0, "in": {"w": x, "b": 1.0}}
    while table["at"] < n:
        table["in"] = {"b": table["in"]["w"], "w": table["in"]["b"] + 1}
        table["at"] += 1
    if x > 1:
        table["in"] = {"w": table["in"]["b"], "b": 3.0}
    return table


@program((1.5, 3), (0.5, 0))
def copies_keep_what_is_known(x, n):
    d = {"x": x, "y": 2.0} if n > 1 else {"y": 3.0, "x": 4.0}
    more, same = {**d, "z": 1.0}, dict(d) | {"z": x}
    return more, same["x"], d.copy()["y"], len(more)


@program((1.5, 3), (0.5, 0))
def a_fresh_dict_has_its_own_order(x, n):
    d = {"x": x, "y": 2.0} if n > 1 else {"y": 3.0, "x": 4.0}
    d = {k: d[k] * 2 for k in ("y", "x")}
    first, second = d.values()
    return [*d.values()], first - 2 * second, list(d)[0] == "y"


@program((1.5, 3), (0.5, 0), (2.5, 1), transforms=("vmap",))
def dicts_of_one_order_that_is_not_sorted_keep_it(x, n):
    state = {"w": x, "b": 1.0} if n > 1 else {"w": 2.0, "b": x}
    for i in range(n):
        state = {"w": state["b"] + i, "b": state["w"]}
    if x > 1:
        state = {"w": state["b"], "b": 3.0}
    w, b = state.values()
    return list(state.values()), w - 2 * b


@program((2,), (-1,))
def values_written_in_a_branch_while_the_dict_is_iterated_over(n):
    d = {"a": 1, "b": 2, "c": 3}
    del d["a"]  # where it stood is empty now
    seen = 0
    for k in d:
        seen += 1
        if n > 0:
            d[k] = d[k] + n
    return d, seen


@program((2,), (-1,))
def values_written_while_views_and_sets_are_iterated_over(n):
    d, s, total = {"a": 1, "b": 2}, {1, 2, 3}, 0
    for i, (k, v) in enumerate(d.items()):
        if n > i:
            d[k] = v + n
            s.add(2)
        for element in s:
            if n > element:
                total += element
    return d, total
