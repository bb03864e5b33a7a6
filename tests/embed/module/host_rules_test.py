"""Rules of the host's Python half that need no viewer: which file --at means, what exit code a script has, whose thread a stop is."""

import subprocess
import sys
import unittest
import _thread

from dlscope import _host_at, _host_errors, _host_stop_stack


class Rules(unittest.TestCase):
    def test_a_path_from_the_root_is_that_file_only(self):
        def matches(path, file):
            return _host_at.Moment(path + ":3", None, False).is_in(file)

        for path, file in (("/hl/rec.py", "/hl/rec.py"), ("rec.py", "/hl/rec.py"), ("hl/rec.py", "/tmp/hl/rec.py"), ("./rec.py", "/hl/rec.py")):
            self.assertTrue(matches(path, file), (path, file))
        for path, file in (("/hl/rec.py", "/tmp/hl/rec.py"), ("/rec.py", "/hl/rec.py"), ("l/rec.py", "/hl/rec.py"), ("hl/rec.py", "/rec.py")):
            self.assertFalse(matches(path, file), (path, file))

    def test_exit_codes_are_those_of_python(self):
        class Odd(int):
            def __int__(self):
                raise AssertionError("code of the user's ran")

            __ge__ = __le__ = __lt__ = __gt__ = __and__ = __index__ = __int__

        self.assertEqual(_host_errors.exit_code_of(SystemExit(Odd(7))), 7)
        for text in ("2**32+5", "2**31", "2**31-1", "-2**31", "-2**31-1", "-1", "256", "1<<40|7", "2**63-1", "2**63", "-2**63", "-2**63-1",
                     "2**64+3", "2**100", "True", "None"):
            with self.subTest(text):
                real = subprocess.run([sys.executable, "-S", "-c", "import sys; sys.exit(%s)" % text], stderr=subprocess.DEVNULL).returncode
                self.assertEqual(_host_errors.exit_code_of(SystemExit(eval(text))) & 0xFF, real)

    def test_a_stop_knows_its_thread_from_the_beginning(self):
        """Another thread that reaches a line asks for it without the lock."""
        self.assertEqual(_host_stop_stack.Stop(1, [sys._getframe()], 1, False).thread_id, _thread.get_ident())


if __name__ == "__main__":
    unittest.main(verbosity=2)
