"""What runs on a real CUDA device: PyTorch, CuPy and JAX tensors there, judged by the libraries themselves. Everything of it that needs
no device is in test_cuda.py, against a driver of our own. Skipped where the test Python's PyTorch sees no CUDA device."""

import os
import subprocess
import sys
import unittest

from harness import Case, HOST_PYTHON, environment, has_module

SEEN = subprocess.run([HOST_PYTHON, "-c", "import torch, sys; sys.exit(not torch.cuda.is_available())"], env=environment(),
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0 if has_module("torch") else False
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # JAX would take most of the device


@unittest.skipUnless(SEEN, "no PyTorch that sees a CUDA device")
class Gpu(Case):
    def test_claims_allocations_sharing_and_values(self):
        ran = self.run_script("""
import numpy as np, torch
x = torch.arange(24, dtype=torch.float32, device="cuda").reshape(4, 6)
turned, rows = x.t(), x[1:3]
pinned = torch.ones(100).pin_memory()
host = pinned.numpy()
half = torch.randn(1000, 1001, device="cuda", dtype=torch.bfloat16)
many = torch.randn(1 << 24, device="cuda")
many[12345678] = float("nan")
many[-1] = float("inf")
expected = {"min": many[many.isfinite()].min().item(), "max": many[many.isfinite()].max().item(),
            "mean": many[many.isfinite()].double().mean().item(), "zero": (many == 0).sum().item()}
print("EXPECTED", expected)
labels = torch.randint(-5, 1000, (3, 1 << 20), device="cuda")
every_second = many[::2]
""", "--stats", "exact", "--expect", "x shares turned", "--expect", "pinned identical host")
        self.assert_exit(ran, 0)
        x = ran.tensor("x")
        self.assertEqual((x["space"], x["device_by_driver"]["name"], x["problems"]), ("cuda:0", "cuda:0", []))
        self.assertEqual(x["allocation"]["source"], "driver")
        self.assertEqual(ran.tensor("host")["device_by_driver"]["name"], "cuda_host:0")
        self.assertEqual(ran.tensor("turned")["stats"]["mean"], 11.5)
        expected = eval(next(line for line in ran.out.splitlines() if line.startswith("EXPECTED"))[9:])
        stats = ran.tensor("many")["stats"]
        self.assertEqual((stats["min"], stats["max"], stats["zero"]), (expected["min"], expected["max"], expected["zero"]))
        self.assertAlmostEqual(stats["mean"], expected["mean"], delta=1e-12)  # of a standard deviation of 1
        self.assertEqual((stats["nan"], stats["pos_inf"]), (1, 1))
        self.assertEqual(ran.tensor("every_second")["stats"]["count"], 1 << 23)
        self.assertEqual(ran.report["copies"], [])

    def test_copies_agree_with_the_library(self):
        ran = self.run_script("""
import numpy as np, torch, dlscope
def same(ours, theirs):
    back = torch.from_dlpack(ours)
    assert back.device == theirs.device and back.shape == theirs.shape and torch.equal(back, theirs), (back, theirs)

g = torch.Generator().manual_seed(1)
x = torch.randn(37, 53, 29, generator=g)
on = x.cuda()
for view in (lambda t: t, lambda t: t.permute(2, 0, 1), lambda t: t[::3, 1::2, 5:], lambda t: t[3, 4:9].t(), lambda t: t[:1, :1, :1]):
    for dtype in (torch.float32, torch.float64, torch.int8, torch.int16, torch.complex64):
        here, there = view(x.to(dtype)), view(on.to(dtype))
        same(dlscope.copy(here, device="cuda:0"), here.cuda())
        same(dlscope.copy(there, device="cpu"), there.cpu())
        same(dlscope.copy(there, device="cuda:0"), there)
        assert dlscope.contiguous(there).device == (2, 0)
        same(dlscope.contiguous(there), there)
same(dlscope.copy(on[:, 3], device="cuda:0", dtype="int32"), on[:, 3].to(torch.int32))
numbers = np.arange(12.0).reshape(3, 4)[:, ::-1]
same(dlscope.from_dlpack(numbers, device="cuda:0"), torch.from_numpy(numbers.copy()).cuda())
pinned = dlscope.copy(x, device="cuda_host")
assert pinned.device == (3, 0) and torch.equal(torch.from_numpy(np.asarray(pinned)), x)
managed = dlscope.copy(x, device="cuda_managed:0")
assert managed.device == (13, 0) and torch.equal(torch.from_numpy(np.asarray(managed)), x)

free = torch.cuda.mem_get_info()[0]
for _ in range(20):
    kept = dlscope.copy(torch.empty(1 << 26), device="cuda:0")  # 256 MiB, given back each time
del kept
assert torch.cuda.mem_get_info()[0] > free - (1 << 28), (free, torch.cuda.mem_get_info())
try:
    dlscope.copy(torch.empty(1).expand(1 << 36), device="cuda:0")
except (MemoryError, BufferError) as error:
    print("REFUSED", error)
""")
        self.assert_exit(ran, 0)
        self.assertIn("REFUSED", ran.out)

    def test_a_consumer_on_its_own_stream_waits_for_the_producer(self):
        ran = self.run_script("""
import torch, dlscope
x = torch.zeros(1 << 20, device="cuda")
stream = torch.cuda.Stream()
for round in range(20):
    torch.cuda.synchronize()
    torch.cuda._sleep(20_000_000)  # the default stream is busy, and then
    x.fill_(round + 1)
    held = dlscope.from_dlpack(x)
    with torch.cuda.stream(stream):
        seen = torch.from_dlpack(held).sum()
        seen.item()
    assert seen.item() == (round + 1) * x.numel(), (round, seen)
""")
        self.assert_exit(ran, 0)

    def test_a_graph_that_is_captured_survives_being_looked_at(self):
        ran = self.run_script("""
import torch, dlscope
fixed, other = torch.zeros(1 << 20, device="cuda"), torch.ones(1 << 20, device="cuda")
graph = torch.cuda.CUDAGraph()
torch.cuda.synchronize()
with torch.cuda.graph(graph):
    doubled = fixed * 2
    names = [tensor["name"] for tensor in dlscope.report()["tensors"]]
    mean = dlscope.stats(other)["mean"]
fixed.fill_(3)
graph.replay()
torch.cuda.synchronize()
assert (doubled == 6).all() and mean == 1 and "other" in names, (doubled, mean, names)
""")
        self.assert_exit(ran, 0)

    @unittest.skipUnless(has_module("cupy"), "no CuPy in the test Python")
    def test_cupy_and_managed_memory(self):
        ran = self.run_script("""
import cupy, torch, dlscope
c = cupy.arange(40, dtype=cupy.float32).reshape(5, 8)
t = torch.from_dlpack(c)
back = cupy.from_dlpack(dlscope.from_dlpack(t))
managed = cupy.ndarray((16,), dtype=cupy.float32, memptr=cupy.cuda.malloc_managed(64))
managed[...] = 3
stream = cupy.cuda.Stream(non_blocking=True)
with stream:
    on_stream = cupy.from_dlpack(dlscope.from_dlpack(t)) + 1
stream.synchronize()
assert (on_stream == c + 1).all() and dlscope.stats(c)["mean"] == 19.5
""", "--stats", "exact", "--expect", "c identical t", "--expect", "c identical back")
        self.assert_exit(ran, 0)
        managed = ran.tensor("managed")
        self.assertEqual((managed["device_by_driver"]["name"], managed["space"], managed["stats"]["mean"]), ("cuda_managed:0", "host", 3))

    @unittest.skipUnless(has_module("jax"), "no JAX in the test Python")
    def test_jax_shares_with_pytorch(self):
        ran = self.run_script("""
import jax, numpy as np, torch
j = jax.device_put(np.arange(5.0, dtype=np.float32))
if j.device.platform != "gpu":
    print("JAX has no device here")
t = torch.from_dlpack(j)
""", "--stats", "exact", "--expect", "j identical t")
        self.assert_exit(ran, 0)
        self.assertEqual(ran.tensor("j")["stats"]["max"], 4)

    def test_a_lying_producer_is_named_and_not_read(self):
        ran = self.run_script("""
import torch
class Lie:
    def __init__(self, address): self.address = address
    @property
    def __cuda_array_interface__(self): return {"shape": (4,), "typestr": "<f4", "data": (self.address, False), "version": 3}
x = torch.zeros(4, device="cuda")
host = torch.zeros(4)
good, lie, nowhere = Lie(x.data_ptr()), Lie(host.data_ptr()), Lie(0x10000)
torch.cuda.synchronize()
""", "--stats", "exact")
        self.assert_exit(ran, 0)
        self.assertEqual(ran.tensor("good")["problems"], [])
        for name in ("lie", "nowhere"):
            self.assertEqual([problem["code"] for problem in ran.tensor(name)["problems"]], ["device_mismatch"])
            self.assertIsNone(ran.tensor(name)["stats"])


if __name__ == "__main__":
    if not SEEN:
        print("skipped: the test Python has no PyTorch that sees a CUDA device")
        sys.exit(77)
    unittest.main(verbosity=2)
