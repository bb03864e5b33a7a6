"""A tour of what tensors do in memory. Run it with dlscope and look: same colour, same bytes.

Each name below is one row of the table; the comments say what to expect there. It runs with NumPy alone and says what else it
would have used.
"""

import importlib

import numpy as np


def library(name):
    """The library, or None and a word about what is missed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name} is not installed: its part of the tour is left out")
        return None


# 1. An array, and three ways to look at the same bytes without copying any.
temperatures = np.arange(24, dtype="float32").reshape(4, 6)
first_rows = temperatures[:2]  # a view: fewer bytes, same address
transposed = temperatures.T  # the same bytes, the strides swapped: 4 and 24 instead of 24 and 4
every_other = temperatures[::2, ::-1]  # a negative stride: its first element lies at the end of a row

# 2. Two views that interleave: their extents overlap, yet they share not one byte.
even_columns = temperatures[:, 0::2]
odd_columns = temperatures[:, 1::2]

# 3. A broadcast: twelve elements that all live in four bytes. Its strides are 0.
one = np.ones(1, dtype="float32")
broadcast = np.broadcast_to(one, (3, 4))

# 4. An overlap of an array with itself: a sliding window reaches most bytes several times.
windows = np.lib.stride_tricks.sliding_window_view(temperatures[0], 3)

# 5. A read-only array. Only versioned capsules can say so; a legacy capsule has no place for the flag.
constant = np.linspace(0, 1, 5)
constant.flags.writeable = False

# 6. Plain Python memory counts too. What is written through the second name shows under the first.
raw = bytearray(64)
words = memoryview(raw).cast("i")
words[3] = 7

# 7. The same bytes read from one byte further on: not aligned. Legal, slower, and refused by some.
shifted = np.frombuffer(raw, dtype="float32", offset=1, count=15)

# 8. A hand-over that shares: PyTorch takes the array's memory, and a write on one side shows on the other.
torch = library("torch")
if torch:
    tensor = torch.from_dlpack(temperatures)
    tensor[0, 0] = -40.0
    assert temperatures[0, 0] == -40.0
    layer = torch.nn.Linear(6, 2)  # parameters refuse to be exported: the refusal is shown, and their memory all the same

# 9. A hand-over that silently copies: JAX shares a buffer only when it begins at a multiple of 64 bytes (less on some builds).
#    The two calls look alike and neither says what it did; the addresses do.
jax = library("jax")
if jax:
    pool = np.zeros(1024, dtype="uint8")
    start = -pool.ctypes.data % 64
    aligned = pool[start : start + 256].view("float32")
    unaligned = pool[start + 4 : start + 260].view("float32")
    shared_with_jax = jax.dlpack.from_dlpack(aligned)  # the address of `aligned`
    copied_by_jax = jax.dlpack.from_dlpack(unaligned)  # another address

# 10. Tensors hide in containers; there they are called what you would type to reach them.
state = {"step": np.zeros((), dtype="int64"), "moments": [np.zeros(6), np.ones(6)]}

dlscope = library("dlscope")
if dlscope:
    print("transposed and temperatures:", dlscope.overlap(temperatures, transposed)["relation"])
    print("even and odd columns:       ", dlscope.overlap(even_columns, odd_columns)["relation"])
    print("bytes behind the broadcast: ", dlscope.describe(broadcast)["distinct_bytes"], "for", broadcast.nbytes, "shown")
    if torch:
        print("PyTorch and the array:      ", "shared" if dlscope.shares_memory(temperatures, tensor) else "copied")
    if jax:
        print("JAX, aligned buffer:        ", "shared" if dlscope.shares_memory(aligned, shared_with_jax) else "copied")
        print("JAX, unaligned buffer:      ", "shared" if dlscope.shares_memory(unaligned, copied_by_jax) else "copied")
