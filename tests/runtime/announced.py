"""Writes to objects and containers, announced to the journal as converted code does it."""

from autograph.runtime.heap import journal


def write(obj, name, value):
    journal.touch_attribute(obj, name)
    setattr(obj, name, value)


def put(items, key, value):
    journal.touch_container(items)
    items[key] = value


def append(items, value):
    journal.touch_container(items)
    items.append(value)
