"""Mutated files: each is loaded, or refused as documented, and takes no memory above twice its size.

`python -m tests.saved.mutations --count 10000` searches for a file that does otherwise. Some mutants have the checksums of what was
mutated (`resealed`), as a hostile file has: then only what is checked after the checksums stands between it and JAX.
"""

from __future__ import annotations

import argparse
import collections
import copy
import json
import random
import tempfile
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax.numpy as jnp

import autograph as ag
from autograph.saved import container, loader
from tests.saved.examples import EXAMPLES, Account

ALLOWANCE = 1 << 19
"""What a file may take beyond twice its size: Python's and JAX's objects for what a small file says."""

STRANGE: Sequence[Any] = (
    None, True, -1, 0, 1, 2**31, 10**30, 1e308, "", "*", "key<fry>[]", "float32[9999999999]", "a" * 5000, [], {}, [[]],
    {"literal": []}, {"tuple": [["*"]]}, {"dict": [[[], "*"]]}, {"float": "nan"}, {"complex": ["0x1p0"]}, [[0, "x"]],
)  # fmt: skip
TYPES = (
    "float32[(b+c)^9]",
    "float32[b^99]",
    "float32[b,b+1]",
    "object[2]",
    "void[]",
    "f[",
    "~~float32[]",
    "float32[-1]",
    "int32[]",
)


def files(folder: Path) -> list[bytes]:
    """The files that are mutated: those of the examples, and one of some size."""
    for example in EXAMPLES[:6]:
        ag.save(example.fn, folder / example.name, signatures=example.signatures, vjp_order=example.vjp_order)
    ag.save(Account(1.0), folder / "account")
    big = Account(1.0)
    (entry,) = big.__saved_entries__(["cpu"])
    state = {"weights": jnp.ones((512, 512)), **entry.state}
    data = container.content("big", "", [entry, entry])
    header, sections = parts(data)
    header["state"].append({"name": "weights", "type": "float32[512,512]", "section": len(sections)})
    sections.append(bytes(state["weights"].nbytes))
    return [path.read_bytes() for path in sorted(folder.iterdir())] + [container.assembled(header, sections)]


def parts(data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """The header of a sound file, without the list of its sections, and these."""
    header, sections = loader._parts(memoryview(data))
    header.pop("sections")
    return header, [bytes(section) for section in sections]


def changed_bytes(data: bytes, pick: random.Random) -> bytes:
    """Bytes that are replaced, left out, repeated or moved."""
    kind = pick.randrange(7)
    start = pick.randrange(len(data) + 1) if pick.random() < 0.5 else pick.randrange(min(len(data), 600) + 1)
    stop = min(len(data), start + pick.choice((1, 1, 2, 8, 100, 5000)))
    if kind == 0:
        return data[:start]
    if kind == 1:
        return data[:start] + data[stop:]
    if kind == 2:
        return data[:stop] + data[start:]
    if kind == 3:
        return data[:start] + pick.randbytes(stop - start) + data[stop:]
    if kind == 4:
        return data[:start] + bytes(stop - start) + data[stop:]
    if kind == 5:
        return data[:start] + pick.randbytes(pick.choice((1, 50, 1000))) + data[start:]
    flipped = bytearray(data)
    for _ in range(pick.choice((1, 1, 3))):
        if flipped:
            flipped[pick.randrange(min(len(flipped), 64) if pick.random() < 0.5 else len(flipped))] ^= (
                1 << pick.randrange(8)
            )
    return bytes(flipped)


def resealed_header(data: bytes, pick: random.Random) -> bytes:
    """The string of the header is changed, and its length and checksum with it."""
    length = loader.PREFIX.unpack(data[: loader.PREFIX.size])[2]
    text = changed_bytes(data[loader.PREFIX.size :][:length], pick)
    return sealed(text, data[loader.PREFIX.size + length :])


def sealed(text: bytes, rest: bytes) -> bytes:
    """A file with a right checksum of any string."""
    prefix = loader.PREFIX.pack(loader.MAGIC, loader.VERSION, len(text), b"")[:16]
    return prefix + container.hashlib.sha256(prefix + text).digest() + text + rest


def resealed_values(data: bytes, pick: random.Random) -> bytes:
    """Some values in the header, or sections, are replaced; all checksums are right."""
    header, sections = parts(data)
    for _ in range(pick.choice((1, 1, 1, 2, 4))):
        if pick.random() < 0.15 and sections:
            at = pick.randrange(len(sections))
            sections[at] = changed_bytes(sections[at], pick)
            continue
        node: Any = header
        while True:
            places = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not places:
                break
            place = pick.choice(places)
            if isinstance(node[place], dict | list) and node[place] and pick.random() < 0.85:
                node = node[place]
                continue
            if pick.random() < 0.2:
                del node[place]
            else:
                among = TYPES if isinstance(node[place], str) and pick.random() < 0.5 else STRANGE
                node[place] = copy.deepcopy(pick.choice(among))
            break
    return container.assembled(header, sections)


def bombs(data: bytes) -> dict[str, bytes]:
    """Files that would grow, each with right checksums."""
    header, sections = parts(data)
    text = json.dumps({**header, "sections": []}).encode()
    first = header["signatures"][0]
    far = loader.LARGEST_HEADER
    program = {**first["program"], "inputs": [f"float32[{i}]" for i in range(20_000)]}
    return {
        "a header of 4 GiB": data[:12] + b"\xff\xff\xff\xff" + data[16:],
        "a million lists": sealed(b'{"doc":[' + b"[]," * 300_000 + b"[]]}", b""),
        "as many as are allowed": sealed(b'{"doc":[' + b"{}," * 24_000 + b"{}]," + text[1:], b""),
        "a header nested deeply": sealed(b'{"doc":' + b"[" * 45_000 + b"]" * 45_000 + b"}", b""),
        "a header nested a hundred deep": sealed(b'{"doc":' + b"[" * 100 + b"]" * 100 + b"}", b""),
        "a long text": sealed(b'{"doc":"' + b"a" * (far - 100) + b'"}', b""),
        "a long text of wide characters": sealed(b'{"doc":"' + b"a" * (far - 100) + b'\\ud83d\\ude00"}', b""),
        "a long number": sealed(b'{"doc":' + b"9" * (far - 100) + b"}", b""),
        "a program used by a thousand signatures": container.assembled(
            {**header, "signatures": [first] * 1000}, sections
        ),
        "arguments of many types": container.assembled(
            {**header, "signatures": [{**first, "program": program}]}, sections
        ),
        "a section of a huge length": sealed(json.dumps({**header, "sections": [[10**18, "0" * 64]]}).encode(), b""),
        "an array of a huge shape": container.assembled(
            {**header, "state": [{"name": "w", "type": f"float32[{10**15}]", "section": 0}]}, sections
        ),
        "path names": container.assembled({**header, "name": "../../etc/passwd", "doc": "/dev/zero"}, sections),
    }


def load(data: bytes, folder: Path) -> tuple[str, int]:
    """How a file ends, `loaded` or the message of its error, and what it takes at most."""
    path = folder / "mutant.ag"
    path.write_bytes(data)
    tracemalloc.start()
    try:
        loaded = ag.load(path)
        repr(loaded), loaded.state
        outcome = "loaded"
    except loader.SavedFileError as error:
        outcome = str(error).partition("mutant.ag: ")[2]
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return outcome, peak


MUTATIONS: Sequence[Callable[[bytes, random.Random], bytes]] = (
    changed_bytes,
    resealed_header,
    resealed_values,
    resealed_values,
)


def search(count: int, seed: int) -> collections.Counter[str]:
    """Loads mutants; raises `AssertionError` where one takes too much, and whatever one raises that is not documented."""
    pick = random.Random(seed)
    found: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sound").mkdir()
        originals = files(folder / "sound")
        for data in originals:
            outcome, peak = load(data, folder)
            assert outcome == "loaded" and peak <= 2 * len(data) + ALLOWANCE, (outcome, peak, len(data))
        for number in range(count):
            mutation = MUTATIONS[number % len(MUTATIONS)]
            data = mutation(pick.choice(originals), pick)
            outcome, peak = load(data, folder)
            assert outcome != "loaded" or mutation is not changed_bytes or data in originals, (
                f"mutant {number} is loaded"
            )
            assert peak <= 2 * len(data) + ALLOWANCE, f"mutant {number} of {len(data)} bytes takes {peak}: {outcome}"
            found[f"{mutation.__name__}: {'loaded' if outcome == 'loaded' else 'refused'}"] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    found = search(arguments.count, arguments.seed)
    for kind, number in sorted(found.items()):
        print(f"{number:6} {kind}")
    print(f"{sum(found.values())} mutated files: none raised another error or took more than twice its size")


if __name__ == "__main__":
    main()
