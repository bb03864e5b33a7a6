"""The allocation that a tensor's memory is part of, as its library says it; and the note when a slice keeps a large one alive."""

import array
import ctypes
import gc
import mmap
import sys
import tempfile
import threading
import unittest

from tensor_checks import TensorTest, address, by_name, main, require

np = require("numpy")
import dlscope  # noqa: E402

MIB = 1 << 20


def import_or_none(name):
    try:
        return __import__(name, fromlist=["_"])
    except ImportError:
        return None


torch, pa, jnp = import_or_none("torch"), import_or_none("pyarrow"), import_or_none("jax.numpy")


def allocation_of(tensor):
    """(bytes, source, offset of the first element), or None."""
    record = dlscope.describe(tensor)
    whole = record["allocation"]
    if whole is None:
        return None
    begin = address(whole["begin"])
    return address(whole["end"]) - begin, whole["source"], address(record["address"]) - begin


class WithABase(np.ndarray):
    """Whose own properties are no answer, and must not run."""

    ran = 0

    def _count(self):
        WithABase.ran += 1
        raise RuntimeError("a property of the user's")

    base = itemsize = nbytes = flags = property(_count)


class Allocations(TensorTest):
    def test_numpy_views_are_part_of_their_base(self):
        whole = np.zeros((100, 8))
        self.assertEqual(allocation_of(whole), (6400, "exporter", 0))
        self.assertEqual(allocation_of(np.asfortranarray(whole)), (6400, "exporter", 0))
        for view in (whole[10:20], whole.T[2:], whole[::-3], whole[1][2:3][0:1], whole.view("u1")[3:, 5:],
                     whole.reshape(-1)[6:].view("c16")[:1], np.lib.stride_tricks.as_strided(whole[1], (3, 3), (8, 8)), np.broadcast_to(whole[3], (4, 8)), whole[5:5]):
            offset = view.ctypes.data - whole.ctypes.data
            self.assertEqual(allocation_of(view), (6400, "base", offset))
        records = np.zeros(5, [("a", "i4"), ("b", "f8")])
        self.assertEqual(allocation_of(records["b"]), (60, "base", 4))
        self.assertEqual(allocation_of(np.zeros(3, "U3")), (36, "exporter", 0))
        self.assertIsNone(allocation_of(np.zeros(0)))
        self.assertIsNone(allocation_of(np.float64(3)), "a scalar is no array")

    def test_an_allocation_that_does_not_hold_the_tensor_is_dropped(self):
        whole = np.zeros(10)
        self.assertIsNone(allocation_of(np.lib.stride_tricks.as_strided(whole[8:], (3,), (8,))))

    def test_properties_of_a_subclass_do_not_run(self):
        whole = np.zeros(100)
        view = whole[10:].view(WithABase)
        self.assertEqual(allocation_of(view), (800, "base", 80))
        self.assertEqual(allocation_of(view[1:]), (800, "base", 88))
        own = np.ndarray.__new__(WithABase, (4,))
        self.assertEqual(allocation_of(own), (32, "exporter", 0))
        self.assertEqual(allocation_of(own[1:]), (32, "base", 8))
        self.assertIsNone(allocation_of(np.ndarray.view(own, "i4")), "its item size is behind a property")
        self.assertEqual(WithABase.ran, 0)

    def test_objects_of_bytes(self):
        for owner, size, source in ((bytes(100), 100, None), (bytearray(64), 64, None), (array.array("d", range(9)), 72, None),
                                    (mmap.mmap(-1, 8192), 8192, "mapping")):
            with self.subTest(type(owner).__name__):
                self.assertEqual(allocation_of(owner), (size, source or "exporter", 0))
                self.assertEqual(allocation_of(memoryview(owner).cast("B")[3:]), (size, source or "base", 3))
                self.assertEqual(allocation_of(np.frombuffer(owner, "u1")[5:]), (size, source or "base", 5))
        self.assertEqual(allocation_of((ctypes.c_int * 4)()), (16, "exporter", 0))
        self.assertIsNone(allocation_of((ctypes.c_int * 4).from_buffer(bytearray(64))))

    def test_asking_holds_no_export(self):
        owner = bytearray(64)
        whole, items = mmap.mmap(-1, 4096), array.array("d", [1])
        for each in (owner, whole, items):
            allocation_of(each)
        owner.extend(b"more")
        items.append(2)
        whole.close()

    def test_memory_that_nobody_says_more_of(self):
        self.assertIsNone(allocation_of(np.asarray(type("Of", (), {"__array_interface__": np.zeros(3).__array_interface__})())))
        if hasattr(np, "from_dlpack"):
            self.assertIsNone(allocation_of(np.from_dlpack(np.zeros(8))[2:]), "behind a capsule")
        if jnp is not None:
            self.assertIsNone(allocation_of(jnp.zeros(4)))

    def test_references_are_given_back(self):
        whole = np.zeros(100)
        view, count = whole[1:], sys.getrefcount(whole)
        for _ in range(100):
            dlscope.describe(view)
        self.assertEqual(sys.getrefcount(whole), count)

    @unittest.skipIf(torch is None, "no torch")
    def test_torch_tensors_are_part_of_their_storage(self):
        whole = torch.zeros(1000)
        for view, offset in ((whole, 0), (whole[3:5], 12), (whole[::7], 0), (whole[1].expand(5, 5), 4),
                             (whole[2:].detach().view(torch.int32), 8), (torch.nn.Parameter(whole), 0), (torch.as_strided(whole, (3, 3), (1, 1), 9), 36)):
            self.assertEqual(allocation_of(view), (4000, "storage", offset))
        self.assertEqual(allocation_of(whole.numpy()[3:]), (4000, "storage", 12), "NumPy's base is the tensor")
        numbers = np.zeros(10)
        self.assertEqual(allocation_of(torch.from_numpy(numbers)[2:]), (80, "storage", 16))

    def scanned(self, names):
        """{name: (begin, end, source) of the allocation, or None}, all found by one scan"""
        whole = {name: record["allocation"] for name, record in by_name(dlscope.report(names)).items()}
        return {name: each and (address(each["begin"]), address(each["end"]), each["source"]) for name, each in whole.items()}

    def test_neighbours_of_different_memory_are_each_part_of_their_own(self):
        import random

        rng = random.Random(7)
        pools = [np.zeros((8, 6, 4), kind) for kind in ("u1", "f4", "c16")]
        pools.append(np.frombuffer(bytearray(800), "i2").reshape(4, 10, 10))
        names, expected = {}, {}
        for i in range(300):
            view, steps = rng.choice(pools), rng.randrange(4)
            for _ in range(steps):
                view = rng.choice((view[::-1], view[len(view) > 2 :], view.T, view.view()))
            names["n%d" % i], owner = view, view
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            begin = owner.__array_interface__["data"][0]
            size = owner.nbytes if owner.base is None else 800
            expected["n%d" % i] = begin, begin + size, "exporter" if owner is view and owner.base is None else "base"
        self.assertEqual(self.scanned(names), expected)

    @unittest.skipIf(torch is None, "no torch")
    def test_neighbours_of_different_storages_are_each_part_of_their_own(self):
        pools = [torch.zeros(size) for size in (100, 20, 3000)]
        names = {"n%d" % i: pools[i * i % 3][i % 5 : 5 + i % 7] for i in range(60)}
        expected = {name: (storage.data_ptr(), storage.data_ptr() + storage.nbytes(), "storage")
                    for name, storage in ((name, view.untyped_storage()) for name, view in names.items())}
        self.assertEqual(self.scanned(names), expected)
        pools[0].untyped_storage().resize_(4 * 1000)
        small = {"n": pools[0][3:5]}
        self.assertEqual(self.scanned(small)["n"][1] - self.scanned(small)["n"][0], 4000, "as it is now")

    @unittest.skipIf(torch is None, "no torch")
    def test_a_scan_keeps_no_storage(self):
        names = {"n": torch.zeros(100)[3:]}
        storage = names["n"].untyped_storage()
        count = sys.getrefcount(storage)
        dlscope.report(names)
        self.assertEqual(sys.getrefcount(storage), count)

    @unittest.skipIf(torch is None or not hasattr(torch, "_lazy_clone"), "no copy-on-write tensors")
    def test_a_postponed_copy_stays_postponed(self):
        whole = torch.zeros(1000)
        numbers = whole.numpy()
        torch._lazy_clone(whole)
        self.assertIsNone(allocation_of(numbers[3:]))
        self.assertTrue(torch._C._is_cow_tensor(whole))

    @unittest.skipIf(torch is None or not hasattr(torch, "_lazy_clone"), "no copy-on-write tensors")
    def test_a_copy_on_write_tensor_is_part_of_its_storage(self):
        part = torch.zeros(1000)[3:5]
        lazy = torch._lazy_clone(part)
        for tensor in (part, lazy):
            self.assertEqual(allocation_of(tensor), (4000, "storage", 12))
        self.assertTrue(torch._C._is_cow_tensor(part) and torch._C._is_cow_tensor(lazy), "nothing was copied")

    @unittest.skipIf(pa is None, "no pyarrow")
    def test_arrow_arrays_are_part_of_their_buffer(self):
        table = pa.table({"a": pa.array(range(1000))})
        column = table.slice(10, 5)["a"].chunk(0)
        buffer = column.buffers()[1]
        self.assertEqual(allocation_of(column), (buffer.size, "base", 80))
        self.assertEqual(allocation_of(buffer), (buffer.size, "exporter", 0))
        self.assertEqual(allocation_of(buffer[8:24]), (buffer.size, "base", 8))
        self.assertEqual(allocation_of(column.to_numpy()), (buffer.size, "base", 80))


class OfTheLifePanel(TensorTest):
    """It says what the report says, and of whom it is."""

    @unittest.skipIf(torch is None, "no torch")
    def test_a_storage_around_a_part_that_was_handed_over_is_not_the_whole_memory(self):
        from dlscope import _host_life

        names = {"part": np.zeros(100_000)[5:10]}
        names["t"] = torch.from_numpy(names["part"])
        told = _host_life.life({"name": "t", "others": ["part"]}, names)["allocation"]
        self.assertEqual((told["bytes"], told["by"]), (800_000, "part"))
        alone = _host_life.life({"name": "t"}, names)["allocation"]
        self.assertEqual((alone["bytes"], alone["source"], alone["by"]), (40, "storage", ""))

    @unittest.skipIf(torch is None, "no torch")
    def test_an_array_that_owns_the_bytes_keeps_them_also_where_a_storage_does_not_say_so(self):
        from dlscope import _host_life

        names = {"base": np.zeros(64)}
        names["a"] = names["base"][8:]
        names["t"] = torch.from_numpy(names["a"])
        names["n"] = names["t"].numpy()
        answer = _host_life.life({"name": "n", "others": ["base", "a", "t"]}, names)
        holders = {each["name"]: each["how"] for each in answer["holders"]}
        self.assertEqual(holders["base"], "is the numpy.ndarray itself")
        self.assertIn("holds it by .base", holders["a"])
        self.assertNotIn("base", answer["unsaid"])

    def test_two_mappings_of_one_file_do_not_keep_each_other(self):
        from dlscope import _host_life

        with tempfile.TemporaryFile() as file:
            file.truncate(8192)
            names = {name: np.frombuffer(mmap.mmap(file.fileno(), 8192)) for name in ("here", "there")}
        answer = _host_life.life({"name": "here", "others": ["there"]}, names)
        self.assertEqual([each["name"] for each in answer["holders"]], ["here"])

    def said(self, tensor):
        from dlscope import _host_life

        answer = _host_life.life({"name": "x"}, {"x": tensor})["allocation"]
        return answer and (answer["bytes"], answer["source"], answer["owner"])

    def test_numpy(self):
        whole = np.zeros((100, 8))
        strided = np.lib.stride_tricks.as_strided(whole, (3,), (8,))
        self.assertEqual(self.said(whole), (6400, "exporter", "numpy.ndarray"))
        self.assertEqual(self.said(whole[3:]), (6400, "base", "numpy.ndarray"))
        self.assertEqual(self.said(strided)[:2], allocation_of(strided)[:2])
        self.assertEqual(self.said(memoryview(bytearray(64))[3:]), (64, "base", "bytearray"))
        if hasattr(np, "from_dlpack"):
            self.assertIsNone(self.said(np.from_dlpack(whole)[2:]), "behind a capsule")

    def test_tensors_of_dlscope(self):
        whole = np.zeros((100, 8))
        self.assertEqual(self.said(dlscope.copy(whole)), (6400, "exporter", "dlscope.Tensor"))
        self.assertEqual(self.said(dlscope.asdlpack(whole[2:])), (6400, "base", "numpy.ndarray"))

    @unittest.skipIf(torch is None, "no torch")
    def test_torch(self):
        whole = torch.zeros(1000)
        for view in (whole, whole[3:5], torch.nn.Parameter(whole), whole.numpy()[3:], torch.from_numpy(np.zeros(1000, "f4"))[2:]):
            self.assertEqual(self.said(view)[:2], (4000, "storage"))

    @unittest.skipIf(pa is None, "no pyarrow")
    def test_arrow(self):
        values = pa.array(range(1000))
        self.assertEqual(self.said(values[3:5]), (values.buffers()[1].size, "base", "pyarrow.lib.Buffer"))


class KeptAlive(TensorTest):
    def notes(self, names):
        gc.collect()
        return {name: [note["message"] for note in record["notes"] if note["code"] == "keeps_alive_unused"]
                for name, record in by_name(dlscope.report(names)).items()}

    @unittest.skipIf(torch is None or not hasattr(torch, "_lazy_clone"), "no copy-on-write tensors")
    def test_a_copy_on_write_slice(self):
        part = torch.zeros(MIB)[:10]
        notes = self.notes({"part": part, "lazy": torch._lazy_clone(part)})
        self.assertEqual(notes, dict.fromkeys(("part", "lazy"), ["with 1 other tensor keeps 4.0 MiB alive, together they use 40 B"]))

    def test_a_slice_of_an_array_without_a_name(self):
        self.assertEqual(self.notes({"x": np.zeros(4 * MIB, "u1")[:4096]}), {"x": ["keeps 4.0 MiB alive, uses 4.0 KiB"]})

    def test_two_slices_keep_it_together(self):
        whole = np.zeros(4 * MIB, "u1")
        text = "with 1 other tensor keeps 4.0 MiB alive, together they use 8.0 KiB"
        names = {"x": whole[:4096], "y": [whole[-4096:]]}
        del whole
        self.assertEqual(self.notes(names), {"x": [text], "y[0]": [text]})

    def test_what_something_else_keeps_is_no_matter_of_the_slices(self):
        """A thread's local, a cache, an iterator: the scan does not look into them, and they may use the rest."""
        hidden = threading.local()
        for make, slices in ((lambda: np.zeros(4 * MIB, "u1"), lambda whole: {"x": whole[:4096], "y": whole[8:99]}),
                             (lambda: bytearray(4 * MIB), lambda whole: {"x": memoryview(whole)[:4096]})):
            hidden.whole = make()
            names = slices(hidden.whole)
            self.assertEqual([len(each) for each in self.notes(names).values()], [0] * len(names))
            hidden.whole = None
            self.assertEqual([len(each) for each in self.notes(names).values()], [1] * len(names))

    @unittest.skipIf(torch is None or not hasattr(torch._C, "_storage_Use_Count"), "PyTorch does not count the uses")
    def test_a_storage_that_something_else_uses(self):
        hidden = threading.local()
        whole = torch.zeros(MIB)
        hidden.rest = whole[100:].detach()
        names = {"x": whole[5:9].detach()}
        del whole
        self.assertEqual(self.notes(names), {"x": []})
        hidden.rest = None
        self.assertEqual([len(each) for each in self.notes(names).values()], [1])

    def test_an_owner_with_a_name_uses_all_of_it(self):
        whole = np.zeros(4 * MIB, "u1")
        self.assertEqual(self.notes({"x": whole[:4096], "whole": whole}), {"x": [], "whole": []})
        self.assertEqual(self.notes({"x": whole[:4096], "most": whole[4096:]}), {"x": [], "most": []})

    def test_one_tensor_alone_is_not_judged(self):
        slice_ = np.zeros(4 * MIB, "u1")[:16]
        self.assertNotIn("keeps_alive_unused", self.codes(dlscope.describe(slice_)))

    @unittest.skipIf(torch is None, "no torch")
    def test_torch(self):
        self.assertEqual(self.notes({"x": torch.zeros(MIB)[5:9]}), {"x": ["keeps 4.0 MiB alive, uses 16 B"]})
        whole = torch.zeros(MIB)
        self.assertEqual(self.notes({"x": whole[5:9].numpy(), "whole": whole}), {"x": [], "whole": []})

    @unittest.skipIf(torch is None, "no torch")
    def test_a_mapped_file_costs_no_memory(self):
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(4 * MIB)
            part = torch.from_file(file.name, size=MIB)[5:9]
            self.assertEqual(allocation_of(part), (4 * MIB, "storage", 20))
            self.assertEqual(self.notes({"x": part}), {"x": []})

    @unittest.skipIf(pa is None, "no pyarrow")
    def test_a_slice_of_a_table(self):
        part = pa.table({"a": np.zeros(MIB)}).slice(10, 512)["a"].chunk(0)
        self.assertEqual(self.notes({"x": part.to_numpy()}), {"x": ["keeps 8.0 MiB alive, uses 4.0 KiB"]})
        self.assertEqual(self.notes({"x": part}), {"x": [], "x.buffers()[1]": []}, "the buffer is listed, too, and is all of it")


if __name__ == "__main__":
    main()
