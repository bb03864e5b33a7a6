"""What dlscope does on a CUDA device beside what the device can do: run it with a Python whose PyTorch sees one.

    PYTHONPATH=build/release/python python3 tests/bench/device_bench.py [GIB]

Every result is checked against PyTorch's before it is timed. The calibrations are of the same run: a copy of pinned memory across the
bus, a clone on the device. Best of several, in milliseconds; ratios to the calibration, for the bytes that have to move.
"""

import math
import sys
import time

import numpy as np
import torch

import dlscope

GIB = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
COUNT = int(GIB * (1 << 30)) // 4


def best(work, rounds=5):
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        began = time.perf_counter()
        result = work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - began)
        del result
    return min(times)


def row(label, seconds, size, calibration):
    rate = size / seconds
    print("  %-46s %9.2f ms  %8.1f GB/s  %5.0f %%" % (label, 1e3 * seconds, rate / 1e9, 100 * rate / calibration), flush=True)


def check_statistics(tensor):
    found, double = dlscope.stats(tensor), tensor.double()
    assert found["count"] == tensor.numel() and found["nan"] == 0
    assert (found["min"], found["max"], found["zero"]) == (tensor.min().item(), tensor.max().item(), (tensor == 0).sum().item())
    assert abs(found["mean"] - double.mean().item()) <= found["mean_error"] + 1e-12, (found["mean"], double.mean().item())
    assert math.isclose(found["std"], double.std(correction=0).item(), rel_tol=1e-9)


def main():
    print("%s, PyTorch %s, dlscope %s, %.2f GiB" % (torch.cuda.get_device_name(), torch.__version__, dlscope.__version__, GIB))
    x = torch.randn(COUNT, device="cuda")
    pinned = torch.empty(COUNT, pin_memory=True)
    size = 4 * COUNT
    bus = size / best(lambda: pinned.copy_(x))
    device = 2 * size / best(lambda: x.clone())
    print("calibration: bus %.1f GB/s, device %.0f GB/s (bytes read and written)" % (bus / 1e9, device / 1e9))

    print("statistics with histogram and quantiles (ratio to what the device reads and writes)")
    side = math.isqrt(COUNT)
    square = x[:side * side].view(side, side)
    for label, tensor in (("float32", x), ("float32 transposed", square.t()), ("float32, every second", x[::2]),
                          ("float64", torch.randn(COUNT // 2, dtype=torch.float64, device="cuda")),
                          ("bfloat16", torch.randn(COUNT * 2, dtype=torch.bfloat16, device="cuda")),
                          ("int32", torch.randint(-1000, 1000, (COUNT,), dtype=torch.int32, device="cuda")),
                          ("uint8", torch.randint(0, 255, (COUNT * 4,), dtype=torch.uint8, device="cuda"))):
        check_statistics(tensor[:1 << 22] if tensor.dim() == 1 else tensor[:64])
        row(label, best(lambda: dlscope.stats(tensor)), tensor.numel() * tensor.element_size(), device)
    row("PyTorch: mean, std, min, max, isnan of float32", best(lambda: (x.mean(), x.std(), x.min(), x.max(), x.isnan().sum())), size, device)

    print("copies on the device (read and written)")
    for label, source in (("dense", x), ("transposed", square.t()), ("every second", x[::2]), ("reversed rows", square.flip(0))):
        made = torch.from_dlpack(dlscope.copy(source, device="cuda:0"))
        assert torch.equal(made, source)
        moved = 2 * source.numel() * source.element_size()
        row(label, best(lambda: dlscope.copy(source, device="cuda:0")), moved, device)
        row("  PyTorch", best(lambda: source.clone(memory_format=torch.contiguous_format)), moved, device)

    print("across the bus (ratio to pinned memory)")
    host = torch.randn(COUNT)
    assert torch.equal(torch.from_dlpack(dlscope.copy(host, device="cuda:0")), host.cuda())
    row("host to device", best(lambda: dlscope.copy(host, device="cuda:0"), 3), size, bus)
    row("  PyTorch, from the same memory", best(lambda: host.cuda(), 3), size, bus)
    for label, source in (("device to host", x), ("device to host, transposed", square.t()), ("device to host, every second", x[::2])):
        taken = dlscope.asdlpack(source)  # so that dlscope brings it, and not its library
        assert np.array_equal(np.asarray(dlscope.copy(taken)), source.cpu().numpy())
        row(label, best(lambda: dlscope.copy(taken), 3), source.numel() * 4, bus)
        row("  PyTorch", best(lambda: source.cpu(), 3), source.numel() * 4, bus)
    small = torch.randn(1000, device="cuda")
    print("statistics of 1000 values %.2f ms, a copy of them to the host %.2f ms" %
          (1e3 * best(lambda: dlscope.stats(small)), 1e3 * best(lambda: dlscope.copy(dlscope.asdlpack(small)))))


main()
