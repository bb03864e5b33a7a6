"""Scripts that do not want to end: time limits, interruption, processes killed from outside."""

import os
import signal
import subprocess
import time
import unittest

from harness import PATIENCE, SPIN_LIBRARY, Case, wait_for_file

LOOP = """\
    import array
    x = array.array('d', range(4))
    open('started', 'w').close()
    while True:
        pass
    """
LOOP_IN_C = """\
    import array, ctypes
    x = array.array('d', range(4))
    spin = ctypes.CDLL(%r).spin
    open('started', 'w').close()
    spin()
    """ % str(
    SPIN_LIBRARY
)
IGNORES = """\
    import signal, time
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    open('started', 'w').close()
    while True:
        time.sleep(1)
    """


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open("/proc/%d/stat" % pid) as stat:
        return stat.read().rpartition(")")[2].split()[0] != "Z"


class TimeLimit(Case):
    def test_a_loop_in_python_is_stopped_and_scanned(self):
        ran = self.run_script(LOOP, "--timeout", "1")
        self.assert_exit(ran, 124)
        self.assertEqual(ran.script["outcome"], "timeout")
        self.assertEqual(ran.report["scanned"], "interrupt")
        self.assertEqual(ran.tensor("x")["elements"], 4)

    def test_sleeping(self):
        ran = self.run_script("import time\ntime.sleep(600)\n", "--timeout", "0.5")
        self.assert_exit(ran, 124)
        self.assertEqual(ran.report["scanned"], "interrupt")

    def test_a_loop_in_c_is_killed(self):
        ran = self.run_script(LOOP_IN_C, "--timeout", "1")
        self.assert_exit(ran, 124)
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("timeout", "none"))

    def test_a_script_that_ignores_the_interrupt(self):
        ran = self.run_script(IGNORES, "--timeout", "1")
        self.assert_exit(ran, 124)
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("timeout", "none"))

    def test_a_script_that_swallows_one_interrupt(self):
        ran = self.run_script(
            """\
            import array, time
            x = array.array('d', [1.0])
            try:
                time.sleep(600)
            except KeyboardInterrupt:
                pass
            time.sleep(600)
            """,
            "--timeout",
            "0.5",
        )
        self.assert_exit(ran, 124)
        self.assertEqual(ran.report["scanned"], "interrupt")

    def test_the_whole_process_group_goes(self):
        ran = self.run_script(
            """\
            import signal, subprocess, time
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            child = subprocess.Popen(['sleep', '600'])
            open('child', 'w').write(str(child.pid))
            while True:
                time.sleep(1)
            """,
            "--timeout",
            "1",
        )
        self.assert_exit(ran, 124)
        child = int((self.folder / "child").read_text())
        deadline = time.monotonic() + PATIENCE
        while alive(child) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(alive(child))

    def test_children_of_a_script_that_stopped_in_time_go_as_well(self):
        ran = self.run_script(
            """\
            import os, subprocess, time
            child = subprocess.Popen(['sleep', '600'])
            forked = os.fork()
            if forked == 0:
                try:
                    time.sleep(600)
                finally:
                    os._exit(0)
            open('children', 'w').write('%d %d' % (child.pid, forked))
            child.wait()
            """,
            "--timeout",
            "1",
        )
        self.assert_exit(ran, 124)
        self.assertEqual(ran.report["scanned"], "interrupt")
        deadline = time.monotonic() + PATIENCE
        for child in map(int, (self.folder / "children").read_text().split()):
            while alive(child) and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertFalse(alive(child))

    def test_a_scan_that_was_interrupted_is_no_scan_at_the_end(self):
        ran = self.run_script(
            """\
            import time
            class Slow:
                def __dlpack__(self, **how): time.sleep(600)
                def __dlpack_device__(self): return (1, 0)
            a = bytearray(3)
            slow = Slow()
            """,
            "--timeout",
            "1",
        )
        self.assert_exit(ran, 124)
        self.assertEqual(ran.report["scanned"], "interrupt")

    def test_a_script_that_is_done_in_time(self):
        ran = self.run_script("x = bytearray(8)\n", "--timeout", "120")
        self.assert_exit(ran, 0)
        self.assertEqual(ran.script["outcome"], "finished")

    def test_a_time_out_outranks_an_expectation(self):
        ran = self.run_script(LOOP, "--timeout", "0.5", "--expect", "x shares nothing_like_this")
        self.assert_exit(ran, 124)


class Interruption(Case):
    def begin(self, text):
        script = self.write(text)
        process = self.start("--headless", "--report", self.report_path, script)
        wait_for_file(self.folder / "started", process)
        return process

    def test_once_is_enough_for_python(self):
        process = self.begin(LOOP)
        process.send_signal(signal.SIGINT)
        ran = self.finish(process)
        self.assert_exit(ran, 130)
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("interrupted", "interrupt"))
        self.assertEqual(ran.tensor("x")["elements"], 4)

    def test_a_loop_in_c_takes_three(self):
        process = self.begin(LOOP_IN_C)
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            time.sleep(0.3)
        ran = self.finish(process)
        self.assert_exit(ran, 130)
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("interrupted", "none"))

    def test_sigterm_insists_by_itself(self):
        process = self.begin(LOOP_IN_C)
        process.send_signal(signal.SIGTERM)
        ran = self.finish(process)
        self.assert_exit(ran, 130)
        self.assertEqual(ran.script["outcome"], "interrupted")

    def test_a_script_may_handle_it_and_go_on(self):
        process = self.begin(
            """\
            import time
            try:
                open('started', 'w').close()
                time.sleep(600)
            except KeyboardInterrupt:
                print("handled", flush=True)
            """
        )
        process.send_signal(signal.SIGINT)
        ran = self.finish(process)
        self.assert_exit(ran, 0)
        self.assertIn("handled", ran.out)
        self.assertEqual(ran.script["outcome"], "finished")


class FromOutside(Case):
    SLEEP = """\
        import os, time
        with open('pid.tmp', 'w') as file:
            file.write(str(os.getpid()))
        os.rename('pid.tmp', 'started')
        time.sleep(600)
        """

    def begin(self):
        process = self.start("--headless", "--report", self.report_path, self.write(self.SLEEP))
        wait_for_file(self.folder / "started", process)
        return process, int((self.folder / "started").read_text())

    def test_kill_9_of_the_host(self):
        process, host = self.begin()
        os.kill(host, signal.SIGKILL)
        ran = self.finish(process)
        self.assert_exit(ran, 5)
        self.assertEqual((ran.script["outcome"], ran.script["signal"], ran.report["scanned"]), ("crashed", 9, "none"))

    def test_the_host_dies_with_a_killed_viewer(self):
        process, host = self.begin()
        process.kill()
        process.wait()
        deadline = time.monotonic() + PATIENCE
        while alive(host) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(alive(host))

    def test_a_host_that_was_stopped_and_goes_on(self):
        script = self.write("import time\nopen('started', 'w').close()\ntime.sleep(1)\nprint('done', flush=True)\n")
        process = self.start("--headless", "--report", self.report_path, script)
        wait_for_file(self.folder / "started", process)
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], stdout=subprocess.PIPE, text=True).stdout.split()
        if not children:
            self.skipTest("ps does not tell the host's number")
        os.kill(int(children[0]), signal.SIGSTOP)
        time.sleep(0.2)
        os.kill(int(children[0]), signal.SIGCONT)
        ran = self.finish(process)
        self.assert_exit(ran, 0)
        self.assertIn("done", ran.out)


if __name__ == "__main__":
    unittest.main()
