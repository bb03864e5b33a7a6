"""Two programs of some length (tests/e2e/programs): every tensor that is alive at a moment in the middle is found, no other one, each with the
names and the sharing that its author would give."""

import collections
import pathlib
import unittest

from harness import HOST_PYTHON, Case, has_module

PROGRAMS = pathlib.Path(__file__).parent / "programs"


class LongPrograms(Case):
    def moment(self, name, part, hit=1, arguments=()):
        """The report of the moment before the last line with `part` runs."""
        script = PROGRAMS / name
        line = max(i for i, text in enumerate(script.read_text().splitlines(), 1) if part in text)
        ran = self.dlscope("--headless", "--python", HOST_PYTHON, "--at", "%d#%d" % (line, hit), "--report", self.report_path, script, *arguments)
        self.assert_exit(ran, 0)
        self.assertEqual(ran.report["scanned"], "stop", ran.err)
        return ran

    def test_a_trainer_of_nested_modules(self):
        if not has_module("torch"):
            self.skipTest("torch is not installed in " + HOST_PYTHON)
        ran = self.moment("trainer.py", "callback.on_step(", hit=5, arguments=["--steps", "3"])  # the third step, the first callback
        tensors = ran.report["tensors"]
        parameters = 25  # an embedding, which is the head's weight, too, and 12 in each of two blocks
        # Each with its gradient, three of the optimizer's and the average's copy; two masks, a batch of two, seven of the output, the tokens,
        # two losses and the best logits so far.
        self.assertEqual(len(tensors), 6 * parameters + 2 + 2 + 7 + 1 + 3, sorted(t["name"] for t in tensors))
        for names in (("batch['input_ids']",), ("output.loss",), ("output.logits",), ("output.hidden_states[2]",), ("output.attentions[1]",),
                      ("callback.losses[1]", "self.callbacks[0].losses[1]", "main().trainer.callbacks[0].losses[1]"),
                      ("callback.best['logits']",), ("self.dataset.tokens", "main().trainer.dataset.tokens"),
                      ("main().model.embedding.weight", "main().model.head.weight", "self.model.head.weight",
                       "self.optimizer.param_groups[0]['params'][0]"),
                      ("main().model.blocks[1].attention.mask",), ("main().model.blocks[0].norms.before.weight",),
                      ("main().model.blocks[1].mlp[2].bias",), ("self.callbacks[1].shadow['blocks.0.attention.qkv.weight']",),
                      ("self.optimizer.state_dict()['state'][24]['exp_avg_sq']",)):
            for name in names:
                self.assertIs(ran.tensor(name), ran.tensor(names[0]))
        self.assertEqual(sum(t["names"][0].endswith(".grad") for t in tensors), parameters)
        self.assertEqual(ran.report["sharing"], [], "one tensor with several names is not two that share")
        self.assertEqual(ran.tensor("output.loss")["frame"]["function"], "Trainer.train")
        self.assertIn("torch.optim.lr_scheduler.LambdaLR", [each["type"] for each in ran.report["not_entered"]])

    def test_a_simulation_in_shared_memory(self):
        if not has_module("numpy"):
            self.skipTest("numpy is not installed in " + HOST_PYTHON)
        ran = self.moment("simulation.py", "    finish(simulation, again, column, log)")
        now = {"simulation.now.values", "simulation.now.memory._buf", "again.values", "again.memory._buf", "simulation.band_views[0]",
               "simulation.band_views[1]", "column"}
        then = {"simulation.then.values", "simulation.then.memory._buf"}
        alone = {"log", *("simulation.residuals[%d]" % i for i in range(4))}
        tensors = ran.report["tensors"]
        self.assertEqual({name for t in tensors for name in t["names"]}, now | then | alone)
        groups = collections.defaultdict(set)
        for tensor in tensors:
            groups[tensor["group"]].update(tensor["names"])
        self.assertCountEqual(groups.values(), [now, then, *({name} for name in alone)])
        # The second mapping of the same memory has other addresses and the same bytes.
        whole, again = ran.tensor("simulation.now.values"), ran.tensor("again.values")
        self.assertNotEqual(whole["address"], again["address"])
        self.assertIn("mapped_again", [note["code"] for note in again["notes"]])
        pairs = {frozenset((tensors[p["a"]]["name"], tensors[p["b"]]["name"])): (p["relation"], p["shared_bytes"]) for p in ran.report["sharing"]}
        self.assertEqual(pairs[frozenset(("simulation.now.values", "again.values"))], ("identical", 64 * 48 * 8))
        self.assertEqual(pairs[frozenset(("column", "simulation.band_views[0]"))], ("overlaps", 31 * 8))
        self.assertNotIn(frozenset(("simulation.band_views[0]", "simulation.band_views[1]")), pairs)
        self.assertEqual(ran.report["events"], [])


if __name__ == "__main__":
    unittest.main()
