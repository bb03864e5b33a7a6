"""How many bytes watched capsules keep together: each byte counted once, against a set of addresses."""

import random
import unittest

from dlscope._host_questions import _bytes_of


def capsule(begin, count, step=1, size=4, device="cpu"):
    """(the capsule as it is told, the addresses of its bytes)"""
    begins = [begin + i * step * size for i in range(count)]
    extent = [begins[0], begins[-1] + size] if count else [begin, begin]
    return {"extent": extent, "bytes": count * size, "device": device}, {(device, at + i) for at in begins for i in range(size)}


class CapsuleBytes(unittest.TestCase):
    def check(self, *made):
        every = set().union(*(places for _, places in made)) if made else set()
        kept, at_most = _bytes_of([told for told, _ in made])
        if at_most:
            self.assertGreaterEqual(kept, len(every))
        else:
            self.assertEqual(kept, len(every))

    def test_what_meets(self):
        whole, part, beside = capsule(4096, 1024), capsule(5000, 10), capsule(9000, 3)
        self.assertEqual(_bytes_of([whole[0]] * 3), (4096, False), "three capsules of the same 4 KiB")
        self.check(whole, whole, part, beside)
        self.check(capsule(0, 0), capsule(4096, 0))
        self.check()
        self.check(capsule(4096, 8), capsule(4096, 8, device="cuda:0"))
        self.check(capsule(4096, 8, step=2))
        self.assertEqual(_bytes_of([capsule(4096, 8, step=2)[0], whole[0]]), (4096, False))

    def test_any(self):
        random.seed(3)
        exact = 0
        for _ in range(3000):
            made = [capsule(random.randrange(0, 200, 4), random.randrange(0, 12), random.choice([1, 1, 1, 2, 3]),
                            device=random.choice(["cpu", "cuda:0"])) for _ in range(random.randrange(1, 6))]
            self.check(*made)
            exact += not _bytes_of([told for told, _ in made])[1]
        self.assertGreater(exact, 500)


if __name__ == "__main__":
    unittest.main()
