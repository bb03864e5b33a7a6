"""Heat in a plate: worker processes share the grids through multiprocessing.shared_memory."""
import multiprocessing as mp
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import shared_memory

import numpy as np

SHAPE = (64, 48)
WORKERS = 2


@dataclass
class Grid:
    memory: shared_memory.SharedMemory
    values: np.ndarray

    @classmethod
    def create(cls, shape):
        memory = shared_memory.SharedMemory(create=True, size=int(np.prod(shape)) * 8)
        return cls(memory, np.ndarray(shape, np.float64, buffer=memory.buf))

    @classmethod
    def attach(cls, name, shape):
        memory = shared_memory.SharedMemory(name=name)
        return cls(memory, np.ndarray(shape, np.float64, buffer=memory.buf))

    def close(self):
        self.values = None
        self.memory.close()


class Simulation:
    def __init__(self, shape):
        self.shape = shape
        self.now, self.then = Grid.create(shape), Grid.create(shape)
        self.now.values[:] = 0
        self.now.values[0] = 100.0
        self.then.values[:] = self.now.values
        rows = np.linspace(1, shape[0] - 1, WORKERS + 1).astype(int)
        self.bands = [(int(a), int(b)) for a, b in zip(rows, rows[1:])]
        self.band_views = [self.now.values[a:b] for a, b in self.bands]
        self.residuals = []

    def step(self, pool):
        jobs = [(self.now.memory.name, self.then.memory.name, self.shape, band) for band in self.bands]
        self.residuals.append(np.array(pool.starmap(relax, jobs)))
        self.now, self.then = self.then, self.now


def relax(source, target, shape, band):
    with ExitStack() as stack:
        here, there = Grid.attach(source, shape), Grid.attach(target, shape)
        stack.callback(here.close)
        stack.callback(there.close)
        a, b = band
        new = 0.25 * (here.values[a - 1:b - 1, 1:-1] + here.values[a + 1:b + 1, 1:-1] + here.values[a:b, :-2] + here.values[a:b, 2:])
        change = float(np.abs(new - here.values[a:b, 1:-1]).max())
        there.values[a:b, 1:-1] = new
        del new
        return change


def main():
    simulation = Simulation(SHAPE)
    again = Grid.attach(simulation.now.memory.name, SHAPE)
    with mp.get_context("fork").Pool(WORKERS) as pool:
        for _ in range(4):
            simulation.step(pool)
    column = simulation.now.values[:, 10]
    log = np.memmap("log.bin", np.float32, "w+", shape=(4, WORKERS))
    log[:] = simulation.residuals
    print("mean", simulation.now.values.mean())
    finish(simulation, again, column, log)


def finish(simulation, again, column, log):
    simulation.band_views = None
    del column
    again.close()
    names = [simulation.now.memory, simulation.then.memory]
    simulation.now.values = simulation.then.values = None
    for memory in names:
        memory.close()
        memory.unlink()


if __name__ == "__main__":
    main()
