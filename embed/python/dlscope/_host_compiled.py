"""Libraries that run a Python function as something else: compiled code does not come by the lines it was made of."""

import gc
import sys

from dlscope import _host_interrupts, _host_lines, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_BY_TORCH = "Not reached; functions that torch.compile has compiled run as graphs, and do not stop at their lines"
_TRACED = ("Reached only while JAX traced the function (jit, scan, ...): what it made of it runs as compiled code, and does not "
           "stop at lines")
_BY = "Not reached: %s runs this function as compiled code, which does not stop at lines"
# module, its class, the attribute with the function that is compiled, and who compiles it
_COMPILED_OBJECTS = (
    ("numba.core.dispatcher", "Dispatcher", "py_func", "Numba"),  # njit
    ("numba.np.ufunc.ufuncbuilder", "UFuncDispatcher", "py_func", "Numba"),  # vectorize, guvectorize
    ("numba.core.ccallback", "CFunc", "_pyfunc", "Numba"),
    ("tensorflow.python.eager.polymorphic_function.polymorphic_function", "Function", "_python_function", "tf.function"),
)
_MOST_DEEP = 100  # traces in each other
_Function, _Code = type(lambda: 0), type((lambda: 0).__code__)
_mro_of = type.__dict__["__mro__"].__get__


def is_traced_now():
    """Whether JAX records what this thread runs, to compile it. False as well where this JAX does not say."""
    core = sys.modules.get("jax._src.core")
    if core is None:  # asked at each hit of a breakpoint
        return False
    try:
        names = vars(core)
        if "trace_ctx" in names:
            trace = names["trace_ctx"].trace
            for _ in range(_MOST_DEEP):
                if type(trace).__name__ == "DynamicJaxprTrace":
                    return True
                trace = getattr(trace, "parent_trace", None)
                if trace is None:
                    return False
        stack = names["thread_local_state"].trace_state.trace_stack  # before 0.4.36
        return any(main.trace_type.__name__ == "DynamicJaxprTrace" for main in [*stack.stack, stack.dynamic])
    except (TypeError, KeyError, AttributeError):
        return False


def why_missed(point, functions=None):
    """Of a breakpoint or a moment at the end of a run: why it was not reached, or not often enough. "": nothing is known.
    functions: those of compiled_functions() now; None: they are looked for."""
    if point.is_traced and not point.ran_itself:
        return _TRACED
    compiled_by = "" if point.hits else _compiler_of(point, functions)
    if compiled_by:
        return _BY % compiled_by
    return _BY_TORCH if _has_torch_compiled() else ""


def _has_torch_compiled():
    """Whether torch.compile has made graphs of Python functions. It does not tell of which."""
    utils = sys.modules.get("torch._dynamo.utils")
    try:
        return bool(vars(utils)["counters"].get("stats", {}).get("unique_graphs"))
    except (TypeError, KeyError, AttributeError):
        return False


def compiled_functions():
    """[(a Python function, who runs it as compiled code)] of what is there now. Looks at every object, once such a library is."""
    kinds = []
    for module, name, attribute, who in _COMPILED_OBJECTS:
        kind = vars(sys.modules[module]).get(name) if module in sys.modules else None
        if isinstance(kind, type):
            kinds.append((kind, attribute, who))
    found = []
    for each in gc.get_objects() if kinds else ():
        mro = _mro_of(type(each))
        found += [(_stored(each, attribute), who) for kind, attribute, who in kinds if kind in mro]
    return found


def _compiler_of(point, functions):
    if not point.place:
        return ""
    for function, who in compiled_functions() if functions is None else functions:
        if _holds(function, point):
            return who
    return ""


def _stored(owner, attribute):
    try:
        return object.__getattribute__(owner, "__dict__").get(attribute)
    except AttributeError:
        return None


def _holds(function, point):
    if type(function) is not _Function or not point.is_in(function.__code__.co_filename):
        return False
    todo = [function.__code__]
    while todo:
        code = todo.pop()
        if point.place in _host_lines.lines_of(code):
            return True
        todo.extend(each for each in code.co_consts if type(each) is _Code)
    return False
