"""Where the report, the tables and the script's own output go, and what happens when they cannot."""

import json
import os
import resource
import stat
import subprocess
import threading
import unittest

from harness import HOST_PYTHON, Case, has_module

SCRIPT = """\
    import array
    print("script speaking", flush=True)
    x = array.array('d', range(10))
    y = memoryview(x)[2:5]
    """


class Tables(Case):
    @unittest.skipUnless(has_module("torch"), "the host's Python has no PyTorch")
    def test_why_no_protocol_describes_a_tensor_of_pytorch(self):
        script = self.write("""\
            import torch
            sparse = torch.eye(3).to_sparse()
            quantised = torch.quantize_per_tensor(torch.ones(4), 0.1, 0, torch.qint8)
            nowhere = torch.ones(5, device="meta")
            plain = torch.ones(2, 3, 4, 5, 6, 7, 8, 9)
            """)
        ran = self.dlscope("--headless", "--python", HOST_PYTHON, script)
        self.assert_exit(ran, 0)
        rows = {line.split()[0]: line for line in ran.out.splitlines() if line.startswith("  ")}
        for name, why in [("sparse", "A sparse or packed tensor is not one strided block of memory."),
                          ("quantised", "Quantised values need a scale that DLPack cannot carry."),
                          ("nowhere", "A meta tensor has a shape but no memory.")]:
            with self.subTest(name):
                self.assertTrue(rows[name].endswith("refused: " + why), rows[name])
        self.assertIn("(2, 3, 4, 5, 6, 7, 8, 9)", rows["plain"])


class Report(Case):
    def test_to_a_file_beside_the_tables(self):
        ran = self.run_script(SCRIPT)
        self.assert_exit(ran, 0)
        self.assertEqual((ran.report["format"], ran.report["format_version"]), ("dlscope-report", 1))
        self.assertIn("script speaking", ran.out)
        self.assertIn("float64", ran.out)
        self.assertIn("contains", ran.out)
        self.assertEqual(stat.S_IMODE(self.report_path.stat().st_mode) & 0o400, 0o400)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith(".")], [])

    def test_schema(self):
        ran = self.run_script(SCRIPT)
        report = ran.report
        for key in ("app", "python", "libraries", "script", "scanned", "limits", "devices", "tensors", "groups", "sharing", "events", "copies"):
            self.assertIn(key, report)
        self.assertEqual(report["app"]["dlpack"], "1.3")
        self.assertTrue(report["python"]["version"].startswith("3."))
        x, y = ran.tensor("x"), ran.tensor("y")
        self.assertEqual((x["library"], x["protocol"], x["dtype"]["name"]), ("array", "buffer", "float64"))
        self.assertEqual((y["shape"], y["strides"], y["nbytes"]), ([3], [1], 24))
        self.assertEqual(int(y["address"], 16), int(x["address"], 16) + 16)
        (pair,) = report["sharing"]
        self.assertEqual((pair["a"], pair["b"], pair["relation"], pair["shared_bytes"]), (x["id"], y["id"], "contains", 24))
        self.assertEqual(pair["witness"]["address"], y["address"])
        (group,) = [group for group in report["groups"] if x["id"] in group["tensors"]]
        self.assertEqual(sorted(group["tensors"]), sorted([x["id"], y["id"]]))
        self.assertEqual(group["distinct_bytes"], 80)

    def test_to_standard_output_moves_the_scripts_own(self):
        ran = self.dlscope("--headless", "--python", HOST_PYTHON, "--report", "-", self.write(SCRIPT))
        self.assert_exit(ran, 0)
        self.assertEqual(json.loads(ran.out)["script"]["outcome"], "finished")
        self.assertIn("script speaking", ran.err)

    def test_to_dev_stdout_is_the_same(self):
        ran = self.dlscope("--headless", "--python", HOST_PYTHON, "--report", "/dev/stdout", self.write(SCRIPT))
        self.assert_exit(ran, 0)
        json.loads(ran.out)

    def test_through_a_link_replaces_the_target(self):
        target, link = self.folder / "target.json", self.folder / "link.json"
        target.write_text("old")
        link.symlink_to(target)
        ran = self.dlscope("--headless", "--python", HOST_PYTHON, "--report", link, self.write(SCRIPT))
        self.assert_exit(ran, 0)
        self.assertTrue(link.is_symlink())
        json.loads(target.read_text())

    def test_into_a_fifo(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        got = []
        reader = threading.Thread(target=lambda: got.append(fifo.read_text()))
        reader.start()
        ran = self.dlscope("--headless", "--python", HOST_PYTHON, "--report", fifo, self.write(SCRIPT))
        reader.join()
        self.assert_exit(ran, 0)
        json.loads(got[0])

    def test_a_report_is_written_when_there_is_no_python(self):
        ran = self.run_script("pass\n", python=self.folder / "nothing")
        self.assert_exit(ran, 3)
        self.assertEqual((ran.script["outcome"], ran.report["python"]), ("not_run", None))


class Unwritable(Case):
    def assert_refused_before_the_run(self, path, option="--report"):
        script = self.write("open('ran', 'w').close()\n")
        ran = self.dlscope("--headless", "--python", HOST_PYTHON, option, path, script)
        self.assert_exit(ran, 3)
        self.assertEqual(len(ran.said), 1, ran.err)
        self.assertIn("cannot be written", ran.said[0])
        self.assertFalse((self.folder / "ran").exists())

    def test_folder_that_is_not_there(self):
        self.assert_refused_before_the_run(self.folder / "no" / "report.json")

    def test_a_folder(self):
        self.assert_refused_before_the_run(self.folder)

    def test_a_place_where_nothing_can_be_made(self):
        self.assert_refused_before_the_run("/proc/report.json")

    def test_the_picture_too(self):
        self.assert_refused_before_the_run(self.folder / "no" / "picture.png", "--screenshot")

    def test_the_report_then_names_what_was_not_run(self):
        picture = self.folder / "no" / "picture.png"
        script = self.write("pass\n")
        array = self.folder / "x.npy"
        array.write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}".ljust(117) + b"\n.")
        for path in (script, array):
            ran = self.dlscope("--headless", "--report", self.report_path, "--screenshot", picture, path)
            self.assert_exit(ran, 3)
            self.assertEqual((ran.script["path"], ran.script["outcome"]), (str(path), "not_run"))

    def test_a_full_disk(self):
        ran = self.dlscope("--headless", "--python", HOST_PYTHON, "--report", "/dev/full", self.write(SCRIPT))
        self.assert_exit(ran, 3)
        self.assertEqual(len(ran.said), 1, ran.err)
        self.assertIn("No space left", ran.said[0])


class BrokenStreams(Case):
    def test_standard_output_is_full(self):
        with open("/dev/full", "w") as full:
            ran = self.run_script("x = bytearray(4)\n", stdout=full)
        self.assert_exit(ran, 3)
        self.assertEqual(len(ran.said), 1, ran.err)
        self.assertEqual(ran.script["outcome"], "finished")

    def test_the_report_on_a_full_standard_output(self):
        with open("/dev/full", "w") as full:
            ran = self.dlscope("--headless", "--python", HOST_PYTHON, "--report", "-", self.write(SCRIPT), stdout=full)
        self.assert_exit(ran, 3)
        self.assertEqual(len(ran.said), 1, ran.err)

    def through_shell(self, redirections):
        script = self.write(SCRIPT)
        command = 'exec "$0" "$@" ' + redirections
        program = self.start("--version").args[0]
        process = subprocess.run(
            ["sh", "-c", command, program, "--headless", "--python", HOST_PYTHON, "--report", str(self.report_path), str(script)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
        )
        return process, json.loads(self.report_path.read_text())

    def test_closed_standard_output(self):
        process, report = self.through_shell(">&-")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual(report["script"]["outcome"], "finished")

    def test_all_streams_closed(self):
        process, report = self.through_shell("<&- >&- 2>&-")
        self.assertEqual(process.returncode, 0)
        self.assertEqual(len(report["tensors"]), 2)

    def test_report_to_a_closed_standard_output(self):
        script = self.write(SCRIPT)
        program = self.start("--version").args[0]
        process = subprocess.run(
            ["sh", "-c", 'exec "$0" "$@" >&-', program, "--headless", "--report", "-", str(script)],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            text=True,
        )
        self.assertEqual(process.returncode, 3)
        self.assertIn("it is closed", process.stderr)

    def test_a_reader_that_goes_away(self):
        process = self.start("--headless", "--python", HOST_PYTHON, "--report", self.report_path, self.write("x = bytearray(4)\n"))
        process.stdout.close()
        process.stdout = None
        ran = self.finish(process)
        self.assert_exit(ran, 0)

    def test_a_script_that_closes_every_descriptor(self):
        ran = self.run_script("import os\nos.closerange(0, 1024)\nx = bytearray(16)\n")
        self.assert_exit(ran, 0)
        self.assertEqual(ran.tensor("x")["nbytes"], 16)


class FileSizeLimit(Case):
    """A limit too small for the memory shared with the host: said in words, no death by SIGXFSZ."""

    def limited(self, *arguments):
        limit = 8 << 20
        return self.dlscope(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))

    def test_a_run(self):
        ran = self.limited("--report", self.report_path, "--python", HOST_PYTHON, "-c", "x = 1")
        self.assert_exit(ran, 3)
        self.assertIn("shared memory", ran.said[-1])
        self.assertIn("File too large", ran.said[-1])

    def test_the_doctor(self):
        ran = self.limited("--doctor", "--python", HOST_PYTHON)
        self.assert_exit(ran, 3)
        self.assertRegex(ran.out, r"(?m)^BAD +shared memory ")


class Many(Case):
    def test_a_hundred_thousand_arrays(self):
        ran = self.run_script("import array\nmany = [array.array('d', [i]) for i in range(100_000)]\n")
        self.assert_exit(ran, 0)
        self.assertEqual(len(ran.report["tensors"]), 100_000)
        self.assertEqual(ran.report["tensors"][99_999]["name"], "many[99999]")
        self.assertIn("more tensors", ran.out)
        self.assertLess(len(ran.out), 100_000)


if __name__ == "__main__":
    unittest.main()
