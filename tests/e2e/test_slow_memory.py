"""Memory whose pages never arrive: registered with userfaultfd and served by nobody, as a stalled network file would be.

Whoever reads such a page stands in the kernel until somebody serves it. Scan, report and picture end all the same, and say so.
"""

import os

from harness import Case, in_each_python, main_side_by_side

# 16 pages as doubles; those whose numbers are in `touched` are there, the others never come.
SCRIPT = """\
    import ctypes, fcntl, mmap, os, struct, sys
    fd = ctypes.CDLL(None, use_errno=True).syscall(323, os.O_CLOEXEC | os.O_NONBLOCK)
    if fd < 0:
        sys.exit(77)
    fcntl.ioctl(fd, 0xC018AA3F, bytearray(struct.pack('QQQ', 0xAA, 0, 0)))
    _area = mmap.mmap(-1, 16 * mmap.PAGESIZE)
    for page in %r:
        _area[page * mmap.PAGESIZE] = 1
    _address = ctypes.addressof(ctypes.c_char.from_buffer(_area))
    fcntl.ioctl(fd, 0xC020AA00, bytearray(struct.pack('QQQQ', _address, len(_area), 1, 0)))
    before = bytearray(b'before')
    slow = memoryview(_area).cast('d')
    end = 1
    """

# All pages are there, and nobody lets anyone write them.
PROTECTED = """\
    import ctypes, fcntl, mmap, os, struct, sys
    fd = ctypes.CDLL(None, use_errno=True).syscall(323, os.O_CLOEXEC | os.O_NONBLOCK)
    if fd < 0:
        sys.exit(77)
    _area = mmap.mmap(-1, 16 * mmap.PAGESIZE)
    _area.write(bytes(range(256)) * (len(_area) // 256))
    _address = ctypes.addressof(ctypes.c_char.from_buffer(_area))
    try:
        fcntl.ioctl(fd, 0xC018AA3F, bytearray(struct.pack('QQQ', 0xAA, 1, 0)))
        fcntl.ioctl(fd, 0xC020AA00, bytearray(struct.pack('QQQQ', _address, len(_area), 2, 0)))
        fcntl.ioctl(fd, 0xC018AA06, bytearray(struct.pack('QQQ', _address, len(_area), 1)))
    except OSError:
        sys.exit(77)
    a, b = memoryview(_area)[:4096], memoryview(_area)[1024:8192]
    """

# The same, with a second area of which no page comes, and ordinary memory beside: some of it was never touched.
TWO_SLOW = (SCRIPT % ([],)).rstrip() + """
    _second = mmap.mmap(-1, 16 * mmap.PAGESIZE)
    _address = ctypes.addressof(ctypes.c_char.from_buffer(_second))
    fcntl.ioctl(fd, 0xC020AA00, bytearray(struct.pack('QQQQ', _address, len(_second), 1, 0)))
    other = memoryview(_second).cast('d')
    after = bytearray(b'after')
    fresh = memoryview(bytearray(1 << 24))
    """


@in_each_python
class SlowMemory(Case):
    def run_slow(self, touched, *options):
        ran = self.run_script(SCRIPT % (touched,), *options)
        if ran.script["exit_code"] == 77:
            self.skipTest("this user may not use userfaultfd")
        return ran

    def test_a_scan_does_not_wait_for_pages_that_never_come(self):
        ran = self.run_slow([], "--timeout", "120")
        self.assert_exit(ran, 0)
        slow = ran.tensor("slow")
        self.assertFalse(slow["readable"])
        self.assertIn("does not answer", " ".join(problem["message"] for problem in slow["problems"]))
        self.assertTrue(ran.tensor("before")["readable"])

    def test_neither_does_a_moment_asked_for(self):
        ran = self.run_slow([], "--timeout", "120", "--at", "13")
        self.assert_exit(ran, 0)
        self.assertEqual(ran.report["scanned"], "stop")
        self.assertFalse(ran.tensor("slow")["readable"])

    def test_other_tensors_are_judged_however_many_never_come(self):
        ran = self.run_script(TWO_SLOW, "--timeout", "120")
        if ran.script["exit_code"] == 77:
            self.skipTest("this user may not use userfaultfd")
        self.assert_exit(ran, 0)
        for name in ("slow", "other"):
            self.assertFalse(ran.tensor(name)["readable"])
            self.assertIn("does not answer", " ".join(problem["message"] for problem in ran.tensor(name)["problems"]))
        for name in ("before", "after", "fresh"):
            tensor = ran.tensor(name)
            self.assertTrue(tensor["readable"], name)
            self.assertEqual(tensor["problems"], [], name)
            self.assertNotIn("not_probed", [note["code"] for note in tensor["notes"]], name)

    def test_the_modules_functions_do_not_wait_either(self):
        ran = self.run_script((SCRIPT % ([0, 15],)).rstrip() + """
    import dlscope
    def said(call):
        try:
            return str(call())
        except ValueError as error:
            return str(error)
    statistics = said(lambda: dlscope.stats(slow))
    comparison = said(lambda: dlscope.compare(slow, slow))
    of_end = dlscope.describe(slow[512:1024])['problems']
    unknown = dlscope.overlap(slow[512:1024], slow)
    assert 'does not answer' in statistics, statistics
    assert 'does not answer' in comparison, comparison
    assert 'does not answer' in of_end[0]['message'], of_end
    assert unknown['relation'] == 'unknown' and 'does not answer' in unknown['why'], unknown
    assert dlscope.stats(memoryview(before))['count'] == 6
    """, "--timeout", "120")
        if ran.script["exit_code"] == 77:
            self.skipTest("this user may not use userfaultfd")
        self.assert_exit(ran, 0)

    def test_copies_are_refused_and_leave_nothing(self):
        ran = self.run_script((SCRIPT % ([0, 15],)).rstrip() + """
    import dlscope
    whole = bytes(len(_area))
    def said(call):
        try:
            return call()
        except BufferError as error:
            return str(error)
    out = bytearray(len(_area) // 8)
    answers = [said(lambda: dlscope.copy(slow)), said(lambda: dlscope.copy(slow[512:1024])),
               said(lambda: dlscope.contiguous(slow[::-1])), said(lambda: dlscope.asdlpack(slow).__dlpack__(copy=True)),
               said(lambda: dlscope.copy(slow[::8], out=memoryview(out).cast('d'))),
               said(lambda: dlscope.copy(memoryview(whole).cast('d'), out=slow))]
    for answer in answers:
        assert type(answer) is str and 'the memory does not answer' in answer, answers
    assert not any(out) and _area[0] == 1 and _area[15 * mmap.PAGESIZE] == 1
    assert dlscope.copy(slow[:512]).nbytes == 4096
    assert dlscope.copy(memoryview(before)).nbytes == 6
    del answers, out, whole
    """, "--timeout", "120")
        if ran.script["exit_code"] == 77:
            self.skipTest("this user may not use userfaultfd")
        self.assert_exit(ran, 0)
        self.assertEqual([tensor for tensor in ran.report["tensors"] if tensor["library"] == "dlscope"], [])

    def test_a_capsule_whose_struct_never_comes_does_not_stop_the_scan(self):
        ran = self.run_script((SCRIPT % ([0],)).rstrip() + """
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    name = b'dltensor'
    capsule = new(_address + mmap.PAGESIZE, name, None)
    """, "--timeout", "120")
        if ran.script["exit_code"] == 77:
            self.skipTest("this user may not use userfaultfd")
        self.assert_exit(ran, 0)
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("finished", "end"))
        self.assertIn("does not answer", " ".join(problem["message"] for problem in ran.tensor("capsule")["problems"]))
        self.assertTrue(ran.tensor("before")["readable"])

    def test_the_write_probe_does_not_wait_for_the_byte_that_two_tensors_share(self):
        ran = self.run_script((SCRIPT % ([0, 14, 15],)).rstrip() + """
    a, b = slow[0:7681:1536], slow[1:7677:1535]
    """, "--timeout", "120", "--prove", "a b")
        if ran.script["exit_code"] == 77:
            self.skipTest("this user may not use userfaultfd")
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("finished", "end"))
        (step,) = ran.report["proof"]["steps"]
        self.assertEqual(step["probe"], "not_armed")
        self.assertIn("does not answer", step["why"])

    def test_the_write_probe_does_not_wait_where_nobody_may_write(self):
        ran = self.run_script(PROTECTED, "--timeout", "120", "--prove", "a b")
        if ran.script["exit_code"] == 77:
            self.skipTest("this user may not use userfaultfd, or the kernel is older than 5.7")
        self.assertEqual((ran.script["outcome"], ran.report["scanned"]), ("finished", "end"))
        (step,) = ran.report["proof"]["steps"]
        self.assertEqual(step["probe"], "not_armed")
        self.assertIn("does not answer a write", step["why"])

    def test_a_picture_does_not_wait_either(self):
        picture = self.folder / "picture.png"
        ran = self.run_slow([0, 15], "--timeout", "120", "--screenshot", picture, "--select", "slow")
        self.assert_exit(ran, 0)
        self.assertTrue(ran.tensor("slow")["readable"])  # its ends are there
        self.assertGreater(os.path.getsize(picture), 10000)


if __name__ == "__main__":
    main_side_by_side()
