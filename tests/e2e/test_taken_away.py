"""Scripts that take from their own process what a look at it needs: the address map, or the room for a descriptor.

What cannot be read is unknown then, with the reason; two mappings of one file are never called separate memory.
"""

import os
import subprocess

from harness import BUILD, Case, environment, in_each_python, main_side_by_side

# The same bytes at two addresses, and how the script takes the address map away.
MAPPED_TWICE = """\
import mmap, os, resource, sys
fd = os.open('shared', os.O_RDWR | os.O_CREAT)
os.ftruncate(fd, 65536)
x, y = mmap.mmap(fd, 65536), mmap.mmap(fd, 65536)
os.close(fd)
"""
NO_DESCRIPTORS = "resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))\n"
NO_PROC = "os.makedirs('empty', exist_ok=True); os.chroot('empty')\n"
# Ours among them, which was opened for this.
CLOSED = """\
for name in os.listdir('/proc/self/fd'):
    try:
        if os.readlink('/proc/self/fd/' + name).endswith('/maps'):
            os.close(int(name))
    except OSError:
        pass
"""
FORKED = """\
import dlscope
pid = os.fork()
if pid == 0:
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    print('the child says', dlscope.prove(x, y)['verdict'], flush=True)
    os._exit(0)
os.waitpid(pid, 0)
"""
ALONE = """\
import dlscope
resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
proof = dlscope.prove(x, y)
assert proof['verdict'] == 'UNKNOWN' and 'cannot read /proc/self/maps' in proof['steps'][0]['why'], proof
both = dlscope.overlap(x, y)
assert both['relation'] == 'unknown' and 'cannot read /proc/self/maps' in both['why'], both
x.write(b'1' * 65536)
try:
    dlscope.copy(memoryview(x).cast('d'), out=memoryview(y).cast('d'))
    raise AssertionError('copied over itself')
except (ValueError, BufferError) as error:
    assert 'not known' in str(error), error
"""
WAYS = [NO_DESCRIPTORS] + ([NO_PROC] if os.geteuid() == 0 else [])


@in_each_python
class NoAddressMap(Case):
    def run_without_map(self, before, how, *options):
        return self.run_script(MAPPED_TWICE + before + how, "--timeout", "60", *options)

    def test_the_map_that_was_opened_before_is_still_read(self):
        for how in WAYS:
            with self.subTest(how):
                ran = self.run_without_map("", how, "--prove", "x y", "--expect", "x shares y")
                self.assert_exit(ran, 0)
                self.assertEqual(ran.report["proof"]["verdict"], "SHARED")
                self.assertTrue(ran.tensor("x")["readable"])

    def test_without_any_the_verdict_is_unknown_and_says_why(self):
        for how in WAYS:
            with self.subTest(how):
                ran = self.run_without_map(CLOSED, how, "--prove", "x y")
                (step,) = ran.report["proof"]["steps"]
                self.assertEqual(ran.report["proof"]["verdict"], "UNKNOWN", step)
                self.assertIn("cannot read /proc/self/maps", step["why"])
                for name in ("x", "y"):
                    self.assertFalse(ran.tensor(name)["readable"])
                    self.assertIn("cannot read /proc/self/maps", " ".join(each["message"] for each in ran.tensor(name)["problems"]))
                self.assertNotIn("No two tensors share bytes", ran.out)

    def test_neither_disjoint_nor_shares_can_be_expected_then(self):
        for sentence in ("x disjoint y", "x shares y"):
            with self.subTest(sentence):
                ran = self.run_without_map(CLOSED, NO_DESCRIPTORS, "--expect", sentence)
                self.assert_exit(ran, 4)
                self.assertIn("unknown because", ran.out + ran.err)

    def test_a_forked_child_does_not_read_its_parents_map(self):
        ran = self.run_script(MAPPED_TWICE + FORKED, "--timeout", "60")
        self.assertIn("the child says UNKNOWN", ran.out)

    def test_the_module_alone_says_so_too(self):
        ran = self.run_plain("import sys\nsys.path.append(%r)\n" % str(BUILD / "python") + MAPPED_TWICE + ALONE)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def run_plain(self, text):
        return subprocess.run([self.python, self.write(text)], cwd=self.folder, env=environment(), capture_output=True, text=True)


if __name__ == "__main__":
    main_side_by_side()
