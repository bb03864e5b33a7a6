"""TensorFlow and Keras: eager tensors against their NumPy views, variables, and tensors that must never be exported."""

from tensor_checks import TensorTest, by_name, main, require

tf = require("tensorflow")
np = require("numpy")
import dlscope  # noqa: E402


class TensorFlow(TensorTest):
    def test_tensors(self):
        namespace = {"x": tf.reshape(tf.range(6, dtype=tf.float32), (2, 3)), "i": tf.constant([[1, 2], [3, 4]]),
                     "c": tf.constant([1 + 2j]), "flags": tf.constant([True, False]), "scalar": tf.constant(3.0)}
        records = by_name(dlscope.report(namespace))
        for name, tensor in namespace.items():
            with self.subTest(name):
                numbers = tensor.numpy() if tensor.shape.rank else np.asarray(tensor)
                record = records[name]
                self.assertEqual(record["shape"], list(tensor.shape))
                self.assertEqual(record["dtype"]["name"], tensor.dtype.name)
                self.assertEqual((record["library"], record["protocol"], record["capsule"]), ("tensorflow", "dlpack", "dltensor"))
                self.assertEqual(record["device_claimed"], {"type": 1, "id": 0})
                self.assertIn("immutable_by_contract", self.codes(record))
                self.assertTrue(record["readable"])
                shown = tf.experimental.dlpack.to_dlpack(tensor)  # the capsule is TensorFlow's own word for the address
                self.assertEqual(dlscope.describe(shown)["address"], record["address"])
                self.assertEqual(numbers.nbytes, record["nbytes"])

    def test_tensors_without_numbers_are_never_exported(self):
        records = by_name(dlscope.report({"words": tf.constant(["a", "b"]),
                                          "quantised": tf.cast(tf.constant([1, 2]), tf.qint8)}))
        for name, record in records.items():
            with self.subTest(name):
                self.assertIsNone(record["protocol"])
                self.assertEqual(record["refusals"][0]["type"], "dlscope.NotCalled")
        asked = dlscope.describe(tf.constant(["a"]))  # not even when asked by name: it would end the process
        self.assertIn("not_described", self.codes(asked))
        self.assertFalse(dlscope.protocols(tf.constant(["a"]))["dlpack"]["accepted"])

    def test_variables(self):
        v = tf.Variable([1.0, 2.0, 3.0])
        first = dlscope.describe(v)
        self.assertEqual((first["shape"], first["protocol"]), ([3], "dlpack"))
        self.assertNotIn("immutable_by_contract", self.codes(first))
        v.assign_add([1.0, 1.0, 1.0])
        self.assertEqual(dlscope.describe(v)["address"], first["address"], "our look made the variable move")

    def test_a_variable_that_reads_as_a_copy_shares_with_nothing(self):
        """From the first sparse update on. The copy is freed, and at this size the next one comes to lie in its place."""
        names = {name: tf.Variable(tf.ones([1 << 20])) for name in "vwu"}
        for name in "vw":
            names[name].scatter_update(tf.IndexedSlices([5.0], [0]))
        report = dlscope.report(names)
        records = by_name(report)
        self.assertEqual(report["sharing"], [])
        self.assertEqual([self.codes(records[name]) for name in "vwu"], [["copied_for_export"], ["copied_for_export"], []])
        v, w, u = names.values()
        for pair in ((v, w), (v, v)):
            self.assertEqual(dlscope.overlap(*pair)["reason"], "copied_for_export")
            self.assertEqual(dlscope.prove(*pair)["verdict"], "UNKNOWN")
        self.assertEqual(dlscope.overlap(u, u)["relation"], "identical")
        self.assertEqual(v.numpy()[:2].tolist(), [5.0, 1.0])

    def test_a_gradient_tape_does_not_watch_what_is_looked_at(self):
        used, unused = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([4.0, 5.0])
        looks = (lambda: dlscope.report({"used": used, "unused": unused}), lambda: dlscope.describe(unused),
                 lambda: dlscope.stats(unused), lambda: dlscope.overlap(used, unused), lambda: dlscope.copy(unused))
        with tf.GradientTape() as tape, tf.autodiff.ForwardAccumulator(used, tf.ones_like(used)) as forward:
            loss = tf.reduce_sum(used * used)
            for look in looks:
                look()
                self.assertEqual([id(each) for each in tape.watched_variables()], [id(used)])
            loss *= 2.0
        self.assertEqual(tape.gradient(loss, used).numpy().tolist(), [4.0, 8.0, 12.0])
        self.assertEqual(forward.jvp(loss).numpy(), 24.0)

    def test_looking_adds_nothing_to_the_graph_of_a_function(self):
        v, seen = tf.Variable([1.0, 2.0, 3.0]), {}

        def step(x, look):
            y = x * v
            if look:
                seen.update(by_name(dlscope.report({"v": v})))
                seen["again"] = dlscope.describe(v)
            return y + v

        def operations(look):
            made = tf.function(lambda x: step(x, look)).get_concrete_function(tf.TensorSpec([3]))
            return [(each.type, each.name) for each in made.graph.get_operations()], len(made.graph.variables)

        self.assertEqual(operations(True), operations(False))
        address = dlscope.describe(v)["address"]
        self.assertEqual([seen[name]["address"] for name in ("v", "again")], [address] * 2)

    def test_a_variable_of_a_graph_is_not_read(self):
        with tf.Graph().as_default() as graph:
            v = tf.compat.v1.get_variable("v", [2], use_resource=True)
            before = len(graph.get_operations())
            record = dlscope.describe(v)
            self.assertEqual(len(graph.get_operations()), before)
        self.assertEqual((record["protocol"], self.codes(record)), (None, ["not_described"]))
        self.assertIn("a variable of a graph", record["refusals"][0]["message"])

    def test_keras_models(self):
        keras = require("keras")
        model = keras.Sequential([keras.layers.Dense(2)])
        model.build((None, 3))
        names = set(by_name(dlscope.report({"model": model})))
        self.assertEqual(names, {"model.weights[0].value", "model.weights[1].value"})

    def test_weights_under_mixed_precision_are_those_that_are_stored(self):
        """Inside call() `value` is a copy in float16, made each time it is read."""
        keras = require("keras")
        seen = {}

        class Looked(keras.layers.Dense):
            def call(self, x):
                seen.update(by_name(dlscope.report({"layer": self})))
                return super().call(x)

        layer = Looked(2, dtype="mixed_float16")
        layer.build((None, 3))
        outside = by_name(dlscope.report({"layer": layer}))
        layer(np.ones((1, 3), "float32"))
        told = [{name: (r["names"], r["dtype"]["name"], r["address"]) for name, r in by.items()} for by in (outside, seen)]
        self.assertEqual(told[0], told[1])
        self.assertEqual({dtype for _, dtype, _ in told[1].values()}, {"float32"})
        self.assertEqual(len({address for _, _, address in told[1].values()}), 2)

    def test_looking_runs_no_property_of_a_layer_of_the_users(self):
        keras = require("keras")
        ran = []

        class Mine(keras.layers.Dense):
            @property
            def weights(self):
                ran.append("weights")
                return []

        layer = Mine(2)
        layer.build((None, 3))
        ran.clear()
        names = set(by_name(dlscope.report({"layer": layer})))
        self.assertEqual(ran, [])
        self.assertLessEqual({"layer.weights[0].value", "layer.weights[1].value"}, names)

    def test_ragged_and_sparse(self):
        values = tf.constant([1.0, 2.0, 3.0])
        ragged = tf.RaggedTensor.from_row_lengths(values, [1, 2])
        sparse = tf.SparseTensor(indices=[[0, 1]], values=[1.0], dense_shape=[2, 2])
        slices = tf.IndexedSlices(values, tf.constant([0, 1, 2]))
        names = {"ragged": ragged, "sparse": sparse, "slices": slices}
        records = by_name(dlscope.report(names))
        self.assertEqual(set(records), {"ragged.values", "ragged.row_splits", "sparse.indices", "sparse.values", "sparse.dense_shape",
                                        "slices.values", "slices.indices"})
        for name, record in records.items():
            self.assertEqual(dlscope.describe(eval(name, {}, names))["address"], record["address"], name)


if __name__ == "__main__":
    main()
