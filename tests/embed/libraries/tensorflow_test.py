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

    def test_keras_models(self):
        keras = require("keras")
        model = keras.Sequential([keras.layers.Dense(2)])
        model.build((None, 3))
        names = set(by_name(dlscope.report({"model": model})))
        self.assertEqual(names, {"model.weights[0].value", "model.weights[1].value"})

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
