"""dlscope.Tensor without any library: attributes, protocols, arguments, the order of protocols, bad input."""

import array
import ctypes
import gc
import mmap
import struct
import sys
import tempfile
import unittest
import weakref

import dlscope
from array_interface import Interface, address_of
from ctypes_producer import Producer, Versioned, python

VERSIONED = {"max_version": (1, 0)}


def name_of(capsule):
    return python.PyCapsule_GetName(id(capsule))


class Attributes(unittest.TestCase):
    def test_a_buffer(self):
        memory = array.array("d", range(6))
        tensor = dlscope.asdlpack(memory)
        self.assertEqual(tensor.data_ptr(), memory.buffer_info()[0])
        self.assertEqual((tensor.shape, tensor.strides, tensor.strides_bytes, tensor.ndim), ((6,), (1,), (8,), 1))
        self.assertEqual((tensor.dtype, tensor.device, tensor.nbytes), ("float64", (1, 0), 48))
        self.assertEqual((tensor.read_only, tensor.writability, tensor.is_copied), (False, "yes", False))
        self.assertEqual((tensor.version, tensor.capsule_name, tensor.asked), (None, None, None))
        self.assertIs(tensor.owner, memory)
        self.assertEqual(repr(tensor), f"<dlscope.Tensor float64 (6,) strides (1,) on cpu at {tensor.data_ptr():#x}, "
                                       "the memory of array.array>")
        memory[2] = 40.0
        self.assertEqual(memoryview(tensor)[2], 40.0)
        memoryview(tensor)[3] = 50.0
        self.assertEqual(memory[3], 50.0)

    def test_every_builtin(self):
        with tempfile.TemporaryFile() as file:
            file.write(b"x" * 4096)
            file.flush()
            mapped = mmap.mmap(file.fileno(), 4096)
            read_only = mmap.mmap(file.fileno(), 4096, access=mmap.ACCESS_READ)
            for exporter, dtype, is_read_only in ((b"abc", "uint8", True), (bytearray(b"abc"), "uint8", False),
                                                  (memoryview(bytearray(12)).cast("I"), "uint32", False),
                                                  ((ctypes.c_int16 * 4)(), "int16", False), (mapped, "uint8", False),
                                                  (read_only, "uint8", True), (array.array("q", [1]), "int64", False)):
                with self.subTest(exporter):
                    tensor = dlscope.asdlpack(exporter)
                    self.assertEqual((tensor.dtype, tensor.read_only), (dtype, is_read_only))
                    self.assertEqual(bytes(memoryview(tensor)), bytes(memoryview(exporter)))
                    self.assertEqual(memoryview(tensor).readonly, is_read_only)
                    tensor.close()
            mapped.close()
            read_only.close()

    def test_the_exporter_is_held_until_close(self):
        memory = bytearray(8)
        tensor = dlscope.asdlpack(memory)
        with self.assertRaises(BufferError):
            memory.append(1)
        capsule = tensor.__dlpack__()
        tensor.close()
        self.assertTrue(tensor.closed)
        with self.assertRaises(BufferError):
            memory.append(1)  # the capsule holds it too
        del capsule
        memory.append(1)
        tensor.close()
        self.assertEqual(repr(tensor), "<dlscope.Tensor, closed>")
        for attribute in ("shape", "dtype", "device", "read_only", "__array_interface__"):
            with self.assertRaisesRegex(ValueError, "is closed"):
                getattr(tensor, attribute)
        for call in (tensor.data_ptr, tensor.__dlpack__, tensor.__dlpack_device__, lambda: memoryview(tensor), tensor.__enter__):
            with self.assertRaisesRegex(ValueError, "is closed"):
                call()

    def test_with(self):
        memory = bytearray(8)
        with dlscope.asdlpack(memory) as tensor:
            self.assertEqual(tensor.nbytes, 8)
        self.assertTrue(tensor.closed)
        memory.append(1)

    def test_the_type(self):
        with self.assertRaisesRegex(TypeError, "from_dlpack"):
            dlscope.Tensor()
        tensor = dlscope.asdlpack(b"abc")
        self.assertEqual(type(tensor).__module__ + "." + type(tensor).__qualname__, "dlscope.Tensor")
        reference = weakref.ref(tensor)
        del tensor
        self.assertIsNone(reference())
        with self.assertRaises(TypeError):
            class Derived(dlscope.Tensor):
                pass


class Buffers(unittest.TestCase):
    def test_strides_reach_the_other_side(self):
        view = memoryview(bytearray(range(48))).cast("H", (4, 6))[::-2]
        tensor = dlscope.asdlpack(view)
        self.assertEqual((tensor.shape, tensor.strides_bytes), ((2, 6), (-24, 2)))
        self.assertEqual(memoryview(tensor).tolist(), view.tolist())
        self.assertEqual(memoryview(tensor).strides, (-24, 2))

    def test_what_a_consumer_asks_for(self):
        strided = dlscope.asdlpack(memoryview(bytearray(12))[::2])
        with self.assertRaisesRegex(BufferError, "not C-contiguous"):
            bytearray(8)[0:6] = strided  # wants bytes in a row
            struct.unpack_from("6B", strided)
        self.assertEqual(struct.unpack_from("3B", dlscope.asdlpack(b"abc")), (97, 98, 99))
        with self.assertRaises((BufferError, TypeError)):
            struct.pack_into("3B", dlscope.asdlpack(b"abc"), 0, 1, 2, 3)
        memory = bytearray(3)
        struct.pack_into("3B", dlscope.asdlpack(memory), 0, 1, 2, 3)
        self.assertEqual(memory, b"\1\2\3")

    def test_a_type_without_a_format(self):
        tensor = dlscope.from_dlpack(Producer(dtype=(4, 16, 1)))
        with self.assertRaisesRegex(BufferError, "no format for bfloat16"):
            memoryview(tensor)
        self.assertEqual(tensor.__array_interface__["typestr"], "|V2")
        packed = dlscope.from_dlpack(Producer(dtype=(0, 4, 1)))
        self.assertEqual((packed.dtype, packed.strides, packed.strides_bytes, packed.nbytes), ("int4", (3, 1), None, 3))
        with self.assertRaisesRegex(AttributeError, "not a whole number of bytes"):
            packed.__array_interface__

    def test_other_memory_has_no_buffer(self):
        tensor = dlscope.from_dlpack(Producer(device=(2, 1), claims=(2, 1)))
        with self.assertRaisesRegex(BufferError, "cuda:1"):
            memoryview(tensor)
        self.assertFalse(hasattr(tensor, "__array_interface__"))
        interface = tensor.__cuda_array_interface__
        self.assertEqual((interface["version"], interface["data"], interface["typestr"], interface["strides"], interface["stream"]),
                         (3, (tensor.data_ptr(), False), "<f4", (12, 4), 1))
        self.assertFalse(hasattr(dlscope.asdlpack(b"abc"), "__cuda_array_interface__"))


class Interfaces(unittest.TestCase):
    def test_array_interface(self):
        exporter = Interface(bytearray(24))
        tensor = dlscope.asdlpack(exporter)
        self.assertEqual((tensor.shape, tensor.strides, tensor.dtype, tensor.read_only), ((2, 3), (3, 1), "float32", False))
        self.assertIs(tensor.owner, exporter)
        self.assertEqual(tensor.__array_interface__, {"version": 3, "typestr": "<f4", "shape": (2, 3), "strides": (12, 4),
                                                      "data": (address_of(exporter.memory), False)})
        references = sys.getrefcount(exporter)
        tensor.close()
        self.assertEqual(sys.getrefcount(exporter), references - 1)  # as owner; its memory is held for who read the interface
        del tensor
        self.assertEqual(sys.getrefcount(exporter), references - 2)

    def test_who_read_an_interface_keeps_the_memory_by_the_tensor_alone(self):
        def closes(tensor):
            tensor.close()

        def ends_a_with(tensor):
            with tensor:
                pass

        for end in (closes, ends_a_with):
            memory = bytearray(24)
            tensor = dlscope.asdlpack(memory)
            interface = tensor.__array_interface__
            end(tensor)
            self.assertEqual((tensor.closed, repr(tensor)), (True, "<dlscope.Tensor, closed>"))
            with self.assertRaisesRegex(ValueError, "is closed"):
                tensor.__array_interface__
            with self.assertRaises(BufferError):
                memory.append(1)  # the address in the dictionary is still that of this memory
            self.assertEqual(interface["data"][0], address_of(memory))
            del tensor
            memory.append(1)
        producer = Producer(device=(2, 0), claims=(2, 0))
        tensor = dlscope.from_dlpack(producer)
        tensor.__cuda_array_interface__
        tensor.close()
        self.assertEqual(producer.deleted, 0)
        del tensor
        self.assertEqual(producer.deleted, 1)

    def test_a_look_at_an_interface_keeps_nothing(self):
        memory = bytearray(24)
        odd = dlscope.asdlpack(Interface(memory, shape=(2, 2), strides=(10, 4)))  # described by its array interface: no DLPack
        references = sys.getrefcount(memory)
        self.assertEqual(dlscope.describe(odd)["protocol"], "array_interface")
        self.assertTrue(dlscope.protocols(odd)["array_interface"]["accepted"])
        owner = weakref.ref(odd.owner)
        odd.close()
        self.assertIsNone(owner())
        self.assertEqual(sys.getrefcount(memory), references - 1)

    def test_read_only_stays(self):
        memory = bytearray(24)
        tensor = dlscope.asdlpack(Interface(memory, data=(address_of(memory), True)))
        self.assertEqual((tensor.read_only, memoryview(tensor).readonly), (True, True))

    def test_what_is_refused(self):
        memory = bytearray(24)
        for facts, words in (({"typestr": ">f4"}, "byte order"), ({"typestr": "|V8"}, "plain number"),
                             ({"mask": Interface(memory)}, "masked"), ({"version": 2}, "too old"),
                             ({"strides": (1, 2, 3)}, "3 strides"), ({"data": (0, False)}, "NULL|no memory")):
            with self.subTest(facts), self.assertRaisesRegex(BufferError, words):
                dlscope.asdlpack(Interface(memory, **facts))

    def test_nothing_at_all(self):
        with self.assertRaisesRegex(TypeError, "__dlpack__, __array_interface__, __cuda_array_interface__ and the buffer"):
            dlscope.asdlpack(object())
        with self.assertRaisesRegex(TypeError, "asdlpack also tries"):
            dlscope.from_dlpack(bytearray(3))
        for wrong in (lambda: dlscope.from_dlpack(), lambda: dlscope.from_dlpack(Producer(), device=1.5),
                      lambda: dlscope.from_dlpack(Producer(), copy=1), lambda: dlscope.from_dlpack(Producer(), order="C"),
                      lambda: dlscope.copy(b"a", dtype=object()), lambda: dlscope.asdlpack(b"a", b"b")):
            with self.assertRaises(TypeError):
                wrong()
        with self.assertRaisesRegex(ValueError, "order"):
            dlscope.copy(b"a", order="F")


class Exports(unittest.TestCase):
    def test_legacy_and_versioned(self):
        tensor = dlscope.asdlpack(bytearray(4))
        for keywords, name in (({}, b"dltensor"), ({"max_version": None}, b"dltensor"), ({"max_version": (0, 8)}, b"dltensor"),
                               (VERSIONED, b"dltensor_versioned"), ({"max_version": (2, 0)}, b"dltensor_versioned")):
            self.assertEqual(name_of(tensor.__dlpack__(**keywords)), name, keywords)

    def test_the_struct(self):
        producer = Producer(shape=(2, 3), strides=None, byte_offset=8)
        exported = dlscope.describe(dlscope.from_dlpack(producer))
        self.assertEqual((exported["strides_implied"], exported["strides"]), (False, [3, 1]))
        self.assertEqual((exported["byte_offset"], int(exported["data"], 16)), (0, producer.struct.tensor.data + 8))
        self.assertEqual((exported["dlpack_version"], exported["problems"]), ([1, 3], []))
        self.assertEqual(exported["flags"], {"read_only": False, "is_copied": False, "subbyte_padded": False})
        self.assertEqual((exported["library"], exported["type"]), ("dlscope", "dlscope.Tensor"))

    def test_an_opaque_handle_keeps_its_offset(self):
        exported = dlscope.describe(dlscope.from_dlpack(Producer(device=(8, 0), claims=(8, 0), byte_offset=8)))
        self.assertEqual((exported["byte_offset"], exported["device"]["name"]), (8, "metal:0"))

    def test_flags_are_carried(self):
        self.assertTrue(dlscope.describe(dlscope.from_dlpack(Producer(flags=1)))["flags"]["read_only"])
        padded = dlscope.from_dlpack(Producer(flags=4, dtype=(0, 4, 1)))
        self.assertEqual((padded.strides_bytes, dlscope.describe(padded)["flags"]["subbyte_padded"]), ((3, 1), True))

    def test_read_only_gets_no_legacy_capsule(self):
        tensor = dlscope.asdlpack(b"abcd")
        with self.assertRaisesRegex(BufferError, "read-only.*legacy"):
            tensor.__dlpack__()
        copied = tensor.__dlpack__(copy=True)
        self.assertEqual(bytes(memoryview(dlscope.from_dlpack(copied))), b"abcd")

    def test_copies_say_so(self):
        tensor = dlscope.asdlpack(memoryview(bytearray(range(12)))[::3])
        copied = dlscope.from_dlpack(tensor.__dlpack__(**VERSIONED, copy=True))
        self.assertEqual((copied.is_copied, copied.read_only, memoryview(copied).tolist()), (True, False, [0, 3, 6, 9]))
        self.assertNotEqual(copied.data_ptr(), tensor.data_ptr())
        shared = dlscope.from_dlpack(tensor.__dlpack__(**VERSIONED, copy=False))
        self.assertEqual((shared.is_copied, shared.data_ptr()), (False, tensor.data_ptr()))
        owned = dlscope.copy(tensor)
        self.assertTrue(owned.is_copied)
        self.assertFalse(dlscope.from_dlpack(owned).is_copied, "this hand-over copied nothing")

    def test_devices_and_streams(self):
        tensor = dlscope.asdlpack(bytearray(4))
        for keywords in ({"stream": None}, {"stream": -1}, {"dl_device": (1, 0)}, {"dl_device": None}, {"copy": None},
                         {"max_version": [1, 0]}):
            tensor.__dlpack__(**keywords)
        for keywords, error in (({"stream": 3}, ValueError), ({"stream": "x"}, TypeError), ({"dl_device": (2, 0)}, BufferError),
                                ({"max_version": [1]}, TypeError), ({"max_version": "1"}, TypeError), ({"copy": 1}, TypeError),
                                ({"device": None}, TypeError), ({"dl_device": "nowhere"}, ValueError)):
            with self.subTest(keywords), self.assertRaises(error):
                tensor.__dlpack__(**keywords)
        with self.assertRaises(TypeError):
            tensor.__dlpack__(None)
        on_device = dlscope.from_dlpack(Producer(device=(2, 0), claims=(2, 0)))
        for stream in (None, 1, -1):
            on_device.__dlpack__(stream=stream)
        for stream, error in ((0, ValueError), (2, BufferError), (1 << 40, BufferError)):
            with self.assertRaises(error):
                on_device.__dlpack__(stream=stream)

    def test_strides_that_are_no_whole_elements(self):
        memory = bytearray(24)
        tensor = dlscope.asdlpack(Interface(memory, shape=(2, 2), strides=(10, 4)))
        self.assertEqual((tensor.strides, tensor.strides_bytes), (None, (10, 4)))
        with self.assertRaisesRegex(BufferError, "whole elements"):
            tensor.__dlpack__()
        self.assertEqual(dlscope.copy(tensor).strides, (2, 1))
        self.assertEqual(memoryview(tensor).strides, (10, 4))

    def test_a_consumer_that_rewrites_what_it_was_given(self):
        tensor = dlscope.asdlpack(bytearray(4))
        capsule = tensor.__dlpack__(**VERSIONED)
        managed = Versioned.from_address(python.PyCapsule_GetPointer(id(capsule), b"dltensor_versioned"))
        ctypes.c_int64.from_address(managed.tensor.shape).value = 99
        self.assertEqual((tensor.shape, dlscope.from_dlpack(tensor).shape), ((4,), (4,)))


if __name__ == "__main__":
    gc.collect()
    unittest.main(verbosity=2)
