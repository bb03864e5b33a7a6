"""The exchange table of a producer's type as the short way to its tensors: the same facts as over __dlpack__, none of its guards lost;
tables that lie. Each hostile case in a process of its own."""

import ctypes
import json
import os
import subprocess
import sys
import unittest

from ctypes_producer import Producer, python
from tensor_checks import TensorTest, main

TABLE, METHOD = "__dlpack_c_exchange_api__", "__dlpack__"
BAD = 0x10  # never mapped

# Of a record, all that does not belong to one export: the struct lies elsewhere each time.
FACTS = ("protocol", "capsule", "dlpack_version", "dtype", "shape", "strides", "strides_bytes", "strides_implied", "device", "data",
         "byte_offset", "address", "extent", "elements", "nbytes", "distinct_bytes", "contiguity", "alignment", "flags", "deleter", "readable")
# Of a Tensor.
HELD = ("shape", "strides", "strides_bytes", "dtype", "device", "nbytes", "read_only", "writability", "is_copied", "version", "capsule_name")


def torch_tensors(torch):
    base = torch.arange(240).reshape(4, 5, 12)
    views = {"whole": base, "row": base[1], "column": base[:, 2], "sliced": base[1:3, ::2, 3:9:3], "transposed": base.permute(2, 0, 1),
             "element": base[1, 2, 3], "expanded": base[0, 0].expand(3, 12), "empty": base[:, :0], "size one": base[:1, :, :1],
             "as_strided": torch.as_strided(base, (3, 3), (1, 2), 5), "0-d": torch.tensor(3), "no axes of length": torch.zeros(0)}
    for name, view in views.items():
        yield name, view
    for name in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
                 "float8_e4m3fn", "float8_e5m2", "uint16", "uint32", "uint64"):
        yield name, torch.zeros(2, 3, dtype=getattr(torch, name))
    yield "detached parameter", torch.nn.Parameter(torch.ones(3)).detach()
    yield "under no_grad", torch.ones(3) * 2
    yield "of a NumPy array", torch.from_numpy(__import__("numpy").arange(6.0))
    yield "inference", inference(torch)


def inference(torch):
    with torch.inference_mode():
        return torch.ones(3)


class SameAsOverDlpack(TensorTest):
    def compare(self, name, tensor, by_table=True):
        import dlscope

        with self.subTest(name):
            capsule = tensor.__dlpack__(max_version=(1, 3))
            short, long = dlscope.describe(tensor), dlscope.describe(capsule)
            self.assertEqual(short["given_by"], TABLE if by_table else METHOD)
            self.assertEqual(long["given_by"], "capsule")
            for fact in FACTS:
                self.assertEqual(short[fact], long[fact], fact)
            taken, other = dlscope.from_dlpack(tensor), dlscope.from_dlpack(capsule)
            self.assertEqual((taken.given_by, other.given_by), (short["given_by"], "capsule"))
            for fact in HELD:
                self.assertEqual(getattr(taken, fact), getattr(other, fact), fact)
            self.assertEqual(taken.data_ptr(), other.data_ptr())
            self.assertEqual(taken.asked, None if by_table else {"max_version": (1, 3)})
            del taken, other, capsule

    def need(self, name):
        try:
            return __import__(name)
        except ImportError as error:
            self.skipTest(f"{name} cannot be imported: {error}")

    def torch(self):
        torch = self.need("torch")
        if TABLE not in torch.Tensor.__dict__:
            self.skipTest(f"PyTorch {torch.__version__} has no exchange table")
        return torch

    def test_torch(self):
        for name, tensor in torch_tensors(self.torch()):
            self.compare(name, tensor)

    def test_paddle(self):
        paddle = self.need("paddle")
        base = paddle.arange(240).reshape([4, 5, 12])
        for name, tensor in {"whole": base, "row": base[1], "transposed": base.transpose([2, 0, 1]), "0-d": paddle.to_tensor(3),
                             "empty": paddle.zeros([0, 3]), "size one": base[:1], "detached": paddle.ones([2]).detach()}.items():
            self.compare(name, tensor)
        for name in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"):
            self.compare(name, paddle.zeros([2, 3], dtype=name))

    def test_dlscope_itself(self):
        import dlscope
        np = self.need("numpy")
        frozen = np.arange(6.0)
        frozen.flags.writeable = False
        for name, source in {"NumPy's": np.arange(12).reshape(3, 4)[::-1, ::2], "read-only": frozen, "0-d": np.array(1.0),
                             "broadcast": np.broadcast_to(np.arange(3), (2, 3)), "empty": np.zeros((0, 3))}.items():
            self.compare(name, dlscope.from_dlpack(source))
            self.compare(name + ", copied", dlscope.copy(source))
        self.compare("a buffer's", dlscope.asdlpack(bytearray(8)))
        self.compare("bytes'", dlscope.asdlpack(bytes(8)))
        closed = dlscope.asdlpack(bytearray(8))
        closed.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            dlscope.from_dlpack(closed)

    def test_a_struct_that_its_table_takes_belongs_to_it_only_if_that_succeeds(self):
        import dlscope
        at = python.PyCapsule_GetPointer(id(dlscope.Tensor.__dlpack_c_exchange_api__), b"dlpack_exchange_api")
        take = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))(ctypes.c_void_p.from_address(at + 32).value)

        def taken(producer, hooked=lambda: None, unhooked=lambda: None):
            out = ctypes.c_void_p()
            hooked()
            try:
                take(producer.address, out)
            except (BufferError, MemoryError, ctypes.ArgumentError):
                return None
            finally:
                unhooked()
            return out.value

        lying, honest = Producer(ndim=-1), Producer()
        self.assertIsNone(taken(lying))
        self.assertEqual(lying.deleted, 0, "the caller's, who calls the deleter")
        tensor = taken(honest)
        self.assertEqual((ctypes.cast(tensor, ctypes.py_object).value.data_ptr(), honest.deleted), (ctypes.addressof(honest.memory), 0))
        python.Py_DecRef(ctypes.py_object(ctypes.cast(tensor, ctypes.py_object).value))
        self.assertEqual(honest.deleted, 1)
        try:
            import _testcapi
        except ImportError as error:
            self.skipTest(str(error))
        told = {True: 0, False: 0}
        for allocation in range(60):  # the one that fails: ctypes' own, or that of the Tensor
            producer = Producer()
            tensor = taken(producer, lambda: _testcapi.set_nomemory(allocation, allocation + 1), _testcapi.remove_mem_hooks)
            self.assertEqual(producer.deleted, 0)
            told[tensor is None] += 1
            if tensor is not None:
                python.Py_DecRef(ctypes.py_object(ctypes.cast(tensor, ctypes.py_object).value))
                self.assertEqual(producer.deleted, 1)
        self.assertTrue(told[True] and told[False], told)

    def test_a_scan_says_how_each_was_had(self):
        import dlscope
        torch = self.torch()
        capsule = torch.ones(2).__dlpack__()
        names = {"t": torch.ones(2), "p": torch.nn.Parameter(torch.ones(2)), "c": capsule, "b": bytearray(4)}
        given = {r["name"]: r["given_by"] for r in dlscope.report(names)["tensors"]}
        self.assertEqual(given, {"t": TABLE, "p": METHOD, "c": "capsule", "b": None})

    def test_what_the_table_skips_is_refused_as_before(self):
        """In the words of __dlpack__ itself."""
        import dlscope
        torch = self.torch()
        z = torch.tensor([1 + 2j, 3j])
        for name, tensor in {"leaf": torch.ones(2, requires_grad=True), "no leaf": torch.ones(2, requires_grad=True) * 2, "conj": z.conj(),
                             "sparse": torch.eye(3).to_sparse(), "meta": torch.ones(2, device="meta"),
                             "csr": torch.eye(3).to_sparse_csr()}.items():
            with self.subTest(name):
                with self.assertRaises(Exception) as its_own:
                    tensor.__dlpack__(max_version=(1, 3))
                with self.assertRaises(type(its_own.exception)) as ours:
                    dlscope.from_dlpack(tensor)
                if name != "conj":  # dlscope says that one itself, with the way out
                    self.assertEqual(str(ours.exception), str(its_own.exception))
        self.assertEqual(dlscope.describe(z)["given_by"], TABLE)
        grad = dlscope.describe(torch.ones(2, requires_grad=True))
        self.assertIn("requires_grad", self.codes(grad))
        self.assertIn("conjugate_bit", self.codes(dlscope.describe(z.conj())))
        negative = dlscope.describe(z.conj().imag)
        self.assertIn("negative_bit", self.codes(negative))
        with self.assertRaisesRegex(BufferError, "negative bit"):
            dlscope.from_dlpack(z.conj().imag)

    def test_looking_materialises_no_copy(self):
        import dlscope
        torch = self.torch()
        if not hasattr(torch, "_lazy_clone"):
            self.skipTest("this PyTorch has no copy-on-write tensors")
        source = torch.ones(4)
        lazy = torch._lazy_clone(source)
        record = next(r for r in dlscope.report({"lazy": lazy})["tensors"])
        self.assertEqual((record["protocol"], record["given_by"]), ("attributes", None))
        self.assertTrue(torch._C._is_cow_tensor(lazy))

    def test_subclasses_answer_for_themselves(self):
        import dlscope
        torch = self.torch()
        calls = []

        class Plain(torch.Tensor):
            pass

        class Functions(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, arguments=(), keywords=None):
                calls.append(getattr(function, "__name__", ""))
                return super().__torch_function__(function, types, arguments, keywords or {})

        class Overrides(torch.Tensor):
            def __dlpack__(self, **keywords):
                calls.append("own")
                return super().__dlpack__(**keywords)

        self.assertEqual(dlscope.describe(torch.ones(2).as_subclass(Plain))["given_by"], METHOD)
        self.assertEqual(dlscope.describe(torch.ones(2).as_subclass(Functions))["given_by"], METHOD)
        self.assertIn("__dlpack__", calls)
        self.assertEqual(dlscope.describe(torch.ones(2).as_subclass(Overrides))["given_by"], METHOD)
        self.assertIn("own", calls)

    def test_wrappers_without_memory(self):
        """functorch's are of the very type torch.Tensor; fake tensors pretend theirs."""
        import dlscope
        torch = self.torch()
        from torch._subclasses.fake_tensor import FakeTensorMode

        def inside(x):
            with self.assertRaises(Exception) as its_own:
                x.__dlpack__(max_version=(1, 3))
            with self.assertRaises(type(its_own.exception)):
                dlscope.from_dlpack(x)
            record = dlscope.describe(x)
            self.assertFalse(record["protocol"] == "dlpack" and record["given_by"] == TABLE, record)
            return x * 2

        torch.vmap(inside)(torch.ones(3, 2))
        torch.func.grad(lambda x: inside(x).sum())(torch.ones(3))
        torch.func.jvp(inside, (torch.ones(3),), (torch.ones(3),))
        with FakeTensorMode():
            fake = torch.zeros(3)
        self.assertNotEqual(dlscope.describe(fake)["given_by"], TABLE)
        self.assertIsNone(dlscope.report({"fake": fake})["tensors"][0]["protocol"])

    def test_nothing_is_kept_and_nothing_is_freed_twice(self):
        import gc
        import weakref

        import dlscope
        torch = self.torch()
        for use in (dlscope.describe, dlscope.from_dlpack, lambda x: dlscope.from_dlpack(x, copy=False), lambda x: dlscope.report({"x": x})):
            source = torch.ones(64)
            alive = weakref.ref(source.untyped_storage())
            for _ in range(100):
                use(source)
            count = sys.getrefcount(source)
            self.assertEqual(source.sum(), 64)
            self.assertLessEqual(count, 3)
            del source, alive
            gc.collect()
        tensor = dlscope.from_dlpack(torch.full((1000,), 7.0))  # its producer is gone
        self.assertEqual(memoryview(tensor)[999], 7.0)

    def test_what_asks_for_more_goes_by_the_method(self):
        import dlscope
        torch = self.torch()
        self.assertEqual(dlscope.from_dlpack(torch.ones(2), device="cpu").given_by, TABLE)  # where it is already
        copied = dlscope.from_dlpack(torch.ones(2), copy=True)
        self.assertTrue(copied.is_copied)
        with self.assertRaises((ValueError, BufferError)):
            dlscope.from_dlpack(torch.ones(2), device="cuda:7")


# ---- Tables that lie ----------------------------------------------------------------------------------------------------


class Table(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", ctypes.c_void_p), ("allocate", ctypes.c_void_p),
                ("from_object", ctypes.c_void_p), ("to_object", ctypes.c_void_p), ("lend", ctypes.c_void_p), ("stream", ctypes.c_void_p)]


GIVES, FAILS, FAILS_SILENTLY, GIVES_NULL, GIVES_BESIDE_AN_ERROR, FAILS_WITH_A_STRUCT = range(6)

# name: (what the table's function answers, what is wrong with the table, what is wrong with the struct, by what way it is described,
# deleter calls, calls of the table's function)
LIES = {
    "honest": (GIVES, {}, {}, TABLE, 1, 1),
    "an older one in the chain": (GIVES, {"newer": True}, {}, TABLE, 1, 1),
    "fails": (FAILS, {}, {}, METHOD, 1, 1),
    "fails without an error": (FAILS_SILENTLY, {}, {}, METHOD, 1, 1),
    "gives NULL": (GIVES_NULL, {}, {}, METHOD, 1, 1),
    "gives beside an error": (GIVES_BESIDE_AN_ERROR, {}, {}, TABLE, 1, 1),
    "fails and leaves a struct": (FAILS_WITH_A_STRUCT, {}, {}, METHOD, 1, 1),
    "struct of major version 2": (GIVES, {}, {"major": 2}, METHOD, 2, 1),
    "struct with shape NULL": (GIVES, {}, {"shape": None, "ndim": 2}, METHOD, 2, 1),
    "struct with NULL data": (GIVES, {}, {"data": None}, METHOD, 2, 1),
    "struct on another device": (GIVES, {}, {"device": (2, 0), "claims": (2, 0)}, METHOD, None, None),
    "deleter NULL": (GIVES, {}, {"deleter": None}, TABLE, 0, 1),
    "deleter unmapped": (GIVES, {}, {"deleter": BAD}, METHOD, None, 1),
    "from_object NULL": (GIVES, {"from_object": None}, {}, METHOD, 1, 0),
    "allocate NULL": (GIVES, {"allocate": None}, {}, METHOD, 1, 0),
    "stream NULL": (GIVES, {"stream": None}, {}, METHOD, 1, 0),
    "from_object unmapped": (GIVES, {"from_object": BAD}, {}, METHOD, 1, 0),
    "major version 2 alone": (GIVES, {"major": 2}, {}, METHOD, 1, 0),
    "table unmapped": (GIVES, {"address": BAD}, {}, METHOD, 1, 0),
    "another name": (GIVES, {"name": b"dlpack_exchange"}, {}, METHOD, 1, 0),
    "a longer name": (GIVES, {"name": b"dlpack_exchange_api2"}, {}, METHOD, 1, 0),
    "no name": (GIVES, {"name": None}, {}, METHOD, 1, 0),
    "name unmapped": (GIVES, {"name": BAD}, {}, METHOD, 1, 0),
    "an int": (GIVES, {"attribute": 5}, {}, METHOD, 1, 0),
    "on the instance": (GIVES, {"where": "instance"}, {}, METHOD, 1, 0),
    "on a base without __dlpack__": (GIVES, {"where": "base"}, {}, METHOD, 1, 0),
    "a function of nobody we know": (GIVES, {"from_object": "own"}, {}, METHOD, 1, 0),
    "another type than the library's": (GIVES, {"where": "other type"}, {}, METHOD, 1, 0),
    "on a metaclass": (GIVES, {"where": "metaclass"}, {}, METHOD, 1, 0),
    "a property": (GIVES, {"where": "property"}, {}, METHOD, 1, 0),
}


def library():
    lookalike = ctypes.PyDLL(os.environ["DLSCOPE_EXCHANGE_LOOKALIKE"])
    lookalike.lookalike_answer.argtypes = [ctypes.c_int, ctypes.c_void_p]
    return lookalike


def address_of(function):
    return ctypes.cast(function, ctypes.c_void_p).value


def make_capsule(lookalike, lies, keep):
    """The capsule of a table that keeps the rules but for what `lies` says."""
    never = address_of(lookalike.lookalike_never)
    fields = {"major": 1, "minor": 3, "older": None, "allocate": never, "from_object": address_of(lookalike.lookalike_from_object),
              "to_object": never, "lend": never, "stream": never}
    fields.update({key: value for key, value in lies.items() if key in fields})
    if fields["from_object"] == "own":
        keep.append(ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda _object, _out: -1))
        fields["from_object"] = address_of(keep[-1])
    table = Table(**fields)
    keep.append(table)
    if lies.get("newer"):
        table = Table(major=7, minor=0, older=ctypes.addressof(table), allocate=BAD, from_object=BAD)
        keep.append(table)
    name = lies.get("name", b"dlpack_exchange_api")
    if isinstance(name, bytes):
        keep.append(ctypes.create_string_buffer(name))
        name = ctypes.addressof(keep[-1])
    return python.PyCapsule_New(lies.get("address", ctypes.addressof(table)), name, None)


def show_lie(name):
    """In the child: a module that passes for PyTorch, whose tensors have that table; described, scanned and taken."""
    import types

    answer, lies, struct, _, _, _ = LIES[name]
    lookalike, keep = library(), []
    value = lies.get("attribute") or make_capsule(lookalike, lies, keep)
    where = lies.get("where", "type")
    namespace = {"__module__": "torch", "requires_grad": False, "is_conj": lambda self: False,
                 "__dlpack__": Producer.__dlpack__, "__dlpack_device__": Producer.__dlpack_device__}
    bases, metaclass = (Producer,), type
    if where in ("type", "other type"):
        namespace[TABLE] = value
    if where == "base":
        bases = (type("Base", (Producer,), {"__module__": "torch", TABLE: value}),)
    if where == "metaclass":
        metaclass = type("Meta", (type,), {TABLE: value})
    if where == "property":
        namespace[TABLE] = property(lambda self: value)
    Tensor = metaclass("Tensor", bases, namespace)
    module = types.ModuleType("torch")
    module.Tensor = type("Tensor", (), {"__module__": "torch"}) if where == "other type" else Tensor
    sys.modules["torch"] = module

    import dlscope

    told = []
    for use in (dlscope.describe, lambda x: dlscope.report({"x": x})["tensors"][0], take):
        producer = Tensor(**struct)
        if where == "instance":
            setattr(producer, TABLE, value)
        lookalike.lookalike_answer(answer, producer.address)
        given = use(producer)
        told.append({"given_by": given["given_by"] if isinstance(given, dict) else given, "deleted": producer.deleted,
                     "calls": lookalike.lookalike_calls()})
    return told


def take(producer):
    import dlscope

    try:
        tensor = dlscope.from_dlpack(producer)
    except (BufferError, ValueError):
        return "refused"
    given = tensor.given_by
    tensor.close()
    return given


class HostileTables(unittest.TestCase):
    maxDiff = None

    def test_every_lie(self):
        if not os.path.exists(os.environ.get("DLSCOPE_EXCHANGE_LOOKALIKE", "")):
            self.skipTest("the library that plays the producer's part is not built here")
        for name, (_, _, _, way, deleted, calls) in LIES.items():
            with self.subTest(name):
                done = subprocess.run([sys.executable, os.path.abspath(__file__), name], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                for told in json.loads(done.stdout):
                    if told["given_by"] != "refused":
                        self.assertEqual(told["given_by"], way)
                    if deleted is not None:
                        self.assertEqual(told["deleted"], deleted, told)
                    if calls is not None:
                        self.assertEqual(told["calls"], calls, told)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in LIES:
        print(json.dumps(show_lie(sys.argv[1])))
    else:
        main()
