"""pandas, Polars, xarray and Awkward: their columns and variables with index, masks and validity; nothing is computed or copied."""

import contextlib
import sys

from tensor_checks import TensorTest, main, require

np = require("numpy")
pd = require("pandas")
pl = require("polars")
xr = require("xarray")
pa = require("pyarrow")
ak = require("awkward")
import dlscope  # noqa: E402
from dlscope import _dlscope  # noqa: E402


class Tables(TensorTest):
    def names(self, **namespace):
        report = dlscope.report(namespace)
        return {name: t for t in report["tensors"] for name in t["names"]}, report

    def test_pandas_columns_are_views_of_what_the_frame_keeps(self):
        frame = pd.DataFrame({"a": [1.0, 2.0], "b": [1, 2], "c": pd.Categorical(["u", "v"]), "n": pd.array([1, None], dtype="Int64"),
                              "t": pd.to_datetime(["2020", "2021"])})
        names, report = self.names(frame=frame, column=frame["a"])
        self.assertEqual(set(names), {"frame['a']", "frame['b']", "frame['c'].array._ndarray", "frame['n'].array._data",
                                      "frame['n'].array._mask", "frame['t'].array._ndarray", "column"})
        for name in ("frame['a']", "frame['b']"):
            self.assertEqual(int(names[name]["address"], 16), eval(name, {}, {"frame": frame}).to_numpy().ctypes.data)
        self.assertIn("datetime64", names["frame['t'].array._ndarray"]["dtype"]["name"])
        pairs = {(report["tensors"][p["a"]]["name"], report["tensors"][p["b"]]["name"]): p["relation"] for p in report["sharing"]}
        self.assertEqual(set(pairs.values()), {"identical"})

    def test_what_offers_no_tensor_itself_says_what_of_it_does(self):
        frame = pd.DataFrame({"a": [1.0, 2.0]})
        for table, words in ((frame, r"its \.to_numpy\(\) does"), (frame["a"], r"its \.to_numpy\(\) does"),
                             (pl.Series("q", [1, 2]), r"its \.to_numpy\(\) does"), (xr.DataArray(np.zeros(3)), r"its \.data does"),
                             (xr.Dataset(), "buffer protocol$")):
            for call in (dlscope.describe, dlscope.asdlpack):
                with self.subTest(type(table)), self.assertRaisesRegex(TypeError, words):
                    call(table)
        self.assertEqual(dlscope.describe(frame["a"].to_numpy())["shape"], [2])
        self.assertEqual(dlscope.describe(xr.DataArray(np.zeros(3)).data)["shape"], [3])

    def test_pandas_indices(self):
        frame = pd.DataFrame({"v": [1, 2, 3, 4]}, index=pd.MultiIndex.from_product([[1, 2], [3, 4]]))
        names, _ = self.names(frame=frame, plain=pd.DataFrame({"v": [1]}), series=pd.Series([1.0], index=[7]))
        self.assertLessEqual({"frame['v']", "frame.index.codes[0]", "frame.index.levels[1]", "plain['v']", "series", "series.index"}, set(names))
        self.assertNotIn("plain.index", names, "a RangeIndex has no memory until it is asked for")

    def test_pandas_labels(self):
        frame = pd.DataFrame(np.zeros((2, 4)), columns=[3, ("x", 1), "it's", pd.Timestamp(0)])
        names, _ = self.names(frame=frame)
        self.assertEqual(set(names), {"frame[3]", "frame[('x', 1)]", 'frame["it\'s"]', "frame.iloc[:, 3]"})

    def test_columns_with_the_same_label_are_told_apart(self):
        """By position: the label leads to all of them, or to none. Each name is evaluated, and leads to the same memory."""
        flat = ["a", "b", "b", 1, True, 2, np.int64(2), np.str_("a"), float("nan"), ("x", 1), ("x", 2), "c", None]
        kinds = {
            "equal": (pd.Index(flat, dtype=object, tupleize_cols=False), {11: "['c']", 12: "[None]"}),
            "levels": (pd.MultiIndex.from_tuples([("a", 1), ("b", 1), ("b", 1), ("c", "")]), {0: "[('a', 1)]", 3: "[('c', '')]"}),
            "tuples": (pd.Index([("a", 1), "b"], dtype=object, tupleize_cols=False), {0: "[('a', 1)]", 1: "['b']"}),
            "lists": (pd.Index([["a"], "b"], dtype=object, tupleize_cols=False), {}),
        }
        for kind, (columns, by_label) in kinds.items():
            with self.subTest(kind):
                frame = pd.DataFrame(np.arange(2.0 * len(columns)).reshape(2, -1))
                frame.columns = columns
                names, _ = self.names(frame=frame)
                self.assertEqual({name for name in names if not name.startswith("frame.columns")},
                                 {"frame" + by_label.get(i, f".iloc[:, {i}]") for i in range(len(columns))})
                for name, record in names.items():
                    self.assertEqual(int(record["address"], 16), eval(name, {}, {"frame": frame}).to_numpy().ctypes.data, name)
                    again = _dlscope.host_object({"frame": frame}, name, None)
                    self.assertEqual(dlscope.describe(again)["address"], record["address"], name)
        arrow = pa.table([pa.array([1, 2]), pa.array([3, 4]), pa.array([5, 6])], names=["a", "b", "b"])
        for table, chunk in ((arrow, ".chunk(0)"), (arrow.to_batches()[0], "")):
            names, _ = self.names(table=table)
            self.assertEqual({name for name in names if name.endswith("buffers()[1]")},
                             {f"table{column}{chunk}.buffers()[1]" for column in ("['a']", ".column(1)", ".column(2)")})
            for name in names:
                if name.endswith("buffers()[1]"):
                    self.assertEqual(int(names[name]["address"], 16), eval(name, {}, {"table": table}).address, name)

    def test_pandas_objects_of_python(self):
        names, _ = self.names(series=pd.Series([np.zeros(2), 1], dtype=object))
        self.assertEqual(set(names), {"series", "series[0]"})

    def test_looking_at_a_frame_makes_nothing(self):
        frame = pd.DataFrame({"a": [1.0, 2.0], "s": ["x", "y"]})
        before = {key: type(value) for key, value in vars(frame).items()}
        dlscope.report({"frame": frame})
        self.assertEqual({key: type(value) for key, value in vars(frame).items()}, before)
        self.assertNotIn("_data", vars(frame.index))

    def test_subclasses_of_the_users(self):
        """What they hold is what the library's class holds, and none of their own code runs."""
        ran = []

        def loud(name):
            def method(self, *arguments, **keywords):
                ran.append(name)
                raise RuntimeError(name)

            return method

        names = ("__getattr__", "__getattribute__", "__len__", "__iter__", "__getitem__", "__repr__", "get_columns", "__arrow_c_stream__", "items")
        kinds = [type("Loud", (base,), {"__module__": __name__}) for base in (pd.DataFrame, pd.Series, pl.DataFrame, pl.Series)]
        frame, series, columns, column = (kind(data) for kind, data in zip(kinds, ({"a": [1.0, 2.0]}, [1.0], {"a": [1.0, 2.0]}, [1.0])))
        object.__setattr__(frame, "mine", np.zeros(2))
        for kind in kinds:
            for name in names:
                setattr(kind, name, loud(name))
        found, _ = self.names(frame=frame, series=series, columns=columns, column=column)
        self.assertEqual(ran, [])
        self.assertLessEqual({"frame['a']", "frame.mine", "series", "columns['a']", "column"}, set(found))
        self.assertEqual((found["columns['a']"]["library"], found["column"]["dtype"]["name"]), ("polars", "float64"))

    def test_polars(self):
        frame = pl.DataFrame({"a": [1, 2, 3], "f": [1.0, None, 3.0], "b": [True, False, True]}).with_columns(
            t=pl.Series([1, 2, 3]).cast(pl.Datetime("us")), c=pl.Series(["x", "y", "x"]).cast(pl.Categorical))
        names, report = self.names(frame=frame, part=frame["a"][1:], two=pl.concat([frame["a"], frame["a"]], rechunk=False), lazy=frame.lazy())
        self.assertEqual(set(names), {"frame['a']", "frame['f']", "frame['f']<validity>", "frame['b']<bits>", "frame['t']", "frame['c']", "part",
                                      "two.get_chunks()[0]", "two.get_chunks()[1]"})
        nested = pl.DataFrame({"l": [[1, 2], None, [3]], "s": [{"a": 1, "b": [0.5]}] * 3, "w": pl.Series([[1, 2]] * 3, dtype=pl.Array(pl.Int32, 2)),
                               "m": pl.Series([b"x" * 20] * 3), "d": pl.Series([1, 2, 3]).cast(pl.Decimal(38, 1))})[1:]
        inside, _ = self.names(nested=nested)
        self.assertEqual({name[8:]: t["shape"] for name, t in inside.items()}, {
            "l']<offsets>": [3], "l']<values>": [1], "l']<validity>": [1], "s'].struct['a']": [2], "s'].struct['b']<offsets>": [3],
            "s'].struct['b']<values>": [2], "w']<values>": [4], "m']<views>": [32], "m']<data 0>": [60], "d']<values>": [32]})
        self.assertEqual(dlscope.stats(nested["s"].struct["a"].to_numpy())["min"], 1)
        column, part = names["frame['a']"], names["part"]
        self.assertEqual((column["library"], column["dtype"]["name"], column["shape"], column["flags"]["read_only"]), ("polars", "int64", [3], True))
        self.assertEqual(int(part["address"], 16), int(column["address"], 16) + 8)
        self.assertIn("LazyFrame", report["not_entered"][0]["type"])

    def test_polars_categories_are_the_columns_own_memory(self):
        """Their keys are converted for each export: an address of that would be of memory that is freed at once."""
        one, other = (pl.Series(["a", "b", None, "a"] * 100).cast(pl.Categorical) for _ in range(2))
        lists, fields = one.implode(), pl.DataFrame({"k": one, "n": range(400)}).to_struct("s")
        twice = [self.names(one=one, other=other, keys=one.to_physical(), lists=lists, fields=fields) for _ in range(2)]
        names, report = twice[0]
        self.assertEqual({name: record.get("address") for name, record in names.items()}, {name: record.get("address") for name, record in twice[1][0].items()})
        self.assertEqual(names["one"]["address"], names["keys"]["address"])
        self.assertNotEqual(names["one"]["address"], names["other"]["address"])
        self.assertEqual([p for p in report["sharing"] if "other" in (report["tensors"][p["a"]]["name"], report["tensors"][p["b"]]["name"])], [])

    def test_halves_of_a_polars_column_share_nothing(self):
        """Neither bits nor texts nor validity begin at the first row of the column that they were cut from."""
        n = 512
        whole = {"b": pl.Series([True, False] * n), "s": pl.Series(["x" * 30, None] * n), "n": pl.Series([1, None] * n)}
        for name, column in whole.items():
            with self.subTest(name):
                names, report = self.names(train=column[:n], test=column[n:])
                ids = {t["id"]: t["name"] for t in report["tensors"]}
                pairs = {(ids[p["a"]], ids[p["b"]]) for p in report["sharing"]}
                self.assertEqual({pair for pair in pairs if "<data" not in pair[0]}, set())

    def test_polars_columns_of_every_type_are_listed(self):
        columns = {"half": pl.Series([1.5], dtype=pl.Float16), "wide": pl.Series([1], dtype=pl.Int128), "unsigned": pl.Series([1], dtype=pl.UInt128),
                   "objects": pl.Series([object()])}
        names, _ = self.names(**columns)
        if sys.version_info >= (3, 12):
            self.assertEqual(names["half"]["dtype"]["name"], "float16")
        else:
            self.assertIn("3.12", names["half"]["refusals"][0]["message"])
        self.assertLessEqual({"half", "wide<values>", "unsigned<values>", "objects"}, set(names))
        self.assertIn("does not read", names["objects"]["refusals"][0]["message"])

    def test_what_polars_does_not_give_is_listed_with_the_reason(self):
        """A column that vanished from the list would look as if it had no memory."""
        deep, rows = 1, [{"a": 1}]
        for _ in range(20):
            deep = [deep]
        for _ in range(17):
            rows = [{"r": rows}]
        unmade, frame = pl.Series.__new__(pl.Series), pl.DataFrame.__new__(pl.DataFrame)
        names, _ = self.names(deep=pl.Series([deep]), rows=pl.Series(rows), unmade=unmade, frame=frame)
        told = {name: record["refusals"][0]["message"] for name, record in names.items() if record["refusals"]}
        too_deep = "it lies more than 16 lists or structs deep, and is not followed further"
        self.assertEqual(told, {"deep" + "<values>" * 17: too_deep, "rows" + ".struct['r']<values>" * 8 + ".struct['r']": too_deep,
                                "unmade": "Polars did not export it as an Arrow stream: where its memory lies is not known",
                                "frame": "Polars did not give its columns"})

    def test_columns_without_rows_are_listed(self):
        """As arrays without elements of any other library are: a filter that nothing passes leaves such columns."""
        frame = pl.DataFrame({"n": [1, None], "s": ["a", "b"], "l": [[1], [2]]}).filter(pl.col("n") > 5)
        names, _ = self.names(frame=frame, flags=pl.Series([], dtype=pl.Boolean))
        self.assertEqual({name: record["shape"] for name, record in names.items()},
                         {"frame['n']": [0], "frame['s']<views>": [0], "frame['l']<offsets>": [1], "frame['l']<values>": [0], "flags<bits>": [0]})

    def test_categories_of_an_arrow_array_are_listed(self):
        array = pa.array(["ab", "c", "ab"]).dictionary_encode()
        names, _ = self.names(array=array)
        for i, buffer in enumerate(array.dictionary.buffers()):
            if buffer is not None:
                self.assertEqual(int(names["array.dictionary.buffers()[%d]" % i]["address"], 16), buffer.address)

    def test_frames_that_share_until_the_first_write(self):
        """The note is there while a write through pandas would first copy the column, and the write shows that."""
        for option in [None] if int(pd.__version__.split(".")[0]) >= 3 else [False, True]:
            with self.subTest(option), (pd.option_context("mode.copy_on_write", option) if option is not None else contextlib.nullcontext()):
                base = np.arange(6.0).reshape(3, 2)
                frame = pd.DataFrame(base, columns=list("ab"), copy=False)
                view, nullable = frame[:], pd.DataFrame({"n": pd.array([1, None], dtype="Int64")})
                names, _ = self.names(base=base, frame=frame, view=view, column=frame["b"], nullable=nullable, other=nullable[:], index=frame.index)
                noted = {name for name, record in names.items() if "copy_on_write" in self.codes(record)}
                self.assertEqual(noted, set() if option is False else set(names) - {"base"})
                self.assertEqual(names["column"]["address"], names["frame['b']"]["address"])
                view.loc[0, "b"] = -7
                self.assertEqual(frame.loc[0, "b"], -7 if option is False else 1)
                self.assertEqual(base[0, 1], -7 if option is False else 1)

    def test_a_frame_that_is_alone_is_written_in_place(self):
        base = np.arange(6.0).reshape(3, 2)
        frame = pd.DataFrame(base, columns=list("ab"), copy=False)
        names, _ = self.names(base=base, frame=frame)
        self.assertNotIn("copy_on_write", self.codes(names["frame['b']"]))
        frame.loc[0, "b"] = -7
        self.assertEqual(base[0, 1], -7)

    def test_an_index_never_changes(self):
        names, _ = self.names(index=pd.Index([1, 2, 3]), array=xr.DataArray(np.zeros(2), dims="t", coords={"t": [3, 4]}))
        for name in ("index", "array.coords['t']"):
            self.assertIn("immutable_by_contract", self.codes(names[name]))
            self.assertEqual(names[name]["library"], "pandas")
        self.assertNotIn("immutable_by_contract", self.codes(names["array"]))

    def nulls(self, **namespace):
        """Of each tensor with the note: what it says of their number."""
        names, _ = self.names(**namespace)
        return {name: note["message"].split(";")[0] for name, record in names.items() for note in record["notes"] if note["code"] == "nulls"}

    def test_nulls_are_counted_beside_what_lies_in_their_place(self):
        column = pl.Series([None, 1] * 50)
        flags = pl.Series([True, None, False])
        lists = pl.Series([[1, None], [None, None], [3]])
        arrow = pa.array([1, None, 3])
        found = self.nulls(column=column, part=column[1:20], full=column[1:2], flags=flags, lists=lists[:2], none=pl.Series([1, 2]), arrow=arrow,
                           nullable=pd.array([1, None, 3], dtype="Int64"), whole=pd.array([1, 2], dtype="Int64"),
                           frame=pd.DataFrame({"b": pd.array([True, None], dtype="boolean")}))
        self.assertEqual(found, {
            "column": "nulls: 50 of 100", "part": "nulls: 9 of 19", "flags<bits>": "nulls: 1 of 3", "lists<values>": "nulls: 3 of 4",
            "arrow.buffers()[1]": "nulls: 1 of 3", "nullable._data": "nulls: 1 of 3", "frame['b'].array._data": "nulls: 1 of 2"})

    def test_xarray(self):
        values = np.zeros((2, 3))
        dataset = xr.Dataset({"t": (("x", "y"), values)}, coords={"x": [10, 20]})
        names, _ = self.names(dataset=dataset, array=dataset["t"])
        self.assertEqual(set(names), {"dataset['t']", "array", "dataset['x']", "array.coords['x']"})
        self.assertEqual(int(names["array"]["address"], 16), values.ctypes.data)

    def test_awkward(self):
        names, _ = self.names(ragged=ak.Array([[1.5, 2.5], [3.5]]))
        self.assertEqual(names["ragged._layout._content._data"]["dtype"]["name"], "float64")
        self.assertIn("ragged._layout._offsets._data", names)


if __name__ == "__main__":
    main()
