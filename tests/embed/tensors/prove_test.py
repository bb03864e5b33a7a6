"""dlscope.prove: the verdict on a chain of hand-overs, against memory whose sharing is known, and the write probe's rules."""

import ctypes
import mmap
import os
import tempfile
import unittest
from multiprocessing import shared_memory

import dlscope
from ctypes_producer import Deleter, Producer


def step_of(proof):
    assert len(proof["steps"]) == 1, proof
    return proof["steps"][0]


class Exporter:
    def __init__(self, address, shape, strides, read_only=False):
        self.__array_interface__ = {"version": 3, "typestr": "|u1", "shape": shape, "strides": strides, "data": (address, read_only)}


class Recycling:
    """Exports a copy each time, in the block of memory that the last freed copy left, as malloc would give it."""

    free = []

    def __init__(self, flags=0):
        self.flags = flags

    def __dlpack__(self, **_keywords):
        block = Recycling.free.pop() if Recycling.free else (ctypes.c_char * 4096)()
        copy = Producer(data=ctypes.addressof(block), flags=self.flags)
        copy._delete = lambda _address: Recycling.free.append(block)
        copy._deleter = Deleter(copy._delete)
        copy.struct.deleter = ctypes.cast(copy._deleter, ctypes.c_void_p).value
        alive.append(list(vars(copy).values()))  # not the producer: a scan of the names would ask it
        return copy.capsule()

    def __dlpack_device__(self):
        return (1, 0)


alive = []  # the structs: their deleters only free the block


class Prove(unittest.TestCase):
    KEYS = {"from", "to", "verdict", "relation", "shared_bytes", "from_address", "to_address", "probe", "writability", "why", "evidence"}
    SIDE = {"library", "version", "dtype", "protocol", "capsule", "given_by", "dlpack_version", "extent", "flags", "unknown_flags",
            "hash_before", "hash_after"}

    def test_the_same_object_twice(self):
        memory = bytearray(16)
        step = step_of(dlscope.prove(memory, memory))
        self.assertEqual((step["verdict"], step["relation"]), ("SHARED", "identical"))
        self.assertIn("both are the same object, so nothing was handed over", step["why"])
        self.assertNotIn("same object", step_of(dlscope.prove(memory, memoryview(memory)))["why"])
        other = Recycling()  # gives a copy to everyone who asks
        step = step_of(dlscope.prove(other, other))
        self.assertEqual(step["verdict"], "COPIED")
        self.assertNotIn("same object", step["why"])

    def test_verdicts(self):
        memory = bytearray(range(16))
        view = memoryview(memory)
        for first, second, verdict, relation, shared in (
                (memory, view, "SHARED", "identical", 16), (view, view[4:8], "SHARED", "contains", 4),
                (view[::2], view, "SHARED", "contained", 8), (view[:8], view[4:], "PARTLY SHARED", "overlaps", 4),
                (view[::2], view[1::2], "COPIED", "interleaved", 0),
                (view[:8], view[8:], "COPIED", "disjoint", 0), (memory, bytearray(memory), "COPIED", "disjoint", 0)):
            for probe in (False, True):
                with self.subTest(relation, probe=probe):
                    proof = dlscope.prove(first, second, probe=probe)
                    step = step_of(proof)
                    self.assertEqual(set(step), self.KEYS)
                    self.assertEqual([set(side) for side in step["evidence"]], [self.SIDE] * 2)
                    self.assertEqual((proof["verdict"], step["verdict"]), (verdict, verdict))
                    self.assertEqual((step["relation"], step["shared_bytes"]), (relation, shared))
                    self.assertEqual(step["probe"], "confirmed" if probe else "not_armed", step["why"])
                    self.assertEqual(step["writability"], ["yes", "yes"])
                    self.assertEqual(int(step["from_address"], 16), dlscope.asdlpack(first).data_ptr())
        self.assertEqual(memory, bytearray(range(16)), "the probe put everything back")

    def test_a_chain(self):
        memory = bytearray(8)
        tensor = dlscope.asdlpack(memory)
        proof = dlscope.prove(memory, tensor, dlscope.from_dlpack(tensor), memoryview(tensor), probe=True)
        self.assertEqual((proof["verdict"], len(proof["steps"])), ("SHARED", 3))
        self.assertEqual([step["probe"] for step in proof["steps"]], ["confirmed"] * 3)
        self.assertEqual((proof["steps"][0]["from"], proof["steps"][0]["to"]), ("bytearray", "dlscope.Tensor"))
        broken = dlscope.prove(memory, tensor, dlscope.copy(tensor), tensor)
        self.assertEqual((broken["verdict"], [s["verdict"] for s in broken["steps"]]), ("COPIED", ["SHARED", "COPIED", "COPIED"]))
        view = memoryview(memory)
        apart = dlscope.prove(memory, view[:4], view[4:])
        self.assertEqual((apart["verdict"], [s["verdict"] for s in apart["steps"]]), ("COPIED", ["SHARED", "COPIED"]))
        self.assertIn("two parts of one allocation", apart["steps"][1]["why"])
        self.assertEqual(dlscope.prove(view[:4], view[4:], dlscope.copy(view))["verdict"], "COPIED")
        partly = dlscope.prove(memory, memoryview(memory)[:4], memoryview(memory)[2:])
        self.assertEqual(partly["verdict"], "PARTLY SHARED")

    def test_what_is_not_known(self):
        memory = bytearray(8)
        for other, words in ((bytearray(), "no bytes"), (Producer(data=None), "NULL"), (Producer(device=(8, 0), claims=(8, 0)), "address")):
            with self.subTest(words):
                proof = dlscope.prove(memory, other, probe=True)
                self.assertEqual((proof["verdict"], step_of(proof)["probe"]), ("UNKNOWN", "not_armed"))
                self.assertIn(words, step_of(proof)["why"])
        self.assertEqual(dlscope.prove(memory, bytearray(), bytearray(8))["verdict"], "UNKNOWN")

    def test_who_must_not_be_written(self):
        memory = bytearray(b"abcd")
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        for read_only in (b"abcd", memoryview(memory).toreadonly(), Exporter(address, (4,), (1,), True), Producer(flags=1)):
            step = step_of(dlscope.prove(read_only, dlscope.asdlpack(read_only), probe=True))
            self.assertEqual((step["verdict"], step["probe"]), ("SHARED", "not_writable"))
            self.assertIn("no", step["writability"])
        # It says it may be written; the map of addresses says it may not.
        pages = mmap.mmap(-1, 4096, prot=mmap.PROT_READ)
        lying = Exporter(dlscope.asdlpack(pages).data_ptr(), (4,), (1,))
        step = step_of(dlscope.prove(lying, dlscope.asdlpack(lying), probe=True))
        self.assertEqual((step["verdict"], step["probe"]), ("SHARED", "not_writable"))

    def test_memory_that_somebody_else_must_not_see_changed(self):
        """The tensors of the step may be written; the byte is also that of another tensor of the proof that must not be."""
        fixed, objects = b"abcdefgh", (ctypes.py_object * 4)(*range(4))
        for owner, probe, words in ((fixed, "not_writable", "immutable"), (objects, "not_armed", "Python objects")):
            with self.subTest(words):
                address = dlscope.asdlpack(owner).data_ptr() if owner is fixed else ctypes.addressof(objects)
                before = ctypes.string_at(address, 8)
                view, part = Exporter(address, (8,), (1,)), Exporter(address + 2, (4,), (1,))
                steps = dlscope.prove(owner, view, part, probe=True)["steps"]
                self.assertEqual([step["verdict"] for step in steps], ["SHARED"] * 2)
                self.assertEqual([step["probe"] for step in steps][1], probe, steps[1]["why"])
                self.assertNotEqual(steps[0]["probe"], "confirmed")
                self.assertIn(words, steps[1]["why"])
                self.assertEqual(ctypes.string_at(address, 8), before)
                alone = step_of(dlscope.prove(Exporter(address, (8,), (1,)), bytearray(8)))
                self.assertEqual((alone["verdict"], alone["probe"]), ("COPIED", "not_armed"))
        memory = bytearray(8)
        step = dlscope.prove(memoryview(memory).toreadonly(), memory, memoryview(memory)[2:], probe=True)["steps"][1]
        self.assertEqual(step["probe"], "confirmed", "a read-only view of memory that may be written forbids nothing")

    def test_a_private_mapping_stays_the_files_own(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(bytes(8192))
            file.flush()
            private = mmap.mmap(file.fileno(), 8192, access=mmap.ACCESS_COPY)
            for pair in ((private, memoryview(private)[:64]), (private, bytearray(8))):
                step = step_of(dlscope.prove(*pair, probe=True))
                self.assertEqual(step["probe"], "not_armed", step["why"])
                self.assertIn("a write would detach its page from the file", step["why"])
            os.pwrite(file.fileno(), b"x", 5)
            self.assertEqual(private[5:6], b"x", "it still follows the file")
            private[0] = 1  # now the page is the process's own
            step = step_of(dlscope.prove(private, memoryview(private)[:64], probe=True))
            self.assertEqual(step["probe"], "confirmed", step["why"])
            step = step_of(dlscope.prove(memoryview(private)[4096:], memoryview(private)[4096:4200], probe=True))
            self.assertEqual(step["probe"], "not_armed", "its other page is still the file's")

    def test_a_write_into_a_shared_mapping_changes_the_files_time(self):
        memory = os.memfd_create("pages")
        os.ftruncate(memory, 4096)
        self.addCleanup(os.close, memory)
        with tempfile.NamedTemporaryFile() as file:
            file.write(bytes(4096))
            file.flush()
            for descriptor, said in ((file.fileno(), True), (memory, False)):
                mapped = mmap.mmap(descriptor, 4096)
                step = step_of(dlscope.prove(mapped, memoryview(mapped)[:64], probe=True))
                self.assertEqual((step["probe"], "modification time" in step["why"]), ("confirmed", said))
                self.assertNotIn("modification time", step_of(dlscope.prove(mapped, memoryview(mapped)[:64]))["why"])

    def test_a_legacy_capsule_does_not_say_whether_it_may_be_written(self):
        legacy = Producer(versioned=False)
        step = step_of(dlscope.prove(legacy, legacy.memory, probe=True))
        self.assertEqual((step["verdict"], step["probe"], step["writability"]), ("SHARED", "not_writable", ["unknown", "yes"]))
        self.assertIn("does not say whether it may be written", step["why"])

    def test_a_tensor_made_of_a_legacy_capsule_does_not_say_it_either(self):
        """What it hands out is a versioned capsule without READ_ONLY, from which "may be written" was read."""
        legacy = Producer(versioned=False)
        tensor = dlscope.from_dlpack(legacy.capsule())
        self.assertEqual((tensor.read_only, tensor.writability), (None, "unknown"))
        before = bytes(legacy.memory)
        step = step_of(dlscope.prove(tensor, legacy.memory, probe=True))
        self.assertEqual((step["verdict"], step["probe"], step["writability"]), ("SHARED", "not_writable", ["unknown", "yes"]))
        self.assertEqual((bytes(legacy.memory), step["evidence"][0]["hash_before"]), (before, None))
        for record in (dlscope.describe(tensor), next(t for t in dlscope.report({"t": tensor})["tensors"])):
            self.assertIsNone(record["flags"]["read_only"])
        self.assertIs(dlscope.describe(dlscope.from_dlpack(Producer()))["flags"]["read_only"], False)

    def test_memory_of_the_process_is_not_called_device_memory(self):
        for claims in ((2, 0), (1, 0)):
            record = dlscope.describe(Producer(device=(2, 0), claims=claims))
            self.assertEqual({problem["code"] for problem in record["problems"]}, {"device_mismatch"})
            self.assertNotIn("device_memory_not_read", [note["code"] for note in record["notes"]])

    def test_probe_is_a_bool(self):
        memory = bytearray(4)
        for wrong in ("no", "", 0, 1, [], 1.0):
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, "probe is True or False"):
                dlscope.prove(memory, memory, probe=wrong)
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, "exact is True or False"):
                dlscope.stats(memory, exact=wrong)
        self.assertEqual(step_of(dlscope.prove(memory, memory, probe=None))["probe"], "not_armed")

    def test_who_lies_about_where_its_memory_is(self):
        """Named, with the verdict unknown, and nothing is read or written through what it said."""
        memory = bytearray(8)
        page = mmap.mmap(-1, 3 * mmap.PAGESIZE)
        start = dlscope.asdlpack(page).data_ptr()
        libc = ctypes.CDLL(None, use_errno=True)
        self.assertEqual(libc.mprotect(ctypes.c_void_p(start + mmap.PAGESIZE), mmap.PAGESIZE, 0), 0)
        self.addCleanup(libc.mprotect, ctypes.c_void_p(start + mmap.PAGESIZE), mmap.PAGESIZE, 3)
        for words, liar in (
                ("no driver of such a device is loaded", Producer(device=(2, 0), claims=(2, 0))),  # both answers agree, the memory does not
                ("__dlpack_device__ says cuda:0", Producer(claims=(2, 0))),
                ("__dlpack_device__ says cpu", Producer(device=(2, 0))),
                ("described as cuda:1, but __dlpack_device__ says cuda:0", Producer(device=(2, 1), claims=(2, 0))),
                ("not all mapped for reading", Producer(data=start, byte_offset=mmap.PAGESIZE + 8)),  # an offset view beyond its pages
                ("NULL", Producer(data=None)),
                ("not all mapped for reading", Producer(data=64))):
            for pair in ((liar, memory), (memory, liar), (liar, liar)):
                with self.subTest(words):
                    proof = dlscope.prove(*pair, probe=True)
                    step = step_of(proof)
                    self.assertEqual((proof["verdict"], step["probe"], step["shared_bytes"]), ("UNKNOWN", "not_armed", None))
                    self.assertIn(words, step["why"])
                    self.assertIn("the second" if pair[0] is memory else "the first", step["why"])
        self.assertEqual(memory, bytearray(8))

        for liar in (Producer(device=(2, 0), claims=(2, 0)), Producer(device=(2, 0))):
            for pair in ((liar, liar.memory), (liar.memory, liar)):
                with self.assertRaisesRegex(ValueError, "is not where its producer says"):
                    dlscope.shares_memory(*pair)
                self.assertEqual(dlscope.overlap(*pair)["reason"], "device_contradicted")
        pinned = Producer(device=(3, 0))  # two names for host memory
        self.assertFalse(dlscope.shares_memory(pinned, memory))
        self.assertTrue(dlscope.shares_memory(pinned, pinned.memory))

    def test_copies_in_memory_that_was_freed(self):
        """Two copies must not be taken for the same memory because one is in the block that the other has left."""
        first, second = Recycling(), Recycling()
        self.assertEqual(dlscope.describe(first)["data"], dlscope.describe(second)["data"])
        self.assertFalse(dlscope.shares_memory(first, second))
        self.assertEqual(dlscope.overlap(first, second)["relation"], "disjoint")
        for probe in (False, True):
            self.assertEqual(dlscope.prove(first, second, probe=probe)["verdict"], "COPIED")
        self.assertGreaterEqual(len(Recycling.free), 2, "every export was given back")

    def test_a_producer_that_says_it_made_a_copy(self):
        memory = (ctypes.c_char * 4096)()
        place = ctypes.addressof(memory)
        pairs = ((Producer(flags=2, data=place), Producer(flags=2, data=place)), (Recycling(2), Recycling(2)),
                 (Producer(flags=2, data=place), memory), (memory, Producer(flags=2, data=place)))
        for first, second in pairs:
            step = step_of(dlscope.prove(first, second, probe=True))
            self.assertEqual((step["verdict"], step["shared_bytes"], step["probe"]), ("UNKNOWN", None, "not_armed"))
            self.assertIn("hands over a copy of its bytes", step["why"])
            with self.assertRaisesRegex(ValueError, "hands over a copy of its bytes"):
                dlscope.shares_memory(first, second)
        report = dlscope.report({"first": pairs[0][0], "second": pairs[0][1], "memory": memory})
        self.assertEqual(report["sharing"], [])
        for record in (each for each in report["tensors"] if each["name"] in ("first", "second", "memory")):
            told = [note["code"] for note in record["notes"]]
            self.assertEqual((record["readable"], "copied_for_export" in told), (record["name"] == "memory", record["name"] != "memory"))
        # A capsule that the user holds keeps its copy alive, and a tensor that dlscope holds does too.
        capsule = pairs[0][0].capsule()
        self.assertTrue(dlscope.shares_memory(capsule, memory))
        held = dlscope.from_dlpack(pairs[0][0])
        self.assertTrue(held.is_copied)
        self.assertTrue(dlscope.shares_memory(held, memory))
        self.assertEqual(dlscope.stats(pairs[0][1])["zero"], 6, "its values can be read while the export is held")

    def test_two_mappings_of_the_same_pages(self):
        file = os.memfd_create("pages")
        os.ftruncate(file, 8192)
        first, second = mmap.mmap(file, 8192), mmap.mmap(file, 8192)
        proof = dlscope.prove(first, second, probe=True)
        step = step_of(proof)
        self.assertEqual((proof["verdict"], step["relation"], step["shared_bytes"], step["probe"]), ("SHARED", "identical", 8192, "confirmed"))
        self.assertIn("two mappings of the same pages", step["why"])
        part = mmap.mmap(file, 4096, offset=4096)
        self.assertEqual(step_of(dlscope.prove(first, part, probe=True))["relation"], "contains")
        self.assertEqual(dlscope.prove(memoryview(first)[:4096], part)["verdict"], "COPIED")
        other = os.memfd_create("pages")  # the same name, another file
        os.ftruncate(other, 8192)
        self.assertEqual(dlscope.prove(first, mmap.mmap(other, 8192), probe=True)["verdict"], "COPIED")
        private = mmap.mmap(file, 8192, flags=mmap.MAP_PRIVATE)
        proof = dlscope.prove(first, private, probe=True)
        self.assertEqual((proof["verdict"], step_of(proof)["shared_bytes"], step_of(proof)["probe"]), ("UNKNOWN", None, "not_armed"))
        self.assertIn("private page", step_of(proof)["why"])
        second.madvise(mmap.MADV_RANDOM, 0, 4096)  # the kernel splits the mapping
        self.assertEqual(step_of(dlscope.prove(first, second, probe=True))["relation"], "identical")
        self.assertEqual(step_of(dlscope.prove(second, part, probe=True))["relation"], "contains")
        self.assertEqual(dlscope.prove(memoryview(second)[:4096], part)["verdict"], "COPIED")

    def test_two_mappings_of_the_same_pages_share_them(self):
        block = shared_memory.SharedMemory(create=True, size=8192)
        again = shared_memory.SharedMemory(name=block.name)
        try:
            self.assertTrue(dlscope.shares_memory(block.buf, again.buf))
            found = dlscope.overlap(block.buf[4096:], again.buf)
            self.assertEqual((found["relation"], found["shared_bytes"]), ("contained", block.size - 4096))
            self.assertEqual(int(found["witness"]["b_address"], 16) - dlscope.asdlpack(again.buf).data_ptr(), 4096)
            self.assertFalse(dlscope.shares_memory(block.buf[:4096], again.buf[4096:]))
        finally:
            again.close()
            block.close()
            block.unlink()

    def test_pages_of_a_file_in_pieces_that_do_not_join(self):
        file = os.memfd_create("pages")
        os.ftruncate(file, 8192)
        whole, target = mmap.mmap(file, 8192), mmap.mmap(-1, 8192)
        start = dlscope.asdlpack(target).data_ptr()
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
        fixed_shared = 0x11
        self.assertEqual(libc.mmap(start, 4096, 3, fixed_shared, file, 4096), start)  # the file's last page comes first
        self.assertEqual(libc.mmap(start + 4096, 4096, 3, fixed_shared, file, 0), start + 4096)
        for pair in ((whole, target), (target, whole)):
            step = step_of(dlscope.prove(*pair, probe=True))
            self.assertEqual((step["verdict"], step["probe"]), ("UNKNOWN", "not_armed"))
            self.assertIn("parts of both are mapped from the same pages", step["why"])
        self.assertEqual(step_of(dlscope.prove(memoryview(whole)[4096:], memoryview(target)[:4096], probe=True))["verdict"], "SHARED")
        self.assertEqual(dlscope.prove(memoryview(whole)[:4096], memoryview(target)[:4096])["verdict"], "COPIED")

    def test_the_probe_reads_one_element_and_not_the_extent(self):
        file = os.memfd_create("sparse")
        self.addCleanup(os.close, file)
        os.ftruncate(file, 1 << 26)
        column = memoryview(mmap.mmap(file, 1 << 26))[::1 << 20]
        proof = dlscope.prove(column, column[:], probe=True)
        self.assertEqual((proof["verdict"], step_of(proof)["probe"]), ("SHARED", "confirmed"))
        self.assertLess(os.fstat(file).st_blocks * 512, 1 << 24, "reading a page of the file's hole would allocate it")

    def test_arguments(self):
        for wrong in ((), (b"a",)):
            with self.assertRaises(ValueError):
                dlscope.prove(*wrong)
        with self.assertRaises(TypeError):
            dlscope.prove(b"a", b"b", armed=True)
        with self.assertRaises(TypeError):
            dlscope.prove(b"a", 3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
