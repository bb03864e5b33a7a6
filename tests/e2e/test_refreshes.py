"""Looking again and again at a program that changes some tensors in between: what each look says of sharing is judged by the program,
which knows which elements each of its views has."""

import unittest

from harness import Case

EDITED = """\
import array, random
import dlscope

random.seed(5)
views, elements = {}, {}   # by name; elements: the numbers of the array and of the elements in it
made = 0

def add(view, touched):
    global made
    views['t%d' % made], elements['t%d' % made] = view, touched
    made += 1

def add_array():
    size = random.randint(1, 40)
    add(memoryview(array.array('d', [0.0] * size)), [(made, i) for i in range(size)])

def add_slice(name):
    part = slice(random.randint(0, 3), random.choice([None, 20]), random.choice([1, 2, 3]))
    if elements[name][part]:
        add(views[name][part], elements[name][part])

def wrong_pairs():
    report = dlscope.report()
    ids = {t['names'][0][7:-2]: t['id'] for t in report['tensors'] if t['names'][0].startswith("views['")}
    shared = {(p['a'], p['b']): p['shared_bytes'] for p in report['sharing']}
    assert ids.keys() == views.keys(), (len(ids), len(views))
    sets = {name: set(touched) for name, touched in elements.items()}
    wrong = 0
    for a in ids:
        for b in ids:
            if ids[a] < ids[b]:
                wrong += shared.get((ids[a], ids[b]), 0) != 8 * len(sets[a] & sets[b])
    return wrong

for _ in range(40):
    add_array()
    for _ in range(3):
        add_slice('t%d' % (made - 1))
for look in range(25):
    assert wrong_pairs() == 0, look
    for _ in range(random.randint(0, 4)):
        name = random.choice(list(views))
        kind = random.randint(0, 3)
        if kind == 0:
            del views[name], elements[name]
        elif kind == 1:
            add_array()
        elif kind == 2:
            add_slice(name)
        else:
            order = random.sample(list(views), len(views))
            views = {name: views[name] for name in order}
print('no look was wrong')
"""


class Refreshes(Case):
    def test_what_is_taken_over_from_the_look_before_is_true(self):
        ran = self.run_script(EDITED)
        self.assert_exit(ran, 0)
        self.assertIn("no look was wrong", ran.out)


if __name__ == "__main__":
    unittest.main()
