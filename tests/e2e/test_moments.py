"""Frames and moments: the locals after an uncaught exception, --at, dlscope.stop(), and what is said when all was local."""

import os
import unittest

from harness import HOST_PYTHON, Case, has_module, interpreters

TOOLS_PYTHON = os.environ.get("DLSCOPE_TEST_PYTHONS_TOOLS", "").split(":")[0] or HOST_PYTHON

TRAIN = """\
import array

def make(n):
    return array.array('d', [n] * 4)

class Trainer:
    def __init__(self):
        self.weights = make(1)

    def step(self, n):
        grad = make(n)
        view = memoryview(grad)[1:]
        if n == fail_at:
            raise ValueError("NaN")
        return grad

def main():
    trainer = Trainer()
    for n in range(5):
        loss = trainer.step(n)
    return loss

x = make(9)
fail_at = 99
main()
"""


class Raised(Case):
    def test_the_frames_of_an_uncaught_exception(self):
        ran = self.run_script(TRAIN.replace("fail_at = 99", "fail_at = 3"))
        self.assert_exit(ran, 1)
        self.assertEqual((ran.report["scanned"], ran.script["outcome"], ran.report["stop"]), ("raise", "raised", None))
        names = [t["name"] for t in ran.report["tensors"]]
        self.assertEqual(names[:2], ["grad", "view"])
        self.assertLess(names.index("view"), names.index("main().loss"))
        self.assertLess(names.index("main().loss"), names.index("x"))
        grad = ran.tensor("grad")
        self.assertEqual((grad["scope"], grad["frame"]["line"], grad["frame"]["depth"]), ("local", 14, 0))
        self.assertEqual(grad["frame"]["function"], "Trainer.step")
        self.assertIn("main().trainer.weights", ran.tensor("self.weights")["names"])
        self.assertEqual((ran.tensor("x")["scope"], ran.tensor("x")["frame"]), ("module", None))
        self.assertTrue(all(t["readable"] for t in ran.report["tensors"]))

    def test_sharing_in_the_frames(self):
        ran = self.run_script(TRAIN.replace("fail_at = 99", "fail_at = 0"), "--expect", "grad shares view")
        self.assert_exit(ran, 1)
        self.assertNotIn("does not hold", ran.err)

    def test_an_exception_that_ended_a_thread(self):
        ran = self.run_script("import array, threading\ndef work():\n    x = array.array('d', [1])\n    raise ValueError('boom')\n"
                              "thread = threading.Thread(target=work, name='worker')\nthread.start()\nthread.join()\n")
        self.assert_exit(ran, 0)
        self.assertEqual((ran.report["scanned"], ran.script["outcome"]), ("raise", "finished"))
        self.assertEqual((ran.tensor("x")["frame"]["function"], ran.tensor("x")["frame"]["line"]), ("work", 4))
        self.assertIn("dlscope: The thread worker ended with ValueError: boom", ran.said)
        self.assertIn("The thread worker ended with ValueError: boom", [event["text"] for event in ran.report["events"]])
        self.assertIn("Exception in thread worker:", ran.err)

    def test_a_module_level_exception(self):
        ran = self.run_script("import array\nx = array.array('d', [1])\n1 / 0\n")
        self.assertEqual((ran.report["scanned"], ran.tensor("x")["scope"]), ("raise", "module"))

    def test_sys_exit_inside_a_function(self):
        ran = self.run_script("import array, sys\ndef main():\n    x = array.array('d', [1])\n    sys.exit(0)\nmain()\n")
        self.assert_exit(ran, 0)
        self.assertEqual((ran.report["scanned"], ran.tensor("x")["frame"]["function"]), ("raise", "main"))

    def test_sys_exit_of_what_main_returned(self):
        ran = self.run_script("import array, sys\ndef main():\n    x = array.array('d', [1])\nsys.exit(main())\n")
        self.assert_exit(ran, 0)
        self.assertEqual((ran.report["scanned"], ran.report["tensors"]), ("end", []))

    def test_a_time_out_inside_a_function(self):
        ran = self.run_script("import array\ndef main():\n    x = array.array('d', [1])\n    while True: pass\nmain()\n", "--timeout", "2")
        self.assert_exit(ran, 124)
        self.assertEqual(ran.report["scanned"], "interrupt")
        self.assertEqual(ran.tensor("x")["frame"]["function"], "main")

    def test_frames_of_libraries_count_and_are_not_looked_into(self):
        ran = self.run_script("import array, json\ndef hook(pairs):\n    own = array.array('d', [1])\n    raise ValueError\n"
                              "def main():\n    mine = array.array('d', [2])\n    json.loads('{}', object_pairs_hook=hook)\nmain()\n")
        depths = {t["name"]: t["frame"]["depth"] for t in ran.report["tensors"]}
        self.assertEqual(set(depths), {"own", "main().mine"})
        self.assertGreater(depths["main().mine"], 2)

    def test_the_users_modules(self):
        self.write("import array\nCACHE = array.array('d', [1])\nx = array.array('d', [2])\ndef work():\n    x = array.array('d', [3])\n    raise ValueError\n", "helper.py")
        ran = self.run_script("import array, helper\nx = array.array('d', [4])\nown = array.array('d', [5])\nhelper.work()\n")
        self.assertEqual([t["names"][0] for t in ran.report["tensors"]], ["x", "CACHE", "globals()['x']", "__main__.x", "own"])


class At(Case):
    def at(self, where, *options, script=TRAIN, **how):
        return self.run_script(script, "--at", where, *options, **how)

    def test_a_line_inside_a_function(self):
        ran = self.at("12")
        self.assert_exit(ran, 0)
        self.assertEqual(ran.report["scanned"], "stop")
        self.assertEqual({k: v for k, v in ran.report["stop"].items() if k != "file"},
                         {"line": 12, "function": "Trainer.step", "hit": 1, "thread": "MainThread"})
        names = [name for t in ran.report["tensors"] for name in t["names"]]
        self.assertIn("grad", names)
        self.assertNotIn("view", names, "before the line runs")
        self.assertEqual(ran.script["outcome"], "finished")
        self.assertIn("Stopped before line 12 of script.py, in Trainer.step(), hit 1: the script was ended there.", ran.out)
        self.assertIn("Stopped before a return, line ", self.at("main:return").out)
        self.assertNotIn("Stopped", self.at("999").out)

    def test_the_third_time(self):
        ran = self.at("20#3", script=TRAIN.replace("return loss", "print('went on')\n    return loss"))
        self.assert_exit(ran, 0)
        self.assertEqual(ran.report["stop"]["hit"], 3)
        self.assertIn("loss", [t["name"] for t in ran.report["tensors"]])
        self.assertNotIn("went on", ran.out, "the script ends there")

    def test_with_expectations(self):
        self.assert_exit(self.at("13", "--expect", "grad shares view"), 0)
        self.assert_exit(self.at("13", "--expect", "grad disjoint view"), 4)

    def test_lines_of_modules_loops_and_generators(self):
        script = ("import array\nx = array.array('d', [1])\nfor i in range(3):\n    y = array.array('d', [i])\ndef g():\n    z = array.array('d', [1])\n"
                  "    yield 1\n    yield 2\nlist(g())\nasync def co():\n    w = array.array('d', [1])\n    return 3\nimport asyncio\nasyncio.run(co())\n")
        for where, expected in (("3", {"x"}), ("4#3", {"x", "y"}), ("8", {"x", "y", "z"}), ("12", {"x", "y", "w"})):
            with self.subTest(where):
                ran = self.at(where, script=script)
                self.assert_exit(ran, 0)
                self.assertEqual({t["name"] for t in ran.report["tensors"]}, expected)

    def test_tasks_of_an_event_loop_end_without_a_word(self):
        script = ("import array, asyncio\nasync def work(n):\n    part = array.array('d', [n])\n    await asyncio.sleep(0)\n    return part\n"
                  "async def main():\n    alone = asyncio.ensure_future(work(9))\n"
                  "    await asyncio.gather(*(work(n) for n in range(3)))\nasyncio.run(main())\n")
        for where in ("4", "5#2", "work:return"):
            with self.subTest(where):
                ran = self.at(where, script=script)
                self.assert_exit(ran, 0)
                self.assertIn("part", [t["name"] for t in ran.report["tensors"]])
                self.assertNotIn("Traceback", ran.err)

    def test_an_event_loop_still_reports_the_script_s_own_errors(self):
        script = ("import array, asyncio\nasync def fails():\n    raise ValueError('its own')\n"
                  "async def work():\n    lost = asyncio.ensure_future(fails())\n    await asyncio.sleep(0.01)\n"
                  "    part = array.array('d', [1])\n    return part\nasyncio.run(work())\n")
        ran = self.at("8", script=script)
        self.assert_exit(ran, 0)
        self.assertIn("its own", ran.err)

    def test_a_line_without_code(self):
        script = "import array\n\n# a comment\n\nx = array.array('d', [1])\nprint('end')\n"
        ran = self.at("3", script=script)
        self.assertEqual(ran.report["stop"]["line"], 5)
        self.assertTrue(any("line 3 has no code" in event["text"] for event in ran.report["events"]), ran.report["events"])
        self.assertTrue(any("line 3 has no code" in line for line in ran.said))

    def test_a_function_of_one_line(self):
        script = "import array\nx = array.array('d', [1])\ndef f(a): return len(a)\nprint('before')\nf(x)\nprint('after')\n"
        ran = self.at("3", script=script)
        self.assert_exit(ran, 0)
        self.assertEqual((ran.report["stop"]["function"], ran.out.strip().splitlines()[0]), ("f", "before"))
        self.assertEqual(ran.tensor("a")["names"], ["a", "x"])
        self.assertNotIn("after", ran.out)
        twice = self.at("3#2", script=script)
        self.assert_exit(twice, 4)

    def test_never_reached(self):
        for where, said in (("21#2", "never reached"), ("4000", "--at 4000: no line from 4000 on has code"),
                            ("nowhere.py:3", "--at nowhere.py:3: no file of that name has run")):
            with self.subTest(where):
                ran = self.at(where)
                self.assertTrue(any(said in line for line in ran.said), ran.said)
                self.assert_exit(ran, 4)
                self.assertEqual((ran.report["scanned"], ran.report["stop"]), ("end", None))
                self.assertTrue(any("never reached" in event["text"] for event in ran.report["events"]))
                self.assertEqual(ran.tensor("x")["scope"], "module")
        often = self.at("20#9")
        self.assertTrue(any("--at 20#9: that line was seen to run only 5 times" in line for line in often.said), often.said)
        raised = self.at("21", script=TRAIN.replace("fail_at = 99", "fail_at = 0"))
        self.assert_exit(raised, 1)
        self.assertEqual(raised.report["scanned"], "raise")

    def test_a_moment_near_the_limit_of_recursion(self):
        """The scan needs calls of its own; at the limit it had none, and the report had no tensor at all."""
        script = """\
            import array, sys
            def f(n):
                x = array.array('d', [n])
                return 0 if n == 0 else f(n - 1)
            top = array.array('d', [1.0])
            f(sys.getrecursionlimit() - 12)
            """
        for hit in ("900", "960", "985"):
            with self.subTest(hit):
                ran = self.at("4#" + hit, script=script)
                self.assert_exit(ran, 0)
                self.assertEqual((ran.report["scanned"], ran.report["stop"]["hit"]), ("stop", int(hit)))
                self.assertEqual(len([t for t in ran.report["tensors"] if t["scope"] == "local"]), int(hit))

    def test_a_scan_that_fails_is_told_and_the_end_is_described(self):
        script = """\
            import array
            from dlscope import _host_events
            x = array.array('d', [1.0])
            def fails(): raise MemoryError('no room')
            _host_events.thread_name = fails
            y = 1
            """
        ran = self.at("6", script=script)
        self.assert_exit(ran, 4)
        self.assertTrue(any("--at 6: it was reached, but the scan there failed: MemoryError: no room" in line for line in ran.said), ran.said)
        self.assertFalse(any("never reached" in line or "seen to run" in line for line in ran.said), ran.said)
        self.assertEqual(ran.report["scanned"], "end")
        self.assertEqual(ran.tensor("x")["scope"], "module")

    def test_a_path_from_the_root_means_that_file(self):
        folder = self.folder / "hl"
        folder.mkdir()
        script = folder / "rec.py"
        script.write_text("import array\nx = array.array('d', [1.0])\ny = 1\n")
        for where, code in ((str(script), 0), ("hl/rec.py", 0), ("/hl/rec.py", 4)):
            with self.subTest(where):
                self.assert_exit(self.dlscope("--headless", "--at", where + ":3", str(script)), code)

    def test_child_processes_do_not_hide_why_it_was_not_reached(self):
        script = TRAIN + "import os\nif os.fork() == 0: os._exit(0)\nos.wait()\n"
        for where, said in (("nosuch:return", "no function of the script and of its modules has that name"),
                            ("20#9", "that line was seen to run only 5 times")):
            with self.subTest(where):
                ran = self.at(where, script=script)
                self.assert_exit(ran, 4)
                self.assertTrue(any(said in line for line in ran.said), ran.said)
                self.assertTrue(any("child processes" in line for line in ran.said), ran.said)

    def test_a_return_that_was_never_reached_says_why(self):
        script = ("import array\nclass Model:\n    def step(self): return array.array('d', [1])\n"
                  "class Other:\n    def step(self): pass\ndef outer():\n    def inner(): pass\ndef idle(): pass\n"
                  "def fails(): raise ValueError\nm = Model(); m.step()\ntry: fails()\nexcept ValueError: pass\n")
        for where, said in (("nosuch:return", "no function of the script and of its modules has that name"),
                            ("idle:return", "idle was not called"), ("inner:return", "inner was not called"),
                            ("fails:return", "fails was called, but did not return: it was left by an exception"),
                            ("Model.step:return#2", "Model.step returned only once")):
            with self.subTest(where):
                ran = self.at(where, script=script)
                self.assert_exit(ran, 4)
                self.assertTrue(any("--at %s: %s" % (where, said) in line for line in ran.said), ran.said)
                self.assertTrue(any(said in event["text"] for event in ran.report["events"]))
        ran = self.at("step:return", script=script)
        if tuple(map(int, ran.report["python"]["version"].split(".")[:2])) >= (3, 11):  # before, a code object does not tell its class
            self.assert_exit(ran, 4)
            self.assertTrue(any("did you mean Model.step:return or Other.step:return?" in line for line in ran.said), ran.said)

    def test_functions_in_text_that_a_library_runs_are_not_the_users(self):
        library = "exec('first = lambda q: q')\nmade = eval('lambda q: q', {'__name__': 'made'})\nmade(1)\n"
        self.write(library, "site-packages/library.py")
        text = ("import array, sys\nsys.path.insert(0, %r)\nimport library\nx = array.array('d', [1, 2])\n"
                "f = lambda q: memoryview(q)\ny = f(x)\n" % str(self.folder / "site-packages"))
        ran = self.at("<lambda>:return", script=text)
        self.assert_exit(ran, 0)
        self.assertEqual((ran.report["stop"]["line"], ran.tensor("q")["names"]), (5, ["q", "x"]))
        ran = self.dlscope("--headless", "--at", "<lambda>:return", "--report", self.report_path, "-c", text)
        self.assert_exit(ran, 0)
        self.assertEqual(ran.report["stop"]["line"], 5)

    def test_another_file(self):
        self.write("import array\ndef work(n):\n    inside = array.array('d', [n])\n    return inside\n", "helper.py")
        for where in ("helper.py:4", str(self.folder / "helper.py") + ":4", "helper.py:4#2"):
            with self.subTest(where):
                ran = self.at(where, script="import helper\nhelper.work(1)\nhelper.work(2)\n")
                self.assert_exit(ran, 0)
                self.assertEqual((ran.report["stop"]["line"], ran.tensor("inside")["frame"]["function"]), (4, "work"))
                self.assertTrue(ran.report["stop"]["file"].endswith("helper.py"))

    def test_in_the_packages_above_a_module(self):
        """They run before the module's own file is known, and are part of the run all the same."""
        package = self.write("import array\ndef make(n):\n    made = array.array('d', [n] * 4)\n    return made\nweights = make(3)\n",
                             "pkg/__init__.py")
        self.write("import array\nx = array.array('d', [1])\nfrom . import weights\nprint('the end', len(weights))\n", "pkg/mod.py")
        module = ("--headless", "--python", HOST_PYTHON, "--report", self.report_path, "--at")
        ran = self.dlscope(*module, "pkg/__init__.py:4", "-m", "pkg.mod")
        self.assert_exit(ran, 0)
        self.assertEqual((ran.report["scanned"], ran.report["stop"]["line"], ran.report["stop"]["file"]),
                         ("stop", 4, os.path.realpath(package)))
        self.assertEqual((ran.tensor("made")["shape"], ran.tensor("made")["frame"]["function"]), ([4], "make"))
        self.assertNotIn("the end", ran.out)
        ran = self.dlscope(*module, "4", "-m", "pkg.mod")  # of the module, not of the package
        self.assertEqual(ran.report["stop"]["line"], 4)
        self.assertEqual(ran.tensor("x")["shape"], [1])
        self.assertTrue(ran.report["stop"]["file"].endswith("pkg/mod.py"))

    def test_a_module_that_is_reloaded(self):
        """Its lines are those of what runs now; also of a text that exec made anew under the same name."""
        rewrite = ("import array, importlib, os, helper\nhelper.work(1)\nwith open(helper.__file__, 'w') as file:\n"
                   "    file.write('# a line\\n# more\\n' + %r)\nos.utime(helper.__file__, (1, 1))\nimportlib.reload(helper)\nhelper.work(2)\n")
        helper = "import array\ndef work(n):\n    inside = array.array('d', [n] * n)\n    return inside\n"
        self.write(helper, "helper.py")
        ran = self.at("helper.py:6", script=rewrite % helper)
        self.assert_exit(ran, 0)
        self.assertEqual((ran.report["stop"]["line"], ran.tensor("inside")["shape"]), (6, [2]))
        made = ("import array\ntext = %r\nfor n in (1, 2):\n    exec(compile(text, 'made.py', 'exec'))\n    work(n)\n"
                "    text = '# a line\\n# more\\n' + text\n") % helper
        ran = self.at("made.py:6", script=made)
        self.assert_exit(ran, 0)
        self.assertEqual((ran.report["stop"]["line"], ran.tensor("inside")["shape"]), (6, [2]))

    def test_in_a_thread(self):
        script = ("import array, threading\ndef work():\n    x = array.array('d', [1])\n    return x\n"
                  "t = threading.Thread(target=work, name='worker')\nt.start()\nt.join()\n")
        ran = self.at("4", script=script)
        self.assert_exit(ran, 0)
        self.assertEqual((ran.report["stop"]["thread"], ran.tensor("x")["scope"]), ("worker", "local"))

    def test_finally_still_runs_and_except_exception_does_not_stop_it(self):
        script = ("import array\ndef f():\n    x = array.array('d', [1])\n    try:\n        y = 1\n    except Exception:\n        print('swallowed')\n"
                  "    finally:\n        print('cleaned up')\n    print('went on')\nf()\n")
        ran = self.at("5", script=script)
        self.assert_exit(ran, 0)
        self.assertIn("cleaned up", ran.out)
        self.assertNotIn("swallowed", ran.out)
        self.assertNotIn("went on", ran.out)

    def test_what_catches_the_end_of_the_script(self):
        """A bare except in a loop; a test runner, which calls it a failed test and goes on with the next one."""
        loop = "def step(n):\n    return n + 1\nn = 0\nwhile True:\n    try:\n        n = step(n)\n    except:\n        print('caught')\n"
        tests = ("import unittest\nclass Tests(unittest.TestCase):\n    def test_1(self):\n        x = bytearray(3)\n        self.assertEqual(len(x), 3)\n"
                 "    def test_2(self):\n        print('second test')\nunittest.main()\n")
        for where, script in (("2#3", loop), ("5", tests)):
            with self.subTest(where):
                ran = self.at(where, script=script)
                self.assert_exit(ran, 0)
                self.assertEqual((ran.report["scanned"], ran.script["outcome"]), ("stop", "finished"))
                self.assertNotIn("second test", ran.out)

    @unittest.skipUnless(has_module("pytest", TOOLS_PYTHON), "no pytest in the Python with tools")
    def test_pytest(self):
        tests = "import pytest, sys\ndef test_1():\n    x = bytearray(3)\n    assert len(x) == 3\ndef test_2():\n    print('second', 'test')\n    assert 0\n"
        ran = self.at("4", script=tests + "if __name__ == '__main__':\n    sys.exit(pytest.main(['-s', '-p', 'no:cacheprovider', __file__]))\n", python=TOOLS_PYTHON)
        self.assert_exit(ran, 0)
        self.assertEqual((ran.report["scanned"], ran.report["stop"]["function"]), ("stop", "test_1"))
        self.assertNotIn("second test", ran.out)  # pytest shows the source of what did not run, which says it otherwise
        self.assertNotIn("INTERNALERROR", ran.out)

    def test_a_script_that_never_ends_after_the_moment(self):
        script = "import array\ndef f():\n    x = array.array('d', [1])\n    return x\ntry:\n    f()\nexcept:\n%s"
        ran = self.at("4", script=script % "    while True: pass\n")
        self.assert_exit(ran, 0)
        self.assertIn("dlscope: the script goes on after the moment that was asked for: stopping it", ran.said)
        hangs = "    import time\n    while True:\n        try: time.sleep(60)\n        except: pass\n"
        ran = self.at("4", script=script % hangs)
        self.assert_exit(ran, 0)
        self.assertEqual((ran.report["scanned"], ran.script["outcome"]), ("stop", "finished"))
        self.assertEqual(ran.tensor("x")["scope"], "local")
        self.assertTrue(any("did not end after the moment" in event["text"] for event in ran.report["events"]))

    def test_usage(self):
        script = self.write("x = 1\n")
        for where in ("", "x", ":return", "a/b:return", "main:return#0", "0", "-1", "3#0", "3#", ":3", "a.py:", "3#x"):
            with self.subTest(where):
                ran = self.dlscope("--headless", "--at", where, script)
                self.assert_exit(ran, 2)
                self.assertIn("[FILE:]LINE[#HIT]", ran.err)


class EachPython(Case):
    """Frames and their variables are read in another way in nearly every version."""

    SCRIPT = """\
        import array, threading
        class Cell:
            def __init__(self):
                self.weights = array.array('d', [1])
        def numbers(n):
            inside = array.array('d', [n])
            yield n
            yield inside
        def work(n):
            x, made = array.array('d', [n]), Cell()
            def inner():
                return x
            waiting = numbers(n)
            next(waiting)
            deleted = array.array('d', [3])
            del deleted
            inner()
            return n
        kept = array.array('d', [2])
        thread = threading.Thread(target=work, args=(4,), name='worker')
        thread.start()
        thread.join()
        work(0)
        """
    FOUND = {"x", "made.weights", "waiting.gi_frame.f_locals['inside']", "kept"}

    def test_moments(self):
        raises = self.SCRIPT.replace("inner()\n            return n", "1 / n\n            return n")
        for version, python in interpreters():
            for options, script, scanned in ((("--at", "18"), self.SCRIPT, "stop"), (("--at", "work:return"), self.SCRIPT, "stop"), ((), raises, "raise")):
                with self.subTest(version, options=options):
                    ran = self.run_script(script, *options, python=python)
                    self.assert_exit(ran, 1 if scanned == "raise" else 0)
                    self.assertEqual(ran.report["scanned"], scanned)
                    self.assertEqual({t["name"] for t in ran.report["tensors"]}, self.FOUND)
                    self.assertEqual(ran.tensor("x")["frame"]["function"], "work")


class Stop(Case):
    def test_stop_looks_where_it_stands(self):
        ran = self.run_script("import array, dlscope\ndef main():\n    x = array.array('d', [1])\n    dlscope.stop()\n    print('went on')\nmain()\n")
        self.assert_exit(ran, 0)
        self.assertEqual((ran.report["scanned"], ran.report["stop"]["line"], ran.report["stop"]["function"]), ("stop", 4, "main"))
        self.assertEqual((ran.tensor("x")["scope"], ran.tensor("x")["frame"]["depth"]), ("local", 0))
        self.assertNotIn("went on", ran.out)
        self.assertIn("Stopped at dlscope.stop(), line 4 of script.py, in main(), hit 1: the script was ended there.", ran.out)


class Causes(Case):
    def test_the_locals_of_what_it_came_from(self):
        ran = self.run_script("""\
            import array
            def read():
                a = array.array('d', [1])
                raise KeyError('k')
            def parse():
                b = array.array('d', [2])
                try:
                    read()
                except KeyError as error:
                    raise ValueError('no such key') from error
            parse()
            """)
        self.assert_exit(ran, 1)
        self.assertEqual({t["name"] for t in ran.report["tensors"]}, {"b", "read().a"})
        self.assertEqual([t["frame"]["line"] for t in ran.report["tensors"]], [10, 4])


class MemoryRunsOut(Case):
    def test_what_is_alive_is_named_biggest_first(self):
        ran = self.run_script("""\
            import array
            def main():
                small = array.array('d', [0]) * 100
                large = array.array('d', [0]) * 10000
                view = memoryview(large)
                raise MemoryError
            main()
            """)
        self.assert_exit(ran, 1)
        self.assertIn("Alive when memory ran out, biggest first: large 78.1 KiB (with 1 other that shares it), small 800 B.", ran.out)


class AllLocal(Case):
    def test_it_is_said_where_it_is_true(self):
        text = "import array\ndef main():\n    x = array.array('d', [1])\nmain()\n"
        for script, said in ((text, True), ("x = 3\n", False), (text + "x = array.array('d', [1])\n", False), (text + "raise ValueError\n", False)):
            with self.subTest(script):
                ran = self.run_script(script)
                self.assertEqual("--at main:return" in ran.out, said, ran.out)

    def test_what_it_says_helps(self):
        text = "import array, sys\ndef main():\n    x = array.array('d', [1])\n    y = memoryview(x)\n    return 0\nif __name__ == '__main__':\n    sys.exit(main())\n"
        script = self.write(text)
        ran = self.dlscope("--headless", "--at", "main:return", "--report", str(self.folder / "r.json"), "--expect", "x shares y", script)
        self.assert_exit(ran, 0)
        ran = self.dlscope("--headless", "--at", "nobody:return", script)
        self.assert_exit(ran, 4)
        self.assertIn("never reached", ran.err)


if __name__ == "__main__":
    unittest.main()
