"""Sets of names as integers."""

from autograph.analyses.bits import ALL, Bits


def test_sets() -> None:
    bits = Bits()
    some, other = bits.mask(["b", "a", "b"]), bits.mask({"c", "a"})
    assert bits.names(some | other) == ["a", "b", "c"]
    assert bits.names(some & other) == ["a"]
    assert bits.names(some & ~other) == ["b"]
    assert bits.mask([]) == 0 and bits.names(0) == []


def test_a_name_keeps_its_bit() -> None:
    bits = Bits()
    assert bits.mask(["x"]) == bits.mask(iter(["x"])) != bits.mask(["y"])


def test_all() -> None:
    bits = Bits()
    mask = bits.mask(["x", "y"])
    assert ALL & mask == mask and bits.names(ALL & ~bits.mask(["x"]) & mask) == ["y"]


def test_thousands_of_names() -> None:
    bits = Bits()
    names = [f"v{i:04}" for i in range(5000)]
    assert bits.names(bits.mask(names)) == names
