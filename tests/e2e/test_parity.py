"""A script sees what it would see under plain python."""

import json
import os
import subprocess
import sys
import unittest

from harness import HOST_PYTHON, Case, environment

LOOK = """\
    import json, os, sys
    facts = {
        "argv": sys.argv,
        "path0": sys.path[0],
        "name": __name__,
        "file": globals().get("__file__"),
        "doc": __doc__,
        "package": __package__,
        "main": sys.modules["__main__"].__dict__ is globals(),
        "executable": sys.executable,
        "prefix": sys.prefix,
        "base_prefix": sys.base_prefix,
        "flags": [sys.flags.isolated, sys.flags.no_site, sys.flags.optimize],
        "cwd": os.getcwd(),
        "path": [entry for entry in sys.path if not entry.endswith("/python")],
        "stdin": sys.stdin.read(),
        "encoding": [sys.stdout.encoding, sys.getfilesystemencoding()],
        "names": sorted(name for name in globals() if name.startswith("__")),
    }
    with open(os.environ["LOOK"], "w") as file:
        json.dump(facts, file)
    """


class Parity(Case):
    def both(self, arguments, cwd=None):
        """What the script saw under dlscope and under python."""
        seen = []
        for command in ([None, "--headless", "--python", HOST_PYTHON], [HOST_PYTHON]):
            out = self.folder / "look.json"
            env = environment(LOOK=str(out))
            if command[0] is None:
                ran = self.dlscope(*command[1:], *arguments, env=env, cwd=cwd or self.folder)
                self.assert_exit(ran, 0)
            else:
                subprocess.run([*command, *map(str, arguments)], env=env, cwd=cwd or self.folder, check=True, stdin=subprocess.DEVNULL)
            seen.append(json.loads(out.read_text()))
        return seen

    def assert_same(self, arguments, cwd=None):
        ours, pythons = self.both(arguments, cwd)
        self.maxDiff = None
        self.assertEqual(ours, pythons)

    def test_an_absolute_script_with_arguments(self):
        self.assert_same([self.write(LOOK), "a", "--headless", "--", "-c", "x y"])

    def test_a_relative_script(self):
        self.write(LOOK)
        self.assert_same(["script.py"])

    def test_a_script_in_a_folder(self):
        (self.folder / "sub").mkdir()
        self.write(LOOK, "sub/script.py")
        self.assert_same(["sub/script.py", "x"])

    def test_a_script_behind_a_link(self):
        (self.folder / "real").mkdir()
        self.write(LOOK, "real/script.py")
        (self.folder / "link.py").symlink_to("real/script.py")
        self.assert_same(["link.py"])

    def test_code(self):
        code = "import os\nexec(compile(open(os.environ['CODE_FROM']).read(), 'x', 'exec'))"
        source = self.write("\n".join(line[4:] for line in LOOK.splitlines()), "code.txt")
        os.environ["CODE_FROM"] = str(source)
        self.addCleanup(os.environ.pop, "CODE_FROM")
        self.assert_same(["-c", code, "a", "-b"])

    def test_tracebacks_are_pythons(self):
        script = self.write("def f(x):\n    return 1 / x\n\nf(0)\n")
        ours = self.dlscope("--headless", "--python", HOST_PYTHON, script)
        pythons = subprocess.run([HOST_PYTHON, str(script)], stderr=subprocess.PIPE, text=True, env=environment(), cwd=self.folder)
        self.assertIn(pythons.stderr, ours.err)

    def test_a_module_of_the_users_beside_the_script(self):
        question = "import sys; print(*sys.modules)"  # some installations import more than others at start-up
        plain = subprocess.run([HOST_PYTHON, "-c", question], stdout=subprocess.PIPE, text=True, env=environment()).stdout.split()
        for name in ("json", "threading", "signal", "linecache", "traceback", "numbers"):
            if name in plain:
                continue
            with self.subTest(name):
                module = self.write("mine = True\n", name + ".py")
                ran = self.run_script("import %s\nassert %s.mine\nx = bytearray(4)\n" % (name, name))
                self.assert_exit(ran, 0)
                self.assertEqual(ran.tensor("x")["nbytes"], 4)
                module.unlink()

    def test_builtins_the_script_broke(self):
        ran = self.run_script(
            """\
            import builtins, os, sys
            x = bytearray(4)
            builtins.open = builtins.len = builtins.isinstance = builtins.print = None
            os.write = os._exit = sys.stdout = sys.stderr = sys.excepthook = None
            """
        )
        self.assert_exit(ran, 0)
        self.assertEqual(ran.tensor("x")["nbytes"], 4)

    def test_subprocess_lands_in_the_same_python(self):
        ran = self.run_script(
            """\
            import subprocess, sys
            out = subprocess.run([sys.executable, "-c", "import sys; print(sys.prefix)"], stdout=subprocess.PIPE, text=True).stdout
            assert out.strip() == sys.prefix, (out, sys.prefix)
            """
        )
        self.assert_exit(ran, 0)

    def test_multiprocessing(self):
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method):
                ran = self.run_script(
                    """\
                    import multiprocessing
                    def square(x):
                        return x * x
                    if __name__ == "__main__":
                        with multiprocessing.get_context(%r).Pool(2) as pool:
                            assert pool.map(square, range(4)) == [0, 1, 4, 9]
                    """
                    % method,
                    "--timeout",
                    "120",
                )
                self.assert_exit(ran, 0)

    def test_standard_input(self):
        script = self.write("import sys\nprint('got', sys.stdin.readline().strip(), flush=True)\n")
        process = self.start("--headless", "--python", HOST_PYTHON, script, stdin=subprocess.PIPE)
        out, err = process.communicate(b"hello there\n")
        self.assertEqual(process.returncode, 0, err)
        self.assertIn(b"got hello there", out)

    def test_process_substitution(self):
        read, write = os.pipe()
        os.write(write, b"from a pipe")
        os.close(write)
        ran = self.run_script(
            "import sys\nprint(open(sys.argv[1]).read(), flush=True)\n", arguments=["/dev/fd/%d" % read], pass_fds=[read]
        )
        os.close(read)
        self.assert_exit(ran, 0)
        self.assertIn("from a pipe", ran.out)


if __name__ == "__main__":
    unittest.main()
