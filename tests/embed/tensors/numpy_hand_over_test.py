"""dlscope between NumPy and NumPy: shared both ways, every dtype and layout, read-only kept, and what NumPy refuses."""

import gc
import sys
import weakref

from tensor_checks import TensorTest, main, require

np = require("numpy")
import dlscope  # noqa: E402

VERSIONED = hasattr(np, "_core")  # NumPy 2: versioned capsules, device= and copy=


class NumpyHandOver(TensorTest):
    def test_a_write_shows_on_the_other_side(self):
        array = np.arange(12.0).reshape(3, 4)
        for copy in (None, False):
            tensor = dlscope.from_dlpack(array, copy=copy)
            self.assertEqual(tensor.data_ptr(), array.ctypes.data)
            back = np.from_dlpack(tensor) if VERSIONED else np.asarray(tensor)
            array[1, 2] += 100
            self.assertEqual(back[1, 2], array[1, 2])
            back[0, 0] = -5
            self.assertEqual(array[0, 0], -5)
            self.assertIs(tensor.owner, array)

    def test_layouts(self):
        base = np.arange(120.0, dtype="f4").reshape(2, 3, 4, 5)
        for view in (base, base.T, base[:, ::-1], base[..., ::2], base[1:, :, 2:3], base[:0], base[0, 0, 0, 0, ...], base.swapaxes(1, 3)[::-1]):
            with self.subTest(view.strides):
                tensor = dlscope.from_dlpack(view)
                self.assertEqual((tensor.shape, tensor.data_ptr()), (view.shape, view.ctypes.data))
                np.testing.assert_array_equal(np.asarray(tensor), view)
                np.testing.assert_array_equal(np.asarray(dlscope.copy(view)), view)
                np.testing.assert_array_equal(np.asarray(dlscope.copy(view, order="K")), view)
                kept = view.copy(order="K")
                told = [s for s, n in zip(dlscope.copy(view, order="K").strides_bytes, view.shape) if n > 1 and view.size]
                self.assertEqual(told, [s for s, n in zip(kept.strides, view.shape) if n > 1 and view.size])
                self.assertTrue(np.asarray(dlscope.contiguous(view)).flags.c_contiguous)

    def test_dtypes_as_numpy_spells_them(self):
        array = np.array([0, 1, 1, 0], dtype="u1")
        for spelt in (*"bhilqBHILQefdFD", np.longlong, np.ulonglong, np.intc, np.short, np.single, np.csingle, np.byte, np.uintp, "single",
                      "longlong", "ulonglong", "intc", "uintc", "short", "ushort", "long", "ulong", "intp", "uintp", "uint", "byte",
                      "ubyte", "double", "half", "csingle", "cdouble"):
            with self.subTest(spelt):
                if not VERSIONED and spelt in ("long", "ulong"):
                    continue  # names of NumPy 2
                self.assertEqual(dlscope.copy(array, dtype=spelt).dtype, np.dtype(spelt).name)

    def test_numpys_truth_values_and_a_version_in_a_list(self):
        array = np.ones(4, dtype="f4")
        self.assertNotEqual(dlscope.from_dlpack(array, copy=np.True_).data_ptr(), array.ctypes.data)
        self.assertEqual(dlscope.from_dlpack(array, copy=np.False_).data_ptr(), array.ctypes.data)
        self.assertEqual(dlscope.stats(array, exact=np.True_), dlscope.stats(array, exact=True))
        self.assertEqual(dlscope.prove(array, array, probe=np.True_)["verdict"], dlscope.prove(array, array, probe=True)["verdict"])
        for other in (1, "no", np.int64(1), np.array([True])):
            with self.assertRaises(TypeError):
                dlscope.from_dlpack(array, copy=other)
            with self.assertRaises(TypeError):
                dlscope.stats(array, exact=other)
        tensor = dlscope.from_dlpack(array)
        for version in ((1, 0), [1, 0], [np.int64(1), 0]):
            self.assertIn('"dltensor_versioned"', repr(tensor.__dlpack__(max_version=version)))
        self.assertIn('"dltensor"', repr(tensor.__dlpack__(max_version=[0, 8])))
        for wrong in ([1], [1, 0, 0], "10", ["1", 0]):
            with self.assertRaises(TypeError):
                tensor.__dlpack__(max_version=wrong)

    def test_dtypes(self):
        for dtype in "?bhilqBHILQefdFD":
            array = np.array([0, 1, 1, 0]).astype(dtype)
            if dtype == "?" and not VERSIONED:
                continue  # refused by NumPy 1.24
            tensor = dlscope.from_dlpack(array)
            self.assertEqual(tensor.dtype, array.dtype.name)
            for back in (np.asarray(tensor), np.asarray(memoryview(tensor))):
                self.assertEqual(back.dtype, array.dtype)
                np.testing.assert_array_equal(back, array)
            self.assertEqual(tensor.__array_interface__["typestr"], array.dtype.str)

    def test_a_scalar_gives_its_own_memory(self):
        # Its __array_interface__ is that of an array which NumPy makes for the call and frees at once.
        for scalar in (np.float32(1.5), np.int8(3), np.bool_(True), np.complex64(1 + 2j)):
            with self.subTest(type(scalar).__name__):
                tensor = dlscope.asdlpack(scalar)
                others = [np.array(0, scalar.dtype) for _ in range(200)]
                self.assertEqual((np.asarray(tensor).item(), tensor.read_only), (scalar.item(), True))
                self.assertEqual(tensor.data_ptr(), int(dlscope.describe(scalar)["address"], 16))
                with self.assertRaisesRegex(BufferError, "out is read-only"):
                    dlscope.copy(np.array(0, scalar.dtype), out=scalar)
                self.assertTrue(all(other == 0 for other in others))

    def test_an_array_is_not_resized_while_a_tensor_is_over_it(self):
        array = np.arange(4.0)
        tensor = dlscope.from_dlpack(array)
        with self.assertRaisesRegex(ValueError, "cannot resize"):
            array.resize(8, refcheck=False)
        self.assertEqual(np.asarray(tensor).tolist(), [0, 1, 2, 3])
        del tensor
        gc.collect()
        array.resize(8, refcheck=False)
        self.assertEqual(array.size, 8)

    def test_read_only_is_kept(self):
        array = np.arange(4.0)
        array.flags.writeable = False
        if not VERSIONED:
            with self.assertRaisesRegex(BufferError, "readonly"):
                dlscope.from_dlpack(array)
        tensor = dlscope.from_dlpack(array) if VERSIONED else dlscope.asdlpack(array)
        self.assertEqual((tensor.read_only, memoryview(tensor).readonly), (True, True))
        self.assertFalse(np.asarray(tensor).flags.writeable)
        if VERSIONED:
            again = np.from_dlpack(dlscope.from_dlpack(np.from_dlpack(tensor)))
            self.assertFalse(again.flags.writeable)
            self.assertEqual(again.ctypes.data, array.ctypes.data)

    def test_copies(self):
        array = np.arange(12.0).reshape(3, 4)[:, ::2]
        copied = dlscope.from_dlpack(array, copy=True)
        self.assertEqual((copied.is_copied, copied.owner, copied.data_ptr() % 64), (True, None, 0))
        self.assertFalse(np.shares_memory(np.asarray(copied), array))
        if VERSIONED:
            ours = np.from_dlpack(dlscope.from_dlpack(array), copy=True)
            self.assertFalse(np.shares_memory(ours, array))
            np.testing.assert_array_equal(ours, array)
            ours[0, 0] = 3  # writable: the copy is NumPy's alone
            with self.assertRaises(ValueError):
                np.from_dlpack(dlscope.from_dlpack(array), device="cuda")

    def test_what_numpy_refuses(self):
        for array in (np.zeros(3, ">f4"), np.zeros(3, "M8[s]"), np.zeros(3, [("a", "i4")]), np.zeros(3, "U2"), np.zeros(3, "O")):
            with self.subTest(array.dtype), self.assertRaisesRegex((BufferError, RuntimeError), "DLPack only supports|byte order"):
                dlscope.from_dlpack(array)
            with self.assertRaisesRegex(BufferError, "gives no tensor"):
                dlscope.asdlpack(array)
        masked = np.ma.array([1.0, 2.0], mask=[0, 1])
        for take in (dlscope.from_dlpack, dlscope.asdlpack):
            with self.assertRaisesRegex(BufferError, "mask"):
                take(masked)

    def test_unaligned_memory(self):
        array = np.frombuffer(bytearray(33), "u1")[1:].view("f8")
        self.assertEqual(np.asarray(dlscope.from_dlpack(array)).ctypes.data, array.ctypes.data)
        np.testing.assert_array_equal(np.asarray(dlscope.copy(array)), array)

    def test_the_array_goes_with_the_last_holder(self):
        array = np.zeros(4)
        gone = weakref.ref(array)
        tensor = dlscope.from_dlpack(array)
        view = np.asarray(tensor)
        del array
        self.assertIs(tensor.owner, gone())
        tensor.close()
        del tensor
        gc.collect()
        self.assertIsNotNone(gone(), "the view holds it")
        del view
        gc.collect()
        self.assertIsNone(gone())

    def test_dtype_spellings(self):
        from dlscope._spellings import dtype
        for spelt in ("f4", np.float32, np.dtype("f4"), np.dtype("<f4")):
            self.assertEqual(dtype(spelt), (2, 32, 1))
        for code in "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split():
            self.assertEqual(dtype(np.dtype(code).str), dtype(np.dtype(code)), code)
        self.assertEqual(dtype(np.bool_), (6, 8, 1))
        with self.assertRaisesRegex(ValueError, "byte order"):
            dtype(np.dtype(">f4"))

    def test_references(self):
        array = np.zeros(4)
        before = sys.getrefcount(array)
        for _ in range(1000):
            dlscope.from_dlpack(array)
            dlscope.from_dlpack(dlscope.from_dlpack(array), copy=True)
        self.assertEqual(sys.getrefcount(array), before)


if __name__ == "__main__":
    main()
