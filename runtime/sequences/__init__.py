"""Sequences at traced positions: ranges, iterables, lists of bounded length, items of arrays, comparisons."""
