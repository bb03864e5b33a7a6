"""How a script can end, and what exit code and report come of it."""

import os
import shutil
import signal
import subprocess
import textwrap
import time
import unittest

from harness import SPIN_LIBRARY, Case, environment


class Endings(Case):
    def test_a_script_that_just_ends(self):
        ran = self.run_script("import array\nx = array.array('d', range(10))\n")
        self.assert_exit(ran, 0)
        self.assertEqual(ran.script["outcome"], "finished")
        self.assertIsNone(ran.script["error"])
        self.assertEqual(ran.report["scanned"], "end")
        self.assertEqual(ran.tensor("x")["shape"], [10])

    def test_raise(self):
        ran = self.run_script(
            """\
            import array
            before = array.array('i', [1, 2, 3])
            def deep():
                raise ValueError("no such thing")
            deep()
            """
        )
        self.assert_exit(ran, 1)
        self.assertEqual(ran.script["outcome"], "raised")
        error = ran.script["error"]
        self.assertEqual((error["type"], error["message"], error["line"]), ("ValueError", "no such thing", 4))
        self.assertIn("ValueError: no such thing", ran.err)
        self.assertIn("in deep", error["traceback"])
        self.assertEqual(ran.report["scanned"], "raise")
        self.assertEqual(ran.tensor("before")["elements"], 3)

    def test_a_syntax_error(self):
        ran = self.run_script("x = (\n")
        self.assert_exit(ran, 1)
        self.assertEqual(ran.script["error"]["type"], "SyntaxError")

    def test_sys_exit_with_a_number(self):
        ran = self.run_script("import sys\nsys.exit(7)\n")
        self.assert_exit(ran, 1)
        self.assertEqual((ran.script["outcome"], ran.script["exit_code"]), ("finished", 7))
        self.assertEqual(ran.report["scanned"], "end")

    def test_sys_exit_without_a_number(self):
        ran = self.run_script("import sys\nsys.exit()\n")
        self.assert_exit(ran, 0)
        self.assertEqual(ran.script["outcome"], "finished")

    def test_whatever_is_given_to_sys_exit_counts_as_it_does_in_the_users_python(self):
        given = """\
            class Number(int):
                def __index__(self): return 9
                __int__ = __index__
                def __and__(self, other): return 9
            class Said:
                def __str__(self): return "said"
            class Mute:
                def __str__(self): raise ValueError("no words")
            class Pretends:
                __class__ = int
                def __str__(self): return "no number"
            class Exit(SystemExit):
                code = property(lambda self: 1 / 0)
            class Own(SystemExit):
                def __init__(self): self.code = 258
            """
        values = ("None", "True", "False", "0", "1", "255", "256", "257", "512", "-1", "-256", "2**31", "2**32", "2**63 - 1", "2**63",
                  "-2**63", "-2**63 - 1", "2**100", "1.5", "0.0", "float('nan')", "''", "'words'", "'\\u2713'", "b''", "[]", "(1, 2)",
                  "Number(256)", "Number(3)", "Said()", "Mute()", "Pretends()", "Ellipsis")
        endings = ["sys.exit(%s)" % value for value in values]
        endings += ["sys.exit()", "raise SystemExit", "raise SystemExit(256)", "raise Exit", "raise Own", "exit(256)", "quit('words')"]
        for ending in endings:
            with self.subTest(ending):
                text = "import sys\n" + textwrap.dedent(given) + ending + "\n"
                ran = self.run_script(text)
                plain = subprocess.run([self.python, self.write(text)], capture_output=True, env=environment(), timeout=60)
                self.assert_exit(ran, 0 if plain.returncode == 0 else 1)
                self.assertEqual((ran.script["outcome"], ran.script["exit_code"]), ("finished", plain.returncode))
                with_error = ("Mute()", "(2**63)", "(-2**63 - 1)", "(2**100)")  # of which 3.12 prints an error of its own, too
                if not any(value in ending for value in with_error):
                    self.assertEqual(ran.err.partition("\n")[2], plain.stderr.decode())  # the first line is of dlscope

    def test_os_exit(self):
        ran = self.run_script("import os\nos._exit(3)\n")
        self.assert_exit(ran, 1)
        self.assertEqual((ran.script["outcome"], ran.script["exit_code"]), ("finished", 3))
        self.assertEqual(ran.report["scanned"], "none")
        self.assertTrue(any("exited with code 3" in event["text"] for event in ran.report["events"]), ran.report["events"])

    def test_os_exit_zero(self):
        ran = self.run_script("import os\nos._exit(0)\n")
        self.assert_exit(ran, 0)
        self.assertEqual((ran.script["outcome"], ran.script["exit_code"]), ("finished", 0))

    def test_exec_of_another_program(self):
        ran = self.run_script("import os\nos.execv('/bin/sh', ['sh', '-c', 'echo replaced; exit 4'])\n")
        self.assert_exit(ran, 1)
        self.assertIn("replaced", ran.out)
        self.assertEqual(ran.script["exit_code"], 4)

    def test_keyboard_interrupt_raised_by_the_script(self):
        ran = self.run_script("raise KeyboardInterrupt\n")
        self.assert_exit(ran, 130)
        self.assertEqual(ran.script["outcome"], "interrupted")


class Crashes(Case):
    def assert_crashed(self, ran, *signals):
        self.assert_exit(ran, 5)
        self.assertEqual(ran.script["outcome"], "crashed")
        self.assertIn(ran.script["signal"], signals)
        self.assertTrue(any("signal" in line for line in ran.said), ran.err)

    def test_null_pointer(self):
        ran = self.run_script("import ctypes\nprint('before', flush=True)\nctypes.string_at(0)\n")
        self.assert_crashed(ran, signal.SIGSEGV)
        self.assertIn("before", ran.out)
        self.assertIn("string_at", ran.err)  # the Python stack

    def test_abort(self):
        ran = self.run_script("import os\nos.abort()\n")
        self.assert_crashed(ran, signal.SIGABRT)
        self.assertIsNone(ran.script["crash"]["address"])
        self.assertGreater(len(ran.script["crash"]["native"]), 2)

    def test_a_write_past_the_end(self):
        ran = self.run_script("""\
            import ctypes, dlscope
            libc = ctypes.CDLL(None)
            libc.mmap.restype = ctypes.c_void_p
            address = libc.mmap(None, ctypes.c_size_t(3 * 4096), 3, 0x22, -1, ctypes.c_long(0))
            libc.mprotect(ctypes.c_void_p(address + 8192), ctypes.c_size_t(4096), 0)
            x = (ctypes.c_double * 1024).from_address(address)
            def write(at):
                ctypes.memset(address + 8 * at, 1, 8)
            dlscope.report()
            write(1025)
            """)
        self.assert_crashed(ran, signal.SIGSEGV)
        crash = ran.script["crash"]
        self.assertEqual(crash["where"], "In the last snapshot, taken in this run, the address lies 8 bytes past the end of x.")
        self.assertEqual(crash["memory"], "nothing may be read or written there")
        self.assertTrue(any("libc" in (frame["library"] or "") for frame in crash["native"]), crash)
        self.assertIn("8 bytes past the end of x", ran.err)
        self.assertIn("native code, innermost first: libc", ran.err)

    def test_native_functions_are_named(self):
        ran = self.run_script("import ctypes\nctypes.CDLL(%r).write_through(None)\n" % str(SPIN_LIBRARY))
        self.assert_crashed(ran, signal.SIGSEGV)
        inner, outer = ran.script["crash"]["native"][:2]
        self.assertEqual([inner["symbol"], outer["symbol"]], ["write_one", "write_through"])
        self.assertEqual(inner["library"], str(SPIN_LIBRARY))
        self.assertIn("libe2e_spin.so: write_one (+%s), write_through (+%s)" % (inner["offset"], outer["offset"]), ran.err)

    def test_a_library_that_the_script_made_is_named_and_one_that_was_written_since_is_not(self):
        text = """\
            import ctypes, os, shutil
            shutil.copyfile(%r, "made.so")
            made = ctypes.CDLL(os.path.abspath("made.so"))
            %s
            made.write_through(None)
            """
        changes = {
            "pass": "write_one",
            "os.replace(shutil.copyfile('made.so', 'other.so'), 'made.so')": None,  # the mapped file has no name any more
        }
        for change, name in changes.items():
            with self.subTest(change):
                ran = self.run_script(text % (str(SPIN_LIBRARY), change))
                self.assert_crashed(ran, signal.SIGSEGV)
                self.assertEqual(ran.script["crash"]["native"][0]["symbol"], name)

    def test_a_library_written_in_place_gives_no_names(self):
        library = self.folder / "old.so"
        shutil.copyfile(SPIN_LIBRARY, library)
        time.sleep(0.05)
        ran = self.run_script(
            """\
            import ctypes
            old = ctypes.CDLL(%r)
            with open(%r, "r+b") as file:
                start = file.read(1)
                file.seek(0)
                file.write(start)
            old.write_through(None)
            """
            % (str(library), str(library))
        )
        self.assert_crashed(ran, signal.SIGSEGV)
        inner = ran.script["crash"]["native"][0]
        self.assertEqual((inner["library"], inner["symbol"]), (str(library), None))

    def test_a_fault_where_nothing_was_looked_at(self):
        ran = self.run_script("import ctypes\nctypes.string_at(64)\n")
        self.assertEqual(ran.script["crash"]["address"], "0x40")
        self.assertEqual(ran.script["crash"]["memory"], "no memory is mapped there")
        self.assertIn("no snapshot was taken before", ran.script["crash"]["where"])

    def test_stack_overflow_in_c(self):
        ran = self.run_script("import ctypes\nctypes.CDLL(%r).recurse(0)\n" % str(SPIN_LIBRARY))
        self.assert_crashed(ran, signal.SIGSEGV)

    def test_stack_overflow_in_python(self):
        text = """\
            import sys
            sys.setrecursionlimit(10**9)
            class Deep:
                def __getattr__(self, name):
                    return getattr(self, name + "x"[:1])
            def f(n):
                return [f(n + 1)][0]
            sys.setrecursionlimit(10**8)
            import ctypes
            ctypes.CDLL(%r).recurse(0)
            """
        self.assert_crashed(self.run_script(text % str(SPIN_LIBRARY)), signal.SIGSEGV)

    def test_the_line_in_the_script_is_told(self):
        ran = self.run_script("import ctypes\ndef look():\n    ctypes.string_at(0)\nlook()\n")
        self.assert_crashed(ran, signal.SIGSEGV)
        error = ran.script["error"]
        self.assertEqual((error["type"], error["message"], error["line"]), ("SIGSEGV", "Segmentation fault", 3))
        self.assertIn("in look", error["traceback"])

    def test_a_script_that_turns_faulthandler_on(self):
        """It asks for the stack on standard error: there it is, once, and the report has it too."""
        for on in ("faulthandler.enable()", "faulthandler.enable(); faulthandler.disable(); faulthandler.enable()", "faulthandler.disable()"):
            with self.subTest(on):
                ran = self.run_script("import ctypes, faulthandler; %s\nctypes.string_at(0)\n" % on)
                self.assert_crashed(ran, signal.SIGSEGV)
                self.assertEqual(ran.script["error"]["line"], 2)
                self.assertEqual(ran.err.count("Fatal Python error"), 1, ran.err)

    def test_a_script_that_turns_faulthandler_on_for_a_file(self):
        ran = self.run_script(
            """\
            import ctypes, faulthandler
            before = faulthandler.is_enabled()
            faulthandler.enable(open("stack.txt", "w"))
            print(before, faulthandler.is_enabled(), faulthandler.disable(), faulthandler.is_enabled(), flush=True)
            faulthandler.enable(open("stack.txt", "w"))
            ctypes.string_at(0)
            """
        )
        self.assert_crashed(ran, signal.SIGSEGV)
        self.assertIn("False True True False", ran.out)
        self.assertIn("line 6 in <module>", (self.folder / "stack.txt").read_text())
        self.assertEqual(ran.script["error"]["line"], 6)

    def test_abort_has_no_address(self):
        ran = self.run_script("import os\nos.abort()\n")
        self.assert_crashed(ran, signal.SIGABRT)
        self.assertEqual(ran.said[0], "dlscope: the script's process crashed: signal 6 (SIGABRT)")
        self.assertEqual(ran.script["error"]["line"], 2)

    def test_a_signal_the_script_sends_itself(self):
        for name in ("SIGKILL", "SIGTERM", "SIGBUS", "SIGFPE", "SIGILL"):
            with self.subTest(name):
                ran = self.run_script("import os, signal\nos.kill(os.getpid(), signal.%s)\nimport time\ntime.sleep(60)\n" % name)
                self.assert_crashed(ran, getattr(signal, name))

    def test_its_own_process_group(self):
        ran = self.run_script("import os, signal\nos.killpg(0, signal.SIGKILL)\n")
        self.assert_crashed(ran, signal.SIGKILL)

    def test_a_report_the_script_made_itself_before_is_kept(self):
        ran = self.run_script(
            """\
            import array, ctypes
            import dlscope
            kept = array.array('f', [1.0, 2.0])
            dlscope.report()
            ctypes.string_at(0)
            """,
            "--expect",
            "kept shares kept",
        )
        self.assert_crashed(ran, signal.SIGSEGV)
        self.assertEqual(ran.report["scanned"], "earlier")
        self.assertEqual(ran.tensor("kept")["elements"], 2)

    def test_a_crash_outranks_an_expectation(self):
        ran = self.run_script("import os\nos.abort()\n", "--expect", "x shares y")
        self.assert_exit(ran, 5)
        self.assertTrue(any("nothing was scanned" in line for line in ran.said), ran.err)


class Children(Case):
    def test_a_child_that_outlives_the_script_is_not_waited_for(self):
        ran = self.run_script(
            """\
            import os, time
            child = os.fork()
            if child == 0:
                os.close(1); os.close(2)
                time.sleep(600)
                os._exit(0)
            open("child", "w").write(str(child))
            """
        )
        self.assert_exit(ran, 0)
        os.kill(int((self.folder / "child").read_text()), signal.SIGKILL)  # raises if it had gone with the script

    def test_a_forked_child_that_falls_off_the_end(self):
        ran = self.run_script("import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\nprint('end', bool(pid))\n")
        self.assert_exit(ran, 0)
        self.assertEqual(sorted(line for line in ran.out.splitlines() if line.startswith("end")), ["end False", "end True"])

    def test_threads_that_are_no_daemons_are_waited_for(self):
        ran = self.run_script(
            """\
            import threading, time
            def late():
                time.sleep(0.3)
                print("late", flush=True)
            threading.Thread(target=late).start()
            """
        )
        self.assert_exit(ran, 0)
        self.assertIn("late", ran.out)

    def test_atexit_functions_run(self):
        ran = self.run_script("import atexit\natexit.register(lambda: print('goodbye', flush=True))\n")
        self.assert_exit(ran, 0)
        self.assertIn("goodbye", ran.out)


if __name__ == "__main__":
    unittest.main()
