"""Scripts with handlers of their own: of signals that are sent to the whole job, and of what an audit hook is told.

What dlscope does by itself is no event of the script's, and what such a handler keeps it from seeing is said.
"""

import os
import platform
import signal
import time
import unittest

from harness import PATIENCE, Case, in_each_python, main_side_by_side, wait_for_file

HANDLES = """\
    import signal, time
    x = bytearray(64)
    seen = []
    def handler(number, frame):
        seen.append(number)
        print('checkpoint', number, flush=True)
    for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGHUP):
        signal.signal(number, handler)
    open('started', 'w').close()
    until = time.time() + 60
    while len(seen) < 4 and time.time() < until:
        time.sleep(.02)
    """
# Each process by its number, as a batch system does: the script itself, and dlscope, which is its parent. Then from a child.
SIGNALS_ITS_JOB = """\
    import os, signal, subprocess, time
    signal.signal(signal.SIGUSR1, lambda *_: print('checkpoint', flush=True))
    for process in (os.getppid(), os.getpid()):
        os.kill(process, signal.SIGUSR1)
    time.sleep(.5)
    child = subprocess.Popen(['sh', '-c', f'kill -USR1 {os.getppid()} {os.getpid()}; sleep 3'])
    while child.poll() is None:
        time.sleep(.02)
    """
NO_HANDLER = """\
    import time
    x = bytearray(64)
    open('started', 'w').close()
    time.sleep(600)
    """
STOPS_ITSELF = """\
    import os, signal
    with open('pid.tmp', 'w') as file:
        file.write(str(os.getpid()))
    os.rename('pid.tmp', 'started')
    os.kill(os.getpid(), signal.SIGSTOP)
    print('went on', flush=True)
    """
PRODUCER = """\
    import ctypes, os, signal
    class Odd:
        def __dlpack_device__(self): return (1, 0)
        def __dlpack__(self, **how): %s
    first = bytearray(3)
    odd = Odd()
    """
HOOK = """\
    import sys
    def closure():
        hidden = x
        return lambda: hidden
    x = bytearray(64)
    f = closure()
    def hook(event, arguments):
        if event in %r or not %r:
            raise %s('not allowed: ' + event)
    sys.addaudithook(hook)
    """


@in_each_python
class SignalsOfTheJob(Case):
    def begin(self, text):
        process = self.start("--headless", "--python", self.python, "--report", self.report_path, self.write(text), start_new_session=True)
        wait_for_file(self.folder / "started", process)
        return process

    def test_a_script_with_handlers_gets_them_and_goes_on(self):
        process = self.begin(HANDLES)
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGHUP):
            os.killpg(process.pid, number)
            time.sleep(0.2)
        ran = self.finish(process)
        self.assert_exit(ran, 0)
        self.assertEqual(ran.out.count("checkpoint"), 4)
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("finished", "end"))
        self.assertTrue(ran.tensor("x")["readable"])

    def test_who_signals_the_job_from_inside_the_script_reaches_it_once(self):
        ran = self.run_script(SIGNALS_ITS_JOB)
        self.assert_exit(ran, 0)
        self.assertEqual(ran.out.count("checkpoint"), 2)

    def test_without_one_the_script_dies_of_it_and_that_is_reported(self):
        process = self.begin(NO_HANDLER)
        os.killpg(process.pid, signal.SIGUSR1)
        ran = self.finish(process)
        self.assert_exit(ran, 5)
        self.assertEqual((ran.script["outcome"], ran.script["signal"]), ("crashed", signal.SIGUSR1))

    def test_a_hang_up_without_a_handler_stops_the_run(self):
        process = self.begin(NO_HANDLER)
        os.killpg(process.pid, signal.SIGHUP)
        ran = self.finish(process)
        self.assert_exit(ran, 130)
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("interrupted", "interrupt"))

    def test_a_process_that_somebody_has_stopped_is_said_to_be_stopped(self):
        script = self.write(STOPS_ITSELF)
        said = self.folder / "said"
        with open(said, "wb") as errors:
            process = self.start("--headless", "--python", self.python, "--report", self.report_path, script, stderr=errors)
            wait_for_file(self.folder / "started", process)
            host = int((self.folder / "started").read_text())
            until = time.monotonic() + PATIENCE
            while "kill -CONT %d" % host not in said.read_text() and time.monotonic() < until:
                time.sleep(0.05)
            os.kill(host, signal.SIGCONT)
            ran = self.finish(process)
        self.assert_exit(ran, 0)
        self.assertIn("went on", ran.out)
        self.assertIn("kill -CONT %d" % host, said.read_text())


@in_each_python
class AuditHooks(Case):
    def run_hooked(self, *events, raises="RuntimeError"):
        ran = self.run_script(HOOK % (events, events, raises))
        self.assert_exit(ran, 0)
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("finished", "end"))
        self.assertTrue(ran.tensor("x")["readable"])
        return ran

    def test_what_we_forget_after_a_run_is_not_the_scripts_error(self):
        self.run_hooked("sys.settrace", "sys.setprofile")

    def test_one_that_forbids_everything(self):
        for raises in ("RuntimeError", "SystemExit", "KeyboardInterrupt"):
            with self.subTest(raises):
                ran = self.run_hooked(raises=raises)
                self.assertTrue(any("sys.addaudithook" in event["text"] for event in ran.report["events"]), ran.report["events"])

    def test_what_cannot_be_seen_is_said(self):
        ran = self.run_hooked("object.__getattr__", "gc.get_referents", "sys._current_frames")
        said = [event["text"] for event in ran.report["events"] if "sys.addaudithook" in event["text"]]
        self.assertEqual(len(said), 1, ran.report["events"])
        self.assertIn("RuntimeError: not allowed: ", said[0])

    def test_without_a_hook_nothing_is_said_of_one(self):
        ran = self.run_script("x = bytearray(64)\ndef f(a=bytearray(5)):\n    return lambda: a\ng = f()\nclass K:\n    __slots__ = ('s',)\nk = K()\n")
        self.assert_exit(ran, 0)
        self.assertEqual(ran.report["events"], [])

    def test_a_script_that_raises_has_raised_that(self):
        ran = self.run_script(HOOK % ((), (), "RuntimeError") + "raise ValueError('its own')\n")
        self.assert_exit(ran, 1)
        self.assertEqual((ran.script["outcome"], ran.script["error"]["type"], ran.script["error"]["message"]), ("raised", "ValueError", "its own"))


@in_each_python
class EndsInTheScan(Case):
    def test_a_signal_or_a_crash_is_said_to_be_in_the_scan(self):
        for does, number in (("os.kill(os.getpid(), 9)", 9), ("ctypes.string_at(8)", 11)):
            with self.subTest(does):
                ran = self.run_script(PRODUCER % does)
                self.assert_exit(ran, 5)
                self.assertEqual((ran.script["outcome"], ran.script["signal"]), ("crashed", number))
                self.assertTrue(any("while its tensors were described" in event["text"] for event in ran.report["events"]))
                self.assertIn("while its tensors were described", ran.err)

    def test_a_handler_that_raises_after_the_script_ends_nothing_of_ours(self):
        """The timer never rests: whatever dlscope does after the script's end meets it."""
        ran = self.run_script(
            """\
            import signal
            x = bytearray(64)
            many = [[i] for i in range(100000)]
            is_over = False
            def handler(*_):
                if is_over:
                    raise RuntimeError('timer')
            signal.signal(signal.SIGALRM, handler)
            signal.setitimer(signal.ITIMER_REAL, .001, .001)
            is_over = True
            """
        )
        self.assert_exit(ran, 1 if ran.script["outcome"] == "raised" else 0)  # raised: between its last line and its end
        self.assertIn((ran.script["outcome"], ran.report["scanned"]), [("finished", "end"), ("raised", "raise")])
        self.assertTrue(ran.tensor("x")["readable"])
        self.assertEqual(ran.report["events"], [])

    def test_a_signal_in_the_scan_is_handled_when_code_of_the_scripts_runs_again(self):
        ran = self.run_script(
            """\
            import atexit, signal
            x = bytearray(64)
            signal.signal(signal.SIGUSR1, lambda number, frame: print('handled', number))
            @atexit.register
            def at_exit():
                print('at exit')
                signal.raise_signal(signal.SIGUSR1)
                print('over')
            class Odd:
                def __dlpack_device__(self): return (1, 0)
                def __dlpack__(self, **how):
                    signal.raise_signal(signal.SIGUSR1)
                    print('described')
                    raise BufferError('none')
            odd = Odd()
            """
        )
        self.assert_exit(ran, 0)
        lines = [line for line in ran.out.splitlines() if line in ("handled 10", "described", "at exit", "over")]
        self.assertLess(lines.index("described"), lines.index("handled 10"), lines)
        self.assertEqual([line for line in lines if line != "described"], ["handled 10", "at exit", "handled 10", "over"])


    def test_dlscope_stop_in_a_method_that_the_scan_calls_lets_no_handler_into_it(self):
        ran = self.run_script(
            """\
            import signal, dlscope
            x = bytearray(64)
            def handler(*_):
                raise RuntimeError('in the scan')
            signal.signal(signal.SIGUSR1, handler)
            class Odd:
                def __dlpack_device__(self): return (1, 0)
                def __dlpack__(self, **how):
                    dlscope.stop()
                    signal.raise_signal(signal.SIGUSR1)
                    print('went on', flush=True)
                    raise BufferError('none')
            odd = Odd()
            """
        )
        self.assert_exit(ran, 0)
        self.assertIn("went on", ran.out)

    def test_a_child_that_is_forked_in_the_scan_has_its_handlers(self):
        ran = self.run_script(
            """\
            import os, signal
            signal.signal(signal.SIGTERM, lambda *_: os._exit(7))
            class Odd:
                def __dlpack_device__(self): return (1, 0)
                def __dlpack__(self, **how):
                    child = os.fork()
                    if child == 0:
                        signal.raise_signal(signal.SIGTERM)
                        for _ in range(3): pass
                        os._exit(9)
                    print('child', os.WEXITSTATUS(os.waitpid(child, 0)[1]), flush=True)
                    raise BufferError('none')
            odd = Odd()
            """
        )
        self.assert_exit(ran, 0)
        self.assertIn("child 7", ran.out)

    def test_a_handler_that_raises_while_the_threads_are_waited_for_changes_no_outcome(self):
        ran = self.run_script(
            """\
            import os, signal, threading, time
            def handler(*_):
                raise RuntimeError('while it waits')
            signal.signal(signal.SIGUSR1, handler)
            def work():
                time.sleep(.5)
                os.kill(os.getpid(), signal.SIGUSR1)
                time.sleep(.5)
            threading.Thread(target=work).start()
            """,
            "--at",
            "99",
        )
        self.assertEqual(ran.script["outcome"], "finished", ran.err)
        self.assertIn("RuntimeError: while it waits", ran.err)

    def test_exceptions_sent_to_the_main_thread_leave_no_request_without_an_end(self):
        ran = self.run_script(
            """\
            import ctypes, threading, time
            x = bytearray(64)
            many = [[i] for i in range(100000)]
            main = threading.get_ident()
            class Late(Exception): pass
            def send():
                until = time.monotonic() + 2
                while time.monotonic() < until:
                    time.sleep(.0004)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(main), ctypes.py_object(Late))
            threading.Thread(target=send, daemon=True).start()
            """
        )
        self.assertIn(ran.code, (0, 1, 3), ran.err)
        if not ran.report["tensors"]:  # the run or the scan was lost in the middle
            self.assertIn("an exception reached dlscope's own code", ran.err)


@in_each_python
class SentSignals(Case):
    def test_one_that_was_sent_has_no_address(self):
        ran = self.run_script("import os, signal\nx = bytearray(3)\nos.kill(os.getpid(), signal.SIGSEGV)\n")
        self.assert_exit(ran, 5)
        self.assertIn("signal 11 (SIGSEGV)", ran.err)
        self.assertNotIn("0x0", "".join(ran.said))
        self.assertNotIn("libc", ran.said[0])

    def test_one_of_an_access_says_which_and_by_which_code(self):
        ran = self.run_script("import ctypes\nctypes.string_at(8)\n")
        self.assert_exit(ran, 5)
        self.assertRegex(ran.err, r"signal 11 \(SIGSEGV\) reading 0x8, in code of ")

    @unittest.skipUnless(platform.machine() == "x86_64", "only there are some addresses none that a pointer can have")
    def test_one_at_an_address_that_no_pointer_can_have_says_in_which_code_and_no_address(self):
        ran = self.run_script("import ctypes\nctypes.string_at(1 << 63)\n")
        self.assert_exit(ran, 5)
        self.assertRegex(ran.err, r"signal 11 \(SIGSEGV\) in code of /")
        self.assertNotIn("0x0", ran.said[0])
        self.assertIsNone(ran.script["crash"].get("address"))


if __name__ == "__main__":
    main_side_by_side()
