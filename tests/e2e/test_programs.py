"""Programs as people write them: what must be found in each, and under which name. All libraries are the real ones."""

import os
import unittest

from harness import HOST_PYTHON, Case, has_module, line_of

TABLES_PYTHON = os.environ.get("DLSCOPE_TEST_PYTHON_TABLES") or HOST_PYTHON


class Programs(Case):
    def needs(self, *modules, python=HOST_PYTHON):
        for module in modules:
            if not has_module(module, python):
                self.skipTest("%s is not installed in %s" % (module, python))

    def names(self, ran):
        return {name: t for t in ran.report["tensors"] for name in t["names"]}

    def moment(self, text, part, *options, hit=1, code=0, **how):
        ran = self.run_script(text, "--at", "%d#%d" % (line_of(text, part), hit), *options, **how)
        self.assert_exit(ran, code)
        self.assertEqual(ran.report["scanned"], "stop", ran.err)
        return ran, self.names(ran)

    def test_a_training_loop_with_argparse_and_main(self):
        self.needs("torch")
        text = """\
import argparse
import torch

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    args = parser.parse_args()
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(8, 4)), batch_size=4)
    for step in range(args.steps):
        for (batch,) in loader:
            optimizer.zero_grad()
            loss = model(batch).square().mean()
            loss.backward()
            optimizer.step()

if __name__ == "__main__":
    main()
"""
        ran, names = self.moment(text, "optimizer.step()", hit=2, arguments=["--steps", "2"])
        for name in ("batch", "loss", "model.weight", "model.weight.grad", "optimizer.param_groups[0]['params'][0]",
                     "optimizer.state_dict()['state'][0]['momentum_buffer']", "loader.dataset.tensors[0]"):
            self.assertIn(name, names)
        self.assertEqual(names["batch"]["frame"]["function"], "main")
        self.assertIn("optimizer.param_groups[0]['params'][0]", names["model.weight"]["names"])

    def test_a_class_based_trainer_that_raises(self):
        self.needs("numpy")
        ran = self.run_script("""\
            import numpy as np
            class Trainer:
                scale = np.ones(1)
                def __init__(self, size):
                    self.weights = np.zeros((size, size), np.float32)
                    self._velocity = np.zeros_like(self.weights)
                    self.history = []
                def step(self, grad):
                    update = grad * self.scale
                    self.history.append(update[0])
                    raise FloatingPointError("the loss is NaN")
                def fit(self, data):
                    for row in data:
                        self.step(row[:, None] * row)
            def main():
                data = np.ones((4, 3), np.float32)
                Trainer(3).fit(data)
            main()
            """)
        self.assert_exit(ran, 1)
        names = self.names(ran)
        for name in ("grad", "update", "self.weights", "self._velocity", "self.history[0]", "Trainer.scale", "main().data", "Trainer.fit().row"):
            self.assertIn(name, names)
        self.assertIn("Trainer.fit().self.weights", names["self.weights"]["names"])
        ids = {t["id"]: t for t in ran.report["tensors"]}
        pairs = {(ids[p["a"]]["name"], ids[p["b"]]["name"]) for p in ran.report["sharing"] if p["shared_bytes"]}
        self.assertIn(("update", "self.history[0]"), pairs)

    def test_a_dataclass_config(self):
        self.needs("numpy")
        ran = self.run_script("""\
            from dataclasses import dataclass, field
            import numpy as np
            @dataclass
            class Optim:
                betas: np.ndarray
            @dataclass(frozen=True)
            class Config:
                mean: np.ndarray
                std: np.ndarray = field(default_factory=lambda: np.ones(3))
                optim: Optim = None
                extra: dict = field(default_factory=dict)
            config = Config(np.zeros(3), optim=Optim(np.array([0.9, 0.99])), extra={"lut": np.arange(4)})
            """)
        self.assert_exit(ran, 0)
        self.assertLessEqual({"config.mean", "config.std", "config.optim.betas", "config.extra['lut']"}, set(self.names(ran)))

    def test_an_image_pipeline(self):
        self.needs("PIL", "numpy")
        text = """\
from PIL import Image
import numpy as np

def load(size):
    return Image.new("RGB", (size, size), (255, 0, 0))

def to_array(image):
    pixels = np.asarray(image)
    planes = pixels.transpose(2, 0, 1)
    return planes[::-1]

def main():
    image = load(8)
    bgr = to_array(image)
    batch = np.stack([bgr, bgr])
    print(batch.shape)

main()
"""
        ran, names = self.moment(text, "print(batch.shape)")
        self.assertEqual((names["bgr"]["shape"], names["bgr"]["strides_bytes"]), ([3, 8, 8], [-1, 24, 3]))
        self.assertIsNone(names["image"]["protocol"], "asking a picture for its array would copy it")
        inside, names = self.moment(text, "return planes", "--expect", "pixels shares planes")
        self.assertEqual(set(names) & {"pixels", "planes", "image", "main().image"}, {"pixels", "planes", "image", "main().image"})

    def test_a_pandas_analysis(self):
        self.needs("pandas", python=TABLES_PYTHON)
        text = """\
import numpy as np
import pandas as pd

def analyse(frame):
    values = frame["price"].to_numpy()
    by_shop = frame.groupby("shop")["price"].mean()
    return values, by_shop

frame = pd.DataFrame({"price": np.arange(6.0), "shop": pd.Categorical(list("aabbcc")), "day": pd.date_range("2024-01-01", periods=6)})
values, by_shop = analyse(frame)
print(by_shop)
"""
        ran = self.run_script(text, python=TABLES_PYTHON)
        names = self.names(ran)
        self.assertLessEqual({"frame['price']", "frame['shop'].array._ndarray", "frame['day'].array._ndarray", "values", "by_shop"}, set(names))
        self.assertEqual(names["values"]["address"], names["frame['price']"]["address"])
        self.assertIn("datetime64", names["frame['day'].array._ndarray"]["dtype"]["name"])

    def test_a_polars_analysis(self):
        self.needs("polars", python=TABLES_PYTHON)
        ran = self.run_script("""\
            import polars as pl
            frame = pl.DataFrame({"price": [1.0, 2.0, None, 4.0], "shop": ["a", "b", "a", "b"]})
            head = frame.head(2)
            plan = frame.lazy().group_by("shop").agg(pl.col("price").mean())
            """, python=TABLES_PYTHON)
        self.assert_exit(ran, 0)
        names = self.names(ran)
        self.assertEqual(names["frame['price']"]["shape"], [4])
        self.assertIn("frame['price']<validity>", names)
        self.assertEqual(names["head['price']"]["address"], names["frame['price']"]["address"])
        self.assertTrue(any("LazyFrame" in entry["type"] for entry in ran.report["not_entered"]))

    def test_an_asyncio_server(self):
        self.needs("numpy")
        text = """\
import asyncio
import numpy as np

CACHE = {}

async def handle(reader, writer):
    data = await reader.read(64)
    request = np.frombuffer(data, np.uint8)
    CACHE[len(CACHE)] = request[::2]
    writer.write(data)
    writer.close()

async def main():
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    pending = asyncio.ensure_future(asyncio.sleep(60, np.zeros(2)))
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b"abcdefgh")
    reply = await reader.read(64)
    pending.cancel()

asyncio.run(main())
"""
        ran, names = self.moment(text, "writer.write(data)")
        self.assertEqual(names["request"]["frame"]["function"], "handle")
        self.assertEqual(names["CACHE[0]"]["shape"], [4])
        self.assertIn("data", names)

    def test_a_thread_pool(self):
        self.needs("numpy")
        ran = self.run_script("""\
            from concurrent.futures import ThreadPoolExecutor
            import numpy as np
            image = np.zeros((8, 8))
            def tile(i):
                return image[i * 2:i * 2 + 2]
            with ThreadPoolExecutor(2) as pool:
                futures = [pool.submit(tile, i) for i in range(4)]
            """)
        self.assert_exit(ran, 0)
        names = self.names(ran)
        self.assertEqual({f"futures[{i}]._result" for i in range(4)} - set(names), set())
        contained = [p for p in ran.report["sharing"] if p["relation"] == "contains"]
        self.assertEqual(len(contained), 4, "each tile is a part of the image")

    def test_multiprocessing(self):
        self.needs("numpy")
        text = """\
import multiprocessing as mp
from multiprocessing import shared_memory
import numpy as np

def fill(name):
    block = shared_memory.SharedMemory(name)
    np.ndarray((4,), np.float64, block.buf)[:] = 7
    block.close()
    return np.arange(3)

def main():
    block = shared_memory.SharedMemory(create=True, size=32)
    table = np.ndarray((4,), np.float64, block.buf)
    with mp.get_context("spawn").Pool(1) as pool:
        results = pool.map(fill, [block.name])
    try:
        print(table[0])
    finally:
        del table
        block.close()
        block.unlink()

if __name__ == "__main__":
    main()
"""
        ran, names = self.moment(text, "print(table[0])", "--expect", "table shares block._buf")
        self.assertIn("results[0]", names)
        self.assertEqual(names["table"]["address"], names["block._buf"]["address"])

    def test_a_pytest_module(self):
        self.needs("pytest", "numpy", python=TABLES_PYTHON)
        text = """\
import numpy as np
import pytest

@pytest.fixture
def weights():
    return np.zeros((2, 2))

def test_views(weights):
    view = weights.T
    assert view.base is weights

class TestSum:
    def test_sum(self, weights):
        total = weights.sum(axis=0)
        assert total.shape == (2,)
"""
        self.write(text, "test_model.py")
        for part, expected in (("assert view", {"weights", "view"}), ("assert total", {"weights", "total"})):
            ran = self.dlscope("--headless", "--python", TABLES_PYTHON, "--report", self.report_path, "--at",
                               "test_model.py:%d" % line_of(text, part), "-c", "import pytest; pytest.main(['-q', '-p', 'no:cacheprovider', 'test_model.py'])")
            self.assertEqual(ran.report["scanned"], "stop", ran.err)
            self.assertLessEqual(expected, {t["name"] for t in ran.report["tensors"] if t["scope"] == "local"})

    def test_a_package_that_is_run_as_a_module(self):
        self.needs("numpy")
        self.write("", "trainer/__init__.py")
        self.write("import numpy as np\nclass Net:\n    def __init__(self):\n        self.weight = np.ones((3, 2))\n", "trainer/nets.py")
        text = """\
import argparse
from .nets import Net

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int)
    net = Net()
    for step in range(parser.parse_args().steps):
        update = net.weight.T * step
        net.weight += update.T
    return net

if __name__ == "__main__":
    trained = main()
"""
        path = self.write(text, "trainer/__main__.py")
        ran = self.dlscope("--python", HOST_PYTHON, "--report", self.report_path, "-m", "trainer", "--steps", "2")
        self.assert_exit(ran, 0)
        self.assertEqual(ran.report["script"]["path"], os.path.realpath(path))
        self.assertEqual(self.names(ran)["trained.weight"]["shape"], [3, 2])
        stop = "trainer/__main__.py:%d#2" % line_of(text, "net.weight +=")
        ran = self.dlscope("--python", HOST_PYTHON, "--report", self.report_path, "--at", stop, "-m", "trainer", "--steps", "2")
        self.assertEqual(ran.report["scanned"], "stop", ran.err)
        self.assertEqual(self.names(ran)["update"]["shape"], [2, 3])
        ran = self.dlscope("--python", HOST_PYTHON, "--report", self.report_path, path)
        self.assert_exit(ran, 1)
        self.assertIn("dlscope -m trainer in the folder " + os.path.realpath(self.folder), ran.err)

    def test_a_jax_scan(self):
        self.needs("jax")
        ran = self.run_script("""\
            import jax, jax.numpy as jnp
            def step(carry, x):
                return carry + x, carry * x
            def run(xs):
                total, outputs = jax.lax.scan(step, jnp.zeros(3), xs)
                state = {"total": total, "outputs": outputs}
                raise RuntimeError("after the scan")
            run(jnp.ones((5, 3)))
            """)
        self.assert_exit(ran, 1)
        names = self.names(ran)
        self.assertEqual((names["outputs"]["shape"], names["outputs"]["library"]), ([5, 3], "jax"))
        self.assertIn("state['outputs']", names["outputs"]["names"])

    def test_compiled_functions_are_compiled_as_without_a_stop(self):
        self.needs("torch")
        text = """\
import torch
from torch._dynamo.utils import counters

def inner(x):
    y = x * 2
    return y + 1

def model(x):
    a = inner(x)
    if a.shape[0] > 2:
        a = a * 3
    return a.relu()

def total(x):
    values = x * 1
    return values.sum()

compiled = torch.compile(model, backend="eager", fullgraph=True)
for n in (4, 4, 5):
    result = total(compiled(torch.ones(n)))
print(result.item(), sorted(counters["stats"].items()), dict(counters["graph_break"]))
"""
        plain = self.run_script(text)
        self.assert_exit(plain, 0)
        self.assertIn("45.0", plain.out)
        never = self.run_script(text, "--at", "%d#99" % line_of(text, "return values.sum()"))
        self.assert_exit(never, 4)
        self.assertEqual(plain.out.splitlines()[0], never.out.splitlines()[0])
        inside = self.run_script(text, "--at", "%d" % line_of(text, "return y + 1"))
        self.assert_exit(inside, 4)
        self.assertEqual(plain.out.splitlines()[0], inside.out.splitlines()[0])
        self.assertTrue(any("torch.compile" in event["text"] for event in inside.report["events"]), inside.report["events"])
        reached, names = self.moment(text, "return values.sum()", hit=3)
        self.assertEqual(names["values"]["shape"], [5])

    def test_a_jitted_step_stops_only_while_it_is_traced(self):
        self.needs("jax")
        text = """\
import jax
import jax.numpy as jnp

def inner(x):
    return x + 1

@jax.jit
def step(x):
    y = inner(x)
    return y * 2

def both(x):
    return x - 1.0

recorded = jax.jit(both)

def eager(x):
    return x * 3.0

gradient = jax.grad(eager)
for i in range(5):
    z = step(jnp.ones(3))
    slope = gradient(1.0)
    recorded(jnp.ones(3))
    if i < 2:
        both(jnp.ones(3))
print(z)
"""
        self.moment(text, "return y * 2")
        for part in ("return y * 2", "return x + 1"):
            never = self.run_script(text, "--at", "%d#3" % line_of(text, part))
            self.assert_exit(never, 4)
            self.assertIn("while JAX (jit, scan, ...) traced", never.err)
            self.assertTrue(any("while JAX (jit, scan, ...) traced" in event["text"] for event in never.report["events"]), never.report["events"])
        self.moment(text, "return x * 3.0", hit=5)  # traced each time, and compiled never
        never = self.run_script(text, "--at", "%d#9" % line_of(text, "return x * 3.0"))
        self.assert_exit(never, 4)
        self.assertNotIn("JAX", never.err)
        self.moment(text, "return x - 1.0", hit=3)  # traced once, and run as it is twice
        never = self.run_script(text, "--at", "%d#9" % line_of(text, "return x - 1.0"))
        self.assert_exit(never, 4)
        self.assertNotIn("JAX", never.err)

    def test_a_tf_function_is_named(self):
        self.needs("tensorflow")
        text = """\
import tensorflow as tf

@tf.function
def step(x):
    y = x * 2
    return y + 1

for i in range(3):
    z = step(tf.ones(3))
"""
        never = self.run_script(text, "--at", "%d" % line_of(text, "return y + 1"))
        self.assert_exit(never, 4)
        self.assertIn("tf.function runs this function as compiled code", never.err)

    def test_a_fortran_order_solver(self):
        self.needs("scipy")
        text = """\
import numpy as np
import scipy.linalg
import scipy.sparse

def solve(n):
    a = np.asfortranarray(np.eye(n) * 2)
    b = np.ones((n, 2), order="F")
    lu, piv = scipy.linalg.lu_factor(a, overwrite_a=True)
    x = scipy.linalg.lu_solve((lu, piv), b, overwrite_b=True)
    stencil = scipy.sparse.csr_array(a)
    return x

solve(4)
"""
        ran, names = self.moment(text, "return x", "--expect", "a identical lu")
        self.assertEqual((names["a"]["contiguity"], names["b"]["contiguity"]), ("f", "f"))
        self.assertLessEqual({"stencil.data", "stencil.indices", "stencil.indptr", "x", "piv"}, set(names))

    def test_a_generator_pipeline(self):
        self.needs("numpy")
        ran = self.run_script("""\
            import numpy as np
            def read(n):
                block = np.zeros((4, 8))
                for i in range(n):
                    block[:] = i
                    yield block[i]
            def scale(rows, by):
                gain = np.full(8, by)
                for row in rows:
                    yield row * gain
            pipeline = scale(read(4), 2.0)
            first = next(pipeline)
            """)
        self.assert_exit(ran, 0)
        names = self.names(ran)
        self.assertIn("pipeline.gi_frame.f_locals['gain']", names)
        self.assertIn("pipeline.gi_frame.f_locals['rows'].gi_frame.f_locals['block']", names)
        self.assertIn("pipeline.gi_frame.f_locals['row']", names)


if __name__ == "__main__":
    unittest.main()
