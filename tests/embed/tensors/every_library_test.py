"""What from_dlpack and asdlpack promise (docs/module.md, the table), row by row with every library that is installed: each library in a
process of its own, so that one that ends its process costs one test."""

import glob
import importlib
import os
import subprocess
import sys
import unittest

LIBRARIES = ("numpy", "torch", "jax", "tensorflow", "paddle", "dpnp", "pyarrow", "tvm_ffi", "array_api_strict", "dlpack", "builtins")
IMMUTABLE = ("jax", "tensorflow", "pyarrow")   # by contract
NO_DLPACK = ("builtins",)                      # asdlpack takes them, from_dlpack says what it asked for
ONE_USE = ("dlpack",)                          # pydlpack's object is spent with the first struct that is freed: KeyError from then on
ELSEWHERE = ("dpnp",)                          # its memory is a device's of its own: oneAPI


def make(library, values=(0.0, 1.0, 2.0, 3.0)):
    """A float32 tensor of the library's, over memory of its own."""
    module = importlib.import_module("numpy" if library in ("builtins",) else library)
    if library == "numpy":
        return module.array(values, "f4")
    if library == "torch":
        return module.tensor(values)
    if library == "jax":
        return module.numpy.array(values, "float32")
    if library == "tensorflow":
        return module.constant(values)
    if library == "paddle":
        return module.to_tensor(list(values), dtype="float32")
    if library == "dpnp":
        return module.asarray(values, dtype="float32")
    if library == "pyarrow":
        return module.array(values, module.float32())
    if library == "tvm_ffi":
        return module.from_dlpack(importlib.import_module("numpy").array(values, "f4"))
    if library == "array_api_strict":
        return module.asarray(values, dtype=module.float32)
    array = importlib.import_module("array").array("f", values)
    return module.asdlpack(array) if library == "dlpack" else array


def capsules(library, source):
    """One of each kind that the library gives: (kind, capsule)."""
    for keywords in ({}, {"max_version": (1, 3)}):
        try:
            capsule = source.__dlpack__(**keywords)
        except (TypeError, BufferError, AttributeError):
            continue
        yield repr(capsule).split('"')[1], capsule


class Rows(unittest.TestCase):
    """In the child: one test for each row of the table."""

    library = ""
    maxDiff = None

    def setUp(self):
        import dlscope

        self.dlscope = dlscope
        self.take = dlscope.asdlpack if self.library in NO_DLPACK else dlscope.from_dlpack
        self._source = make(self.library)

    @property
    def source(self):
        return make(self.library) if self.library in ONE_USE else self._source

    def values(self, tensor):
        if tensor.device[0] == 14:  # where only its library reads
            import dpnp

            return dpnp.asnumpy(dpnp.from_dlpack(tensor)).tolist()
        return memoryview(self.dlscope.copy(tensor, device="cpu")).tolist()

    def test_same_device_shares(self):
        dlscope = self.dlscope
        for keywords in ({},) if self.library in NO_DLPACK else ({}, {"copy": None}, {"copy": False}):
            source = self.source
            tensor = self.take(source, **keywords)
            self.assertFalse(tensor.is_copied)
            self.assertEqual(self.values(tensor), [0, 1, 2, 3])
            self.assertEqual(dlscope.prove(source, tensor)["verdict"], "SHARED")
            if self.library not in ONE_USE:
                self.assertEqual(tensor.data_ptr(), int(dlscope.describe(source)["address"], 16))

    def test_a_write_shows_on_the_other_side(self):
        dlscope = self.dlscope
        tensor = self.take(self.source)
        if tensor.writability in ("no", "immutable by contract") or tensor.device[0] != 1:
            self.skipTest(f"{self.library}: {tensor.writability}, {tensor.device}")
        memoryview(tensor)[1] = 41.0
        if self.library in ONE_USE:
            return
        self.assertEqual(self.values(self.take(self.source)), [0, 41, 2, 3])
        step = dlscope.prove(self.source, tensor, probe=True)["steps"][0]
        self.assertIn(step["probe"], ("confirmed", "not_writable"))

    def test_copy_true_always_copies(self):
        if self.library in NO_DLPACK:
            tensor = self.dlscope.copy(self.source)
        else:
            tensor = self.take(self.source, copy=True)
        self.assertTrue(tensor.is_copied)
        if self.library not in ONE_USE:
            self.assertNotEqual(tensor.data_ptr(), int(self.dlscope.describe(self.source)["address"], 16))
        self.assertEqual(self.values(tensor), [0, 1, 2, 3])

    def test_copy_false_where_a_copy_is_needed(self):
        if self.library in NO_DLPACK:
            self.skipTest("from_dlpack does not take it")
        elsewhere = "cpu" if self.library in ELSEWHERE else "cuda:0"
        with self.assertRaisesRegex((BufferError, ValueError), "copy=False|is not available"):
            self.take(self.source, device=elsewhere, copy=False)

    def test_devices(self):
        if self.library in NO_DLPACK:
            self.skipTest("from_dlpack does not take it")
        here = self.take(self.source).device
        for device in (None, here, tuple(here)):
            self.assertEqual(self.take(self.source, device=device).device, here)
        self.assertEqual(self.take(self.source, device="cpu").device, (1, 0))

    def test_an_absent_device(self):
        if self.library in NO_DLPACK:
            self.skipTest("from_dlpack does not take it")
        for device in ("cuda:7", "metal:0", (2, 9)):
            with self.assertRaisesRegex(ValueError, "(?s)is not available.*[Ss]upported"):
                self.take(self.source, device=device)
        for device in ("nowhere", 3.5):
            with self.assertRaises((ValueError, TypeError)):
                self.take(self.source, device=device)
        self.assertEqual(self.values(self.take(self.source)), [0, 1, 2, 3])  # untouched

    def test_no_protocol(self):
        for value in (object(), 3, "text"):
            with self.assertRaisesRegex(TypeError, "__dlpack__"):
                self.dlscope.from_dlpack(value)
        if self.library in NO_DLPACK:
            with self.assertRaisesRegex(TypeError, "asdlpack also tries"):
                self.dlscope.from_dlpack(self.source)

    def test_bare_capsules(self):
        kinds = []
        for kind, capsule in capsules(self.library, self.source):
            kinds.append(kind)
            tensor = self.dlscope.from_dlpack(capsule)
            self.assertEqual(tensor.capsule_name, kind)
            self.assertIn(f'"used_{kind}"', repr(capsule))
            self.assertEqual(self.values(tensor), [0, 1, 2, 3])
            for again in (self.dlscope.from_dlpack, self.dlscope.asdlpack):
                with self.assertRaisesRegex(ValueError, "consumed before"):
                    again(capsule)
            tensor.close()
        if self.library not in NO_DLPACK:
            self.assertTrue(kinds)

    def test_asdlpack(self):
        source = self.source
        tensor = self.dlscope.asdlpack(source)
        self.assertEqual(self.values(tensor), [0, 1, 2, 3])
        self.assertEqual(self.dlscope.prove(source, tensor)["verdict"], "SHARED")

    def test_immutable_by_contract(self):
        tensor = self.take(self.source)
        self.assertEqual(tensor.writability == "immutable by contract", self.library in IMMUTABLE)
        if self.library in IMMUTABLE or tensor.read_only:
            self.assertTrue(tensor.read_only)
            with self.assertRaisesRegex(BufferError, "read-only"):
                tensor.__dlpack__()  # a legacy consumer
            self.assertIn("dltensor_versioned", repr(tensor.__dlpack__(max_version=(1, 0))))

    def test_read_only_sources(self):
        np = importlib.import_module("numpy")
        frozen = {"numpy": lambda: np.arange(4.0), "array_api_strict": None, "builtins": lambda: bytes(4)}.get(self.library)
        if frozen is None:
            self.skipTest(f"{self.library} has no read-only tensors that it exports")
        source = frozen()
        if self.library == "numpy":
            source.flags.writeable = False
        tensor = self.take(source)
        self.assertEqual((tensor.read_only, tensor.writability), (True, "no"))
        self.assertFalse(np.from_dlpack(tensor).flags.writeable)
        with self.assertRaisesRegex(BufferError, "read-only"):
            tensor.__dlpack__()

    def test_no_stream_is_sent_to_the_host(self):
        if self.library in NO_DLPACK or self.library in ELSEWHERE:
            self.skipTest("no producer of DLPack with host memory")
        tensor = self.take(self.source)
        self.assertNotIn("stream", tensor.asked or {})
        asked = []

        class Watched:
            def __dlpack__(self, **keywords):
                asked.append(keywords)
                return Rows.source_of.__dlpack__(**{key: value for key, value in keywords.items() if key != "max_version"})

            def __dlpack_device__(self):
                return Rows.source_of.__dlpack_device__()

        Rows.source_of = self.source
        self.assertEqual(self.values(self.dlscope.from_dlpack(Watched())), [0, 1, 2, 3])
        self.assertTrue(asked and not any("stream" in keywords for keywords in asked))


class EveryLibrary(unittest.TestCase):
    def test_every_row_with_every_library(self):
        tried = []
        for library in LIBRARIES:
            with self.subTest(library):
                done = subprocess.run([sys.executable, os.path.abspath(__file__), library], capture_output=True, text=True, timeout=300)
                if done.returncode == 77:
                    print(done.stdout.strip())
                    continue
                tried.append(library)
                self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-6000:])
        self.assertIn("builtins", tried)


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in LIBRARIES:
        return unittest.main(verbosity=2, defaultTest="EveryLibrary")  # the rows run in the children
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    runtime = glob.glob(os.path.join(sys.prefix, "lib", "**", "libintelocl.so"), recursive=True)
    if runtime:  # dpnp's CPU device
        os.environ["OCL_ICD_FILENAMES"] = runtime[0]
    elif sys.argv[1] == "dpnp":
        print("SKIP: no libintelocl.so (package intel-opencl-rt) in this environment")
        sys.exit(77)
    Rows.library = sys.argv[1]
    try:
        make(Rows.library)
    except ImportError as error:
        print(f"SKIP: {Rows.library} cannot be imported: {error}")
        sys.exit(77)
    outcome = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromTestCase(Rows))
    sys.stdout.flush()
    os._exit(0 if outcome.wasSuccessful() else 1)  # libraries have their own ways of ending


if __name__ == "__main__":
    main()
