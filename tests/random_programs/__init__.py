"""Random small programs, compared with plain Python: `python -m tests.random_programs --count 2000 --seed 0`.

`grammar` writes the source of a program, `execution` runs it plainly and under `ag.jit` and says how the two compare,
`shrinking` makes a failing program small, `search` does this for many programs and prints the table.
"""
