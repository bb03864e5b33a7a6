"""The states every view must draw well, as scripts, and a program that draws them all for people to look at:

    DLSCOPE_BUILD_DIR=build/test python3 tests/e2e/picture_states.py FOLDER [STATE...]     with a Python that has NumPy

test_picture_states.py draws each of them once, so that none can fail unseen.
"""

import itertools
import os
import pathlib
import subprocess
import sys

# Tensors that claim another device, or another address, than their memory has: nothing is read there, all is shown.
DEVICES = """import ctypes
import numpy as np

pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


class Elsewhere:
    def __init__(self, array, kind, number, data=None):
        self.array, self.device, self.data = array, (kind, number), data

    def __dlpack__(self, stream=None):
        capsule = self.array.__dlpack__()
        struct = pointer(capsule, b"dltensor")
        ctypes.c_int32.from_address(struct + 8).value, ctypes.c_int32.from_address(struct + 12).value = self.device
        if self.data is not None:
            ctypes.c_uint64.from_address(struct).value = self.data
        return capsule

    def __dlpack_device__(self):
        return self.device


"""

# What people train: tied weights, layers whose tensors differ by an index only, gradients, the state of an optimizer.
MODEL = """import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, words=4096, width=256, heads=4, layers=4):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        return self.head(self.encoder(self.embedding(tokens)))


net = Model()
optimizer = torch.optim.AdamW(net.parameters(), lr=3e-4)
tokens = torch.randint(0, 4096, (8, 33))
for step in range(2):
    logits = net(tokens[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
"""

# name: (script, tensor to select)
STATES = {
    "empty": ("", None),
    "no_tensors": ("print('nothing here is a tensor')\nanswer = 42\n", None),
    "one": ("import numpy as np\nx = np.arange(12.0, dtype='float32').reshape(3, 4)\n", "x"),
    "scalar": ("import numpy as np\nx = np.array(3.5)\n", "x"),
    "size_0": ("import numpy as np\nx = np.zeros((3, 0, 2), 'float32')\n", "x"),
    "rank_6": ("import numpy as np\nx = np.arange(2 * 3 * 4 * 5 * 6 * 7, dtype='int32').reshape(2, 3, 4, 5, 6, 7)\n"
               "y = x.transpose(5, 4, 3, 2, 1, 0)[::2]\n", "y"),
    "all_nan": ("import numpy as np\nx = np.full((40, 9), np.nan)\ny = x.T\n", "x"),
    "special_values": ("import numpy as np\nx = np.array([[0, -0.0, 1, np.nan], [np.inf, -np.inf, 5e-324, 1e308]])\n"
                       "z = np.array([1 + 2j, np.nan * 1j])\n", "x"),
    "long_name": ("import numpy as np\n%s = np.arange(6)\nd = {'key of a dictionary that is long, too': %s[::-1]}\n"
                  % (("a_name_of_eighty_characters_" * 3)[:80], ("a_name_of_eighty_characters_" * 3)[:80]), None),
    "views": ("import numpy as np\nbase = np.arange(24, dtype='float32').reshape(4, 6)\nflipped = base[::-1, ::-1]\n"
              "every_second = base[:, ::2]\nturned = base.T\nrepeated = np.broadcast_to(base[0], (3, 6))\n"
              "windows = np.lib.stride_tricks.sliding_window_view(base[0], 3)\none_row = base[1:2]\n", "every_second"),
    "repeated": ("import numpy as np\nrepeated = np.broadcast_to(np.arange(5, dtype='int16'), (1000000000, 5))\n", "repeated"),
    "many": ("import numpy as np\ndata = [np.arange(64, dtype='float32') for _ in range(100_000)]\n", "data[77777]"),
    "large": ("import numpy as np\nx = np.zeros((4_000_000_000,), 'uint8')\nx[1_000_000::1_000_000] = 7\n", "x"),
    "broken": ("import ctypes\nimport numpy as np\n\n\nclass Refuses:\n    def __dlpack__(self, **_):\n"
               "        raise BufferError('this library does not give out its memory')\n\n    def __dlpack_device__(self):\n"
               "        return (1, 0)\n\n\nclass Lies:\n    __array_interface__ = {'version': 3, 'shape': (4,), 'typestr': '<f4', 'data': (8, False)}\n"
               "\n\nrefuses = Refuses()\nlies = Lies()\nx = np.arange(4)\nraise ValueError('in the middle of the script')\n", "refuses"),
    "legacy": ("import numpy as np\n\n\nclass Legacy:\n    def __init__(self, array):\n        self.array = array\n\n"
               "    def __dlpack__(self, stream=None):\n        return self.array.__dlpack__()\n\n    def __dlpack_device__(self):\n"
               "        return (1, 0)\n\n\nx = np.arange(6.0)\nold = Legacy(x)\n", "old"),
    "devices": (DEVICES + "x = np.arange(6.0)\non_gpu = Elsewhere(x, 2, 0)\nsame_gpu = Elsewhere(x[1:3], 2, 0)\n"
                "other_gpu = Elsewhere(x, 2, 1)\nmetal = Elsewhere(x, 8, 0)\n", "on_gpu"),
    "null_data": (DEVICES + "x = np.arange(6.0)\nnothing = Elsewhere(x, 1, 0, data=0)\n", "nothing"),
    "narrow_types": ("import numpy as np\n\ntry:\n    import ml_dtypes\n    codes = np.arange(256, dtype='uint8').reshape(16, 16)\n"
                     "    fp8 = codes.view(ml_dtypes.float8_e4m3fn)\n    brain = np.arange(32, dtype='float32').astype(ml_dtypes.bfloat16)\n"
                     "except ImportError:\n    fp8 = np.arange(12, dtype='float16').reshape(3, 4)\n", "fp8"),
    "crashed": ("import os\nimport numpy as np\nx = np.arange(8)\nimport dlscope\ndlscope.report()\nos.abort()\n", None),
    "output": ("import sys\nfor i in range(300):\n    print(f'\\033[3{i % 8}mline {i}\\033[0m of what the script prints')\n"
               "print('a warning', file=sys.stderr)\n", None),
    "model": (MODEL, "net.encoder.layers[2].self_attn.in_proj_weight"),
}
NEEDS = {"model": "torch"}  # modules, besides NumPy

THEMES = ("dark", "light")
SCALES = ("1.0", "2.0", "3.0")
SIZES = ("1280x720", "1920x1080")
LAYOUTS = ("debug", "teach", "verify")


def variants():
    """Every theme, scale, size and layout, as options, with a name for the file."""
    for theme, scale, size, layout in itertools.product(THEMES, SCALES, SIZES, LAYOUTS):
        yield "%s-%s-%s-%s" % (layout, theme, size, scale[0] + "00"), (
            "--theme", theme, "--scale", scale, "--size", size, "--layout", layout)


def draw(program, state, options, picture, folder, env=None):
    """Draws one state; the finished process."""
    text, select = STATES[state]
    script = pathlib.Path(folder) / (state + ".py")
    script.write_text(text)
    chosen = ["--select", select] if select else []
    return subprocess.run([str(program), "--screenshot", str(picture), *options, *chosen, str(script)], env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    program = pathlib.Path(os.environ.get("DLSCOPE_PROGRAM") or pathlib.Path(os.environ["DLSCOPE_BUILD_DIR"]) / "dlscope")
    for state in sys.argv[2:] or STATES:
        for name, options in variants():
            picture = folder / ("%s-%s.png" % (state, name))
            ran = draw(program, state, options, picture, folder)
            print(picture if picture.exists() else "not drawn: %s: %s" % (picture, ran.stderr.strip()))


if __name__ == "__main__":
    main()
