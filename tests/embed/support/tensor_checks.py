"""What the library tests share: facts a library tells about its own tensors, and sharing worked out by brute force."""

import importlib
import itertools
import os
import sys
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def require(name):
    """Imports a library; a missing one skips the whole script, with the reason."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"SKIP: {name} cannot be imported: {error}")
        sys.exit(77)


def address(text):
    return None if text is None else int(text, 16)


def offsets(shape, strides_bytes):
    """Byte offsets of all elements, in C order."""
    for index in itertools.product(*(range(n) for n in shape)):
        yield sum(i * s for i, s in zip(index, strides_bytes))


def byte_set(record):
    """Every byte a record's tensor touches, by enumeration."""
    if record["elements"] == 0:
        return set()
    start, item = address(record["address"]), record["dtype"]["bits"] * record["dtype"]["lanes"] // 8
    return {start + o + k for o in offsets(record["shape"], record["strides_bytes"]) for k in range(item)}


def relation(a, b):
    """(relation, shared bytes) of two records by enumeration; None where the report lists no pair."""
    x, y = byte_set(a), byte_set(b)
    if not x or not y:
        return None
    if max(x) < min(y) or max(y) < min(x):
        return None
    both = len(x & y)
    if x == y:
        return "identical", both
    if x > y:
        return "contains", both
    if x < y:
        return "contained", both
    return ("overlaps", both) if both else ("interleaved", 0)


class TensorTest(unittest.TestCase):
    maxDiff = None

    def assert_record(self, record, *, address, shape, strides_bytes, itemsize, **facts):
        """The record says what the library says, and what follows from it."""
        self.assertEqual(record["shape"], list(shape))
        self.assertEqual(int(record["address"], 16), address)
        self.assertEqual(int(record["data"], 16) + record["byte_offset"], address)
        count = 1
        for n in shape:
            count *= n
        self.assertEqual(record["elements"], count)
        self.assertEqual(record["nbytes"], count * itemsize)
        if count > 0:
            # Sizes of 1 and 0 leave a stride meaningless; libraries normalise it differently.
            told = [s for s, n in zip(record["strides_bytes"], shape) if n > 1]
            self.assertEqual(told, [s for s, n in zip(strides_bytes, shape) if n > 1])
            touched = list(offsets(shape, strides_bytes))
            begin, end = address + min(touched), address + max(touched) + itemsize
            self.assertEqual((int(record["extent"]["begin"], 16), int(record["extent"]["end"], 16)), (begin, end))
            self.assertEqual(record["strides"], [s // itemsize for s in record["strides_bytes"]])
        for name, value in facts.items():
            where = record["flags"] if name in ("read_only", "is_copied", "subbyte_padded") else record
            told = where[name]["name"] if name in ("dtype", "device") and told_is_dict(where[name]) else where[name]
            self.assertEqual(told, value, name)

    def assert_pairs_by_brute_force(self, report):
        """Every pair of host tensors in the report equals enumeration, and none is missing."""
        host = [t for t in report["tensors"] if t["space"] == "host" and t["elements"] is not None and t["shape"] is not None]
        listed = {(p["a"], p["b"]): p for p in report["sharing"]}
        for a, b in itertools.combinations(host, 2):
            expected = relation(a, b)
            pair = listed.pop((a["id"], b["id"]), None)
            words = f"{a['name']} and {b['name']}"
            if expected is None:
                self.assertIsNone(pair, words)
                continue
            self.assertIsNotNone(pair, words)
            self.assertEqual((pair["relation"], pair["shared_bytes"]), expected, words)
            if expected[1]:
                lowest = min(byte_set(a) & byte_set(b))
                self.assertEqual(int(pair["witness"]["address"], 16), lowest, words)
            else:
                self.assertIsNone(pair["witness"], words)
        self.assertEqual(listed, {}, "pairs nobody can explain")

    def codes(self, record):
        return [remark["code"] for remark in record["problems"] + record["notes"]]


def told_is_dict(value):
    return isinstance(value, dict)


def by_name(report):
    return {name: t for t in report["tensors"] for name in t["names"]}


def main():
    unittest.main(verbosity=2)
