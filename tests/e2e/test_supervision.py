"""Scripts that do not want to end: time limits, interruption, processes killed from outside."""

import os
import signal
import subprocess
import time

from harness import PATIENCE, SPIN_LIBRARY, Case, in_each_python, main_side_by_side, wait_for_file

LIMIT = "3"  # seconds: long enough for the scripts below to get where they wait, also on a machine with other work

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
        ran = self.run_script(LOOP, "--timeout", LIMIT)
        self.assert_exit(ran, 124)
        self.assertEqual(ran.script["outcome"], "timeout")
        self.assertEqual(ran.report["scanned"], "interrupt")
        self.assertEqual(ran.tensor("x")["elements"], 4)

    def test_sleeping(self):
        ran = self.run_script("import time\ntime.sleep(600)\n", "--timeout", LIMIT)
        self.assert_exit(ran, 124)
        self.assertEqual(ran.report["scanned"], "interrupt")

    def test_a_loop_in_c_is_killed(self):
        ran = self.run_script(LOOP_IN_C, "--timeout", LIMIT)
        self.assert_exit(ran, 124)
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("timeout", "none"))

    def test_a_script_that_ignores_the_interrupt(self):
        ran = self.run_script(IGNORES, "--timeout", LIMIT)
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
            LIMIT,
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
            LIMIT,
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
            LIMIT,
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
            LIMIT,
        )
        self.assert_exit(ran, 124)
        self.assertEqual(ran.report["scanned"], "interrupt")

    def test_a_script_that_is_done_in_time(self):
        ran = self.run_script("x = bytearray(8)\n", "--timeout", "120")
        self.assert_exit(ran, 0)
        self.assertEqual(ran.script["outcome"], "finished")

    def test_a_time_out_outranks_an_expectation(self):
        ran = self.run_script(LOOP, "--timeout", LIMIT, "--expect", "x shares nothing_like_this")
        self.assert_exit(ran, 124)


@in_each_python
class Escapes(Case):
    """Whatever a script does to its process group, its session or its name: it is ended, and all it started."""

    LEAVES_THE_GROUP = """\
        import os, signal, time
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.setpgid(0, os.getpgid(os.getppid()))
        open('started', 'w').close()
        while True: time.sleep(1)
        """
    SCATTERS = """\
        import os, signal, subprocess, sys, time
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        pids = []
        def note(pid):
            with open('pids', 'a') as file: file.write('%d\\n' % pid)
        note(subprocess.Popen(['sleep', '600'], start_new_session=True).pid)
        daemon = "import os, time\\nif os.fork(): os._exit(0)\\nos.setsid()\\nif os.fork(): os._exit(0)\\n" \
                 "open('pids', 'a').write('%d\\\\n' % os.getpid())\\nos.chdir('/')\\ntime.sleep(600)"
        subprocess.run([sys.executable, '-c', daemon])
        while len(open('pids').read().split()) < 2: time.sleep(0.01)
        with open('/proc/self/comm', 'w') as name: name.write('x) S 1 (')
        os.setpgid(0, os.getpgid(os.getppid()))
        open('started', 'w').close()
        while True: time.sleep(1)
        """

    def assert_gone(self, *pids):
        deadline = time.monotonic() + PATIENCE
        for pid in pids:
            while alive(pid) and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertFalse(alive(pid))

    def scattered(self):
        return [int(word) for word in (self.folder / "pids").read_text().split()]

    def test_a_script_that_leaves_its_process_group_is_ended_at_the_time_limit(self):
        ran = self.run_script(self.LEAVES_THE_GROUP, "--timeout", LIMIT)
        self.assert_exit(ran, 124)
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("timeout", "none"))

    def test_and_by_signals_to_the_viewer(self):
        for first in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(first):
                (self.folder / "started").unlink(missing_ok=True)
                script = self.write(self.LEAVES_THE_GROUP)
                process = self.start("--headless", "--python", self.python, "--report", self.report_path, script)
                wait_for_file(self.folder / "started", process)
                process.send_signal(first)
                deadline = time.monotonic() + PATIENCE
                while first == signal.SIGINT and process.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.3)  # the script ignores the first; the viewer ends it at a later one
                    process.send_signal(signal.SIGINT)
                self.assert_exit(self.finish(process), 130)

    def test_children_in_sessions_of_their_own_and_daemons_go_with_it(self):
        ran = self.run_script(self.SCATTERS, "--timeout", "6")
        self.assert_exit(ran, 124)
        self.assertEqual(len(self.scattered()), 2)
        self.assert_gone(*self.scattered())

    def test_a_daemon_of_a_script_that_ended_by_itself_stays(self):
        ran = self.run_script(
            """\
            import os, subprocess
            nothing = subprocess.DEVNULL
            child = subprocess.Popen(['sleep', '600'], start_new_session=True, stdin=nothing, stdout=nothing, stderr=nothing)
            open('pids', 'w').write('%d' % child.pid)
            """
        )
        self.assert_exit(ran, 0)
        (daemon,) = self.scattered()
        self.assertTrue(alive(daemon))
        os.kill(daemon, signal.SIGKILL)


@in_each_python
class ScansThatDoNotEndWell(Case):
    PRODUCER = """\
        import os
        class Odd:
            def __dlpack_device__(self): return (1, 0)
            def __dlpack__(self, **how): %s
        first = bytearray(3)
        odd = Odd()
        """

    def test_a_producer_that_ends_the_process(self):
        ran = self.run_script(self.PRODUCER % "os._exit(0)")
        self.assert_exit(ran, 5)
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("finished", "none"))
        self.assertTrue(any("while its tensors were described" in event["text"] for event in ran.report["events"]))
        self.assertIn("while its tensors were described", ran.err)
        self.assertIn("Nothing was scanned", ran.out)

    def test_a_producer_that_raises_keyboard_interrupt(self):
        ran = self.run_script(self.PRODUCER % "raise KeyboardInterrupt")
        self.assert_exit(ran, 0)
        self.assertEqual(ran.report["scanned"], "end")
        self.assertEqual(ran.tensor("odd")["refusals"][0]["type"], "KeyboardInterrupt")

    def test_no_memory_for_the_scan(self):
        ran = self.run_script(
            """\
            import resource
            x = [[i] for i in range(2000000)]
            used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + (32 << 20), used + (32 << 20)))
            """
        )
        self.assert_exit(ran, 3)
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("finished", "none"))
        self.assertTrue(any("not enough memory" in event["text"] for event in ran.report["events"]), ran.report["events"])
        self.assertIn("not enough memory", ran.err)

    def test_an_interrupt_during_the_scan_is_said(self):
        script = self.write(self.PRODUCER % "open('started', 'w').close(); __import__('time').sleep(600)")
        process = self.start("--headless", "--python", self.python, "--report", self.report_path, script)
        wait_for_file(self.folder / "started", process)
        process.send_signal(signal.SIGINT)
        ran = self.finish(process)
        self.assert_exit(ran, 130)
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("finished", "interrupt"))
        self.assertIn("The scan was interrupted", ran.err)


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
    main_side_by_side()
