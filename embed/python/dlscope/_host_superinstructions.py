"""What embed/host/superinstructions.h needs to know of Python 3.12's instructions, by their names."""

import sys

from dlscope import _dlscope, _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_UNKNOWN = 255
# Has each of the pairs, and instructions with caches between them.
_SAMPLE = """
def sample(a, b):
    c = a + b
    a = b
    c, d = a, b
    while c < 5 and d:
        c = a[b] + len(d)
    x = y = 1
    x = 2
    return f"{a}{b}" + c + 1 + a + (1, b, 2)[c]
"""


_joins = None  # not asked yet


def begin(monitoring, tool):
    """Whether what events separate is joined again. False on every other version, where that is not needed. tool: ours."""
    global _joins
    if _joins is None:
        _joins = sys.version_info[:2] == (3, 12) and _has_begun(monitoring, tool)
    return _joins


def _has_begun(monitoring, tool):
    try:
        return _are_separated(monitoring, tool) and _dlscope.events_join_instructions(_table(_host_private.dis), _inner_code(compile(_SAMPLE, "<sample>", "exec", 0, True)))
    except (AttributeError, LookupError, TypeError):  # another implementation, another set of instructions
        return False


def _are_separated(monitoring, tool):
    """Whether an event that comes separates every pair: in one that stayed joined, an event of the second half would be lost."""
    code = _inner_code(compile(_SAMPLE, "<sample>", "exec", 0, True))
    monitoring.set_local_events(tool, code, monitoring.events.LINE)
    monitoring.set_local_events(tool, code, 0)
    return not any(_is_pair(each.opname) for each in _host_private.dis.get_instructions(code, adaptive=True))


def _is_pair(name):
    return "__" in name.strip("_")


def _table(dis):
    number_of = {name: number for name, number in dis._all_opmap.items() if number < 256}  # the others are the compiler's own
    plain = bytearray(range(256))
    for name, stands_for in dis.deoptmap.items():
        plain[number_of[name]] = number_of[stands_for]
    caches = bytearray(_UNKNOWN for _ in range(256))
    for name, number in number_of.items():
        stands_for = number_of.get(name.replace("INSTRUMENTED_", ""))
        if stands_for is not None and (stands_for == number or not dis._inline_cache_entries[stands_for]):
            caches[number] = dis._inline_cache_entries[number]
    pairs = [(*name.split("__"), name) for name in number_of if _is_pair(name)]
    return bytes(plain), bytes(caches), tuple(tuple(number_of[each] for each in pair) for pair in pairs)


def _inner_code(module):
    return next(each for each in module.co_consts if hasattr(each, "co_code"))
