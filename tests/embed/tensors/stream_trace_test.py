"""What is recorded of hand-overs of host memory, with real libraries: that they carry no stream, and no more than a bounded number of them.
Hand-overs of device memory are recorded in tests/e2e/test_cuda.py, on a driver of our own."""

import json
import os
import tempfile

import numpy as np

from tensor_checks import TensorTest, main
import dlscope
from dlscope import _dlscope


def hand_overs(trace):
    return [(step["producer"], step["consumer"], step.get("asked", "")) for step in trace["steps"] if step["kind"] == "hand_over"]


class StreamTrace(TensorTest):
    def setUp(self):
        dlscope.stream_trace(clear=True)

    def test_nothing_is_recorded_before_a_hand_over_and_by_a_look(self):
        x = dlscope.from_dlpack(np.arange(4.0))
        dlscope.stream_trace(clear=True)
        dlscope.describe(x), dlscope.describe(np.arange(3)), dlscope.report({"x": x}), dlscope.overlap(x, x)
        trace = dlscope.stream_trace()
        self.assertEqual((trace["format"], trace["format_version"], trace["steps"]), ("dlscope-stream-trace", 1, []))

    def test_host_memory_carries_no_stream(self):
        x = np.arange(4.0)
        tensor = dlscope.from_dlpack(x)
        np.from_dlpack(tensor)
        tensor.__dlpack__(stream=None)
        tensor.__dlpack__(stream=-1, max_version=(1, 0))
        dlscope.from_dlpack(tensor.__dlpack__())
        trace = dlscope.stream_trace()
        self.assertEqual(hand_overs(trace), [
            ("numpy.ndarray", "dlscope", ""), ("dlscope.Tensor", "a consumer of dlscope's", ""), ("dlscope.Tensor", "a consumer of dlscope's", "None"),
            ("dlscope.Tensor", "a consumer of dlscope's", "-1"), ("dlscope.Tensor", "a consumer of dlscope's", ""), ("a capsule", "dlscope", "")])
        self.assertEqual({step["stream"] for step in trace["steps"]}, {"host"})
        self.assertEqual({step["what"] for step in trace["steps"]}, {"host memory has no streams"})
        self.assertEqual({buffer["bytes"] for buffer in trace["buffers"]}, {32})
        self.assertTrue(all(buffer["name"].endswith(hex(x.ctypes.data)) for buffer in trace["buffers"]))
        self.assertEqual(trace["recorded_on"], "the host's memory")

    def test_a_refused_hand_over_is_none(self):
        x = dlscope.from_dlpack(np.arange(4.0))
        dlscope.stream_trace(clear=True)
        for keywords in ({"stream": 3}, {"stream": "x"}, {"dl_device": (2, 0)}):
            with self.assertRaises((ValueError, TypeError, BufferError)):
                x.__dlpack__(**keywords)
        with self.assertRaises(TypeError):
            dlscope.from_dlpack(object())
        self.assertEqual(dlscope.stream_trace()["steps"], [])

    def test_torch(self):
        try:
            import torch
        except ImportError as error:
            self.skipTest(f"PyTorch cannot be imported: {error}")
        source = torch.arange(4.0)
        torch.from_dlpack(dlscope.from_dlpack(source))
        self.assertIn(("torch.Tensor", "dlscope", ""), hand_overs(dlscope.stream_trace()))

    def test_the_newest_of_many_stay_and_the_file_reads_back(self):
        x = np.arange(3)
        for _ in range(1000):
            dlscope.from_dlpack(x)
        last = np.zeros(5, "u1")
        dlscope.from_dlpack(last)
        trace = dlscope.stream_trace()
        self.assertLessEqual(len(trace["steps"]), 2000)
        self.assertEqual(trace["buffers"][-1]["bytes"], 5)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.streams.json")
            dlscope.save_stream_trace(path)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["steps"], trace["steps"])
            for taken in (path, folder):
                with self.assertRaises(FileExistsError):
                    dlscope.save_stream_trace(taken)
        self.assertEqual(dlscope.stream_trace(clear=True)["steps"], trace["steps"])
        self.assertEqual(dlscope.stream_trace()["steps"], [])

    def test_a_noted_call_gives_what_the_producer_gives(self):
        x = np.arange(3)
        capsule = _dlscope.noted_dlpack(x, (), {}, "somebody", (1, 0))
        self.assertEqual(dlscope.from_dlpack(capsule).data_ptr(), x.ctypes.data)
        self.assertEqual(hand_overs(dlscope.stream_trace())[0], ("numpy.ndarray", "somebody", ""))

        class Odd:
            def __dlpack__(self, *arguments, **keywords):
                if arguments == ("raise",):
                    raise ZeroDivisionError("no")
                return arguments, keywords

        self.assertEqual(_dlscope.noted_dlpack(Odd(), (5,), {"a": 1}, "x", (-1, 0)), ((5,), {"a": 1}))
        with self.assertRaises(ZeroDivisionError):
            _dlscope.noted_dlpack(Odd(), ("raise",), {}, "x", (1, 0))
        with self.assertRaises(AttributeError):
            _dlscope.noted_dlpack(object(), (), {}, "x", (1, 0))
        self.assertEqual(_dlscope.rehearse(lambda: dlscope.from_dlpack(x).shape), (3,))
        self.assertEqual(len(hand_overs(dlscope.stream_trace())), 2)

    def test_a_rehearsal_enters_no_copy_in_the_ledger(self):
        x = np.arange(3)
        before = len(dlscope.report({})["copies"])
        self.assertEqual(_dlscope.rehearse(lambda: dlscope.copy(x).shape), (3,))
        self.assertEqual(len(dlscope.report({})["copies"]), before)
        dlscope.copy(x)
        self.assertEqual(len(dlscope.report({})["copies"]), before + 1)


if __name__ == "__main__":
    main()
