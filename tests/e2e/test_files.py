"""A file in the place of the script: the tensors of a .npy, .npz or .safetensors, what a recording of streams says. Without a Python."""

import json
import os
import pathlib
import signal
import struct
import subprocess
import time
import unittest
import zipfile

from harness import HOST_PYTHON, STALL_LIBRARY, Case, environment


def npy(descr, shape, data, fortran=False):
    header = ("{'descr': %r, 'fortran_order': %r, 'shape': %r, }" % (descr, fortran, shape)).encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


FLOATS = struct.pack("<6f", 0, 1, float("nan"), 3, 4, 5)


class Files(Case):
    def write_bytes(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def open(self, path, *options):
        nowhere = environment(PATH="/nonexistent", VIRTUAL_ENV=None)  # no Python is looked for
        return self.dlscope("--headless", "--report", self.report_path, *options, path, env=nowhere)

    def test_an_array_is_a_tensor(self):
        ran = self.open(self.write_bytes("weights.npy", npy("<f4", (2, 3), FLOATS, True)), "--stats", "exact")
        self.assert_exit(ran, 0)
        x = ran.tensor("weights")
        self.assertEqual((x["library"], x["protocol"], x["dtype"]["name"]), ("file", "file", "float32"))
        self.assertEqual((x["shape"], x["strides_bytes"], x["contiguity"], x["flags"]["read_only"]), ([2, 3], [4, 8], "f", True))
        self.assertEqual((x["stats"]["nan"], x["stats"]["first_special"]["index"], x["stats"]["max"]), (1, [0, 1], 5.0))
        self.assertEqual((ran.report["python"], ran.script["outcome"], ran.report["scanned"]), (None, "not_run", "end"))
        self.assertIn("weights", ran.out)

    def test_archives_stored_and_compressed(self):
        for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            path = self.folder / ("a%d.npz" % compression)
            with zipfile.ZipFile(path, "w", compression) as archive:
                archive.writestr("x.npy", npy("<f4", (6,), FLOATS))
                archive.writestr("y.npy", npy(">i2", (2,), b"abcd"))
            ran = self.open(path)
            self.assert_exit(ran, 0)
            self.assertEqual(ran.tensor("x")["flags"]["is_copied"], compression == zipfile.ZIP_DEFLATED)
            self.assertEqual((ran.tensor("y")["dtype"]["name"], ran.tensor("y")["dtype"]["code"]), ("int16 big-endian", None))

    def test_why_an_array_is_not_shown_stands_in_the_table(self):
        path = self.folder / "o.npz"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("o.npy", npy("|O", (1,), b"x" * 16))
        ran = self.open(path)
        self.assert_exit(ran, 0)
        self.assertIn("it holds pickled Python objects", ran.out)
        header = json.dumps({"w": {"dtype": "X9", "shape": [2], "data_offsets": [0, 8]}}).encode()
        ran = self.open(self.write_bytes("m.safetensors", struct.pack("<Q", len(header)) + header + bytes(8)))
        self.assertIn(ran.report["tensors"][0]["refusals"][0]["message"], ran.out)
        self.assertIn("X9", ran.out)

    def test_a_file_without_a_tensor(self):
        header = json.dumps({"__metadata__": {"a": "b"}}).encode()
        ran = self.open(self.write_bytes("m.safetensors", struct.pack("<Q", len(header)) + header))
        self.assert_exit(ran, 0)
        self.assertIn("There is no tensor in the file.", ran.out)
        self.assertNotIn("script", ran.out)

    def test_safetensors(self):
        header = json.dumps({"w": {"dtype": "BF16", "shape": [2, 2], "data_offsets": [0, 8]}}).encode()
        ran = self.open(self.write_bytes("m.safetensors", struct.pack("<Q", len(header)) + header + bytes(8)))
        self.assert_exit(ran, 0)
        self.assertEqual((ran.tensor("w")["dtype"]["name"], ran.tensor("w")["shape"]), ("bfloat16", [2, 2]))

    def test_what_the_library_of_safetensors_writes(self):
        names = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "bfloat16"]
        code = """if True:
            import sys
            try:
                import safetensors.torch, torch
            except ImportError:
                sys.exit(77)
            if tuple(map(int, safetensors.__version__.split(".")[:2])) < (0, 7):
                sys.exit(77)  # it does not write all of them
            tensors = {name: torch.tensor([1.5, -3.0]).to(getattr(torch, name)) for name in sys.argv[2:]}
            safetensors.torch.save_file(tensors, sys.argv[1])"""
        wrote = subprocess.run([HOST_PYTHON, "-c", code, self.folder / "t.safetensors", *names])
        if wrote.returncode == 77:
            self.skipTest("PyTorch or a new safetensors is not installed")
        self.assertEqual(wrote.returncode, 0)
        ran = self.open(self.folder / "t.safetensors", "--stats", "exact")
        self.assert_exit(ran, 0)
        for name in names:
            x = ran.tensor(name)
            self.assertEqual((x["refusals"], x["dtype"] and x["dtype"]["name"]), ([], name))
            self.assertEqual((x["stats"]["min"], x["stats"]["max"]), (-3.0, 1.5))

    def test_files_that_numpy_writes(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        x = numpy.arange(24, dtype="c16").reshape(2, 3, 4)
        numpy.savez_compressed(self.folder / "z.npz", x=x.transpose(2, 0, 1), y=numpy.float16(3))
        ran = self.open(self.folder / "z.npz")
        self.assertEqual((ran.tensor("x")["shape"], ran.tensor("y")["shape"]), ([4, 2, 3], []))

    def test_what_dlpack_has_no_dtype_for(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        record = numpy.dtype([("id", "<i2"), ("p", [("x", ">f4"), ("name", "U2")], (2,))], align=True)
        arrays = {"big": numpy.arange(3, dtype=">f8"), "text": numpy.array(["a", "bc"]), "raw": numpy.array([b"ab", b"c"]),
                  "date": numpy.array(["2024-02-29"], "M8[D]"), "span": numpy.array([7], "m8[s]"), "record": numpy.zeros(2, record)}
        names = {"big": "float64 big-endian", "text": "U2", "raw": "S2", "date": "datetime64[D]", "span": "timedelta64[s]",
                 "record": "struct{id:int16,p:struct{x:float32 big-endian,name:U2}[2]}"}
        for save in (numpy.savez, numpy.savez_compressed):
            save(self.folder / "a.npz", **arrays)
            ran = self.open(self.folder / "a.npz")
            self.assert_exit(ran, 0)
            for name, dtype in names.items():
                x = ran.tensor(name)
                self.assertEqual((x["dtype"]["code"], x["dtype"]["name"]), (None, dtype))
                self.assertEqual(x["dtype"]["bits"], arrays[name].dtype.itemsize * 8)
                self.assertEqual(x["shape"], list(arrays[name].shape))

    def test_wrong_files_end_with_one_line(self):
        for name, content, words in (("gone.npy", None, "no such file"), ("code.npy", b"import os", "not a .npy file"),
                                     ("o.npy", npy("|O", (1,), b"\x80\x04."), "pickled"),
                                     ("short.npy", npy("<f8", (9,), b"12345678"), "needs 72 bytes, and 8"),
                                     ("bad.npz", b"PK\x05\x06", "zip"), ("bad.safetensors", b"\xff" * 20, "not a .safetensors file")):
            path = self.folder / name if content is None else self.write_bytes(name, content)
            for options in (("--headless",), ()):
                ran = self.dlscope(*options, path)
                self.assert_exit(ran, 2)
                self.assertEqual((ran.out, len(ran.err.splitlines())), ("", 1), ran.err)
                self.assertIn(words, ran.err)
        self.assert_exit(self.dlscope("--headless", self.write_bytes("x.npy", npy("<f4", (6,), FLOATS)), "argument"), 2)

    def test_the_window_comes_before_anything_is_unpacked(self):
        path = self.folder / "packed.npz"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x.npy", npy("<f4", (6,), FLOATS))
        content = bytearray(path.read_bytes())
        content[content.rindex(b"PK\1\2") + 16] ^= 1  # the checksum, which is wrong only when all is unpacked
        path.write_bytes(content)
        ran = self.open(path)
        self.assert_exit(ran, 2)
        self.assertIn("cannot be unpacked", ran.err)
        ran = self.dlscope(path, env=environment(DISPLAY=None, WAYLAND_DISPLAY=None, XDG_RUNTIME_DIR=None))
        self.assert_exit(ran, 3)  # no display, so no window
        self.assertNotIn("unpacked", ran.err)

    def test_options_that_need_a_script(self):
        path = self.write_bytes("x.npy", npy("<f4", (6,), FLOATS))
        for options in (("--at", "3"), ("--prove",), ("--prove", "x", "y"), ("--run",)):
            ran = self.open(path, *options)
            self.assert_exit(ran, 2)
            self.assertEqual((ran.out, ran.report, len(ran.err.splitlines())), ("", None, 1))
            self.assertIn(options[0] + " needs a script", ran.err)

    def endless(self):
        """64 GiB that take no place on the disk: exact statistics of them take longer than any of these tests."""
        path = self.write_bytes("endless.npy", npy("<f4", (1 << 34,), b""))
        os.truncate(path, path.stat().st_size + (1 << 36))
        return path

    def assert_stopped(self, ran, code, outcome):
        self.assert_exit(ran, code)
        self.assertEqual((ran.script["outcome"], ran.tensor("endless")["stats"]), (outcome, None))
        self.assertIn("statistics were stopped", ran.report["events"][-1]["text"])

    def test_a_time_limit_ends_a_look_at_the_values(self):
        self.assert_stopped(self.open(self.endless(), "--stats", "exact", "--timeout", "1"), 124, "timeout")

    def test_a_signal_ends_a_look_at_the_values(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.start("--headless", "--report", self.report_path, "--stats", "exact", self.endless())
            while "endless.npy" not in pathlib.Path("/proc/%d/maps" % process.pid).read_text():
                self.assertIsNone(process.poll(), "dlscope ended before the file was open")
                time.sleep(0.01)
            process.send_signal(number)
            self.assert_stopped(self.finish(process), 130, "interrupted")

    def test_a_picture(self):
        picture = pathlib.Path(self.folder) / "p.png"
        path = self.write_bytes("weights.npy", npy("<f4", (2, 3), FLOATS))
        ran = self.dlscope("--screenshot", picture, path)
        if ran.code == 3:
            self.skipTest("no OpenGL: " + ran.err.strip())
        self.assert_exit(ran, 0)
        self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")


class SilentFiles(Case):
    """Files of a file system that does not answer: whoever reads them stands in the kernel."""

    def start_stalled(self, call, *options):
        env = environment(LD_PRELOAD=str(STALL_LIBRARY), E2E_STALLS=call)
        return self.start("--headless", *options, env=env)

    def array(self):
        path = self.folder / "stalled.npy"
        path.write_bytes(npy("<f4", (2, 3), FLOATS))
        return path

    def assert_stopped(self, ran, code, outcome):
        self.assert_exit(ran, code)
        self.assertEqual((ran.script["outcome"], ran.report["scanned"], ran.report["tensors"]), (outcome, "none", []))
        self.assertIn("does not answer", ran.report["events"][-1]["text"])
        self.assertIn("does not answer", ran.err)

    def test_a_time_limit_ends_the_wait_for_a_file(self):
        for call in ("pread", "process_vm_readv"):
            process = self.start_stalled(call, "--report", self.report_path, "--timeout", "0.2", self.array())
            self.assert_stopped(self.finish(process), 124, "timeout")

    def test_a_signal_ends_the_wait_for_a_file(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start_stalled("pread", "--report", self.report_path, self.array())
            while "stalled.npy" not in pathlib.Path("/proc/%d/maps" % process.pid).read_text():
                self.assertIsNone(process.poll(), "dlscope ended before the file was open")
                time.sleep(0.01)
            process.send_signal(number)
            self.assert_stopped(self.finish(process), 130, "interrupted")

    def test_a_time_limit_ends_the_wait_for_a_place_of_the_report(self):
        (self.folder / "stalled").mkdir()
        script = self.write("open('ran', 'w')")
        for option, name in (("--report", "report.json"), ("--screenshot", "picture.png")):
            process = self.start_stalled("open", "--python", HOST_PYTHON, option, self.folder / "stalled" / name,
                                         "--timeout", "0.2", script)
            ran = self.finish(process)
            self.assert_exit(ran, 3)
            self.assertIn(name + " cannot be written: it does not answer", ran.err)
            self.assertFalse((self.folder / "ran").exists())

    def test_a_time_limit_ends_the_look_at_the_names_of_files(self):
        (self.folder / "stalled").mkdir()
        process = self.start_stalled("stat", "--python", HOST_PYTHON, "--report", self.folder / "stalled" / "report.json",
                                     "--timeout", "0.2", self.write("open('ran', 'w')"))
        ran = self.finish(process)
        self.assert_exit(ran, 124)
        self.assertIn("the files that were named do not answer; nothing was run", ran.err)
        self.assertFalse((self.folder / "ran").exists())


class Recordings(Case):
    SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "assets" / "samples"

    def judge(self, path, *options):
        return self.dlscope("--headless", *options, path, env=environment(PATH="/nonexistent", VIRTUAL_ENV=None))

    def test_a_race_is_told_with_its_cause_and_exits_with_4(self):
        ran = self.judge(self.SAMPLES / "race.streams.json")
        self.assert_exit(ran, 4)
        for words in ("RACE", "y.sum() may read x before x.fill_(1) is done", "stream=-1", "Replayed, not observed"):
            self.assertIn(words, ran.out)

    def test_what_is_ordered_exits_with_0(self):
        ran = self.judge(self.SAMPLES / "ordered.streams.json")
        self.assert_exit(ran, 0)
        self.assertIn("ORDERED", ran.out)
        self.assertNotIn("RACE", ran.out)

    def test_what_is_no_recording_and_options_for_scripts(self):
        wrong = self.folder / "x.streams.json"
        wrong.write_text('{"format": "dlscope-stream-trace", "format_version": 1, "streams": 7}')
        for ran, words in ((self.judge(wrong), "streams"), (self.judge(self.folder / "no.streams.json"), "there is no such file"),
                           (self.judge(self.SAMPLES / "race.streams.json", "--stats", "exact"), "--headless only"),
                           (self.judge(self.SAMPLES / "race.streams.json", "--run"), "--run needs a script")):
            self.assert_exit(ran, 2)
            self.assertIn(words, ran.err)
            self.assertEqual((ran.out, ran.err.count("\n")), ("", 1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
