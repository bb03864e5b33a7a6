"""Libraries that run a Python function as something else: compiled code does not come by the lines it was made of."""

import gc
import sys

from dlscope import _host_interrupts, _host_lines, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

BY_TORCH = "Not reached; functions that torch.compile has compiled run as graphs, and do not stop at their lines"
_TRACED = "Reached only while %s traced the function: what it made of it runs as compiled code, and does not stop at lines"
_BY = "Not reached: %s runs this function as compiled code, which does not stop at lines"
# module, its class, the attribute with the function that is compiled, and who compiles it
_COMPILED_OBJECTS = (
    ("numba.core.dispatcher", "Dispatcher", "py_func", "Numba"),  # njit
    ("numba.np.ufunc.ufuncbuilder", "UFuncDispatcher", "py_func", "Numba"),  # vectorize, guvectorize
    ("numba.core.ccallback", "CFunc", "_pyfunc", "Numba"),
    ("tensorflow.python.eager.polymorphic_function.polymorphic_function", "Function", "_python_function", "tf.function"),
    ("triton.runtime.jit", "JITFunction", "fn", "Triton"),
    ("jaxlib._jax", "PjitFunction", "__wrapped__", "jax.jit"),
    ("jaxlib.xla_extension", "PjitFunction", "__wrapped__", "jax.jit"),  # before jaxlib 0.6
)
_BY_TORCHSCRIPT = "torch.jit.script"
_MOST_DEEP = 100  # traces in each other
_Function, _Code = type(lambda: 0), type((lambda: 0).__code__)
_mro_of = type.__dict__["__mro__"].__get__


def traced_by():
    """Who records what this thread runs, to compile it; "": nobody, or this version of a library does not say. Asked at each hit of a
    breakpoint."""
    for module, is_tracing, who in _TRACERS:
        names = sys.modules.get(module)
        try:
            if names is not None and is_tracing(vars(names)):
                return who
        except (TypeError, KeyError, AttributeError):
            pass
    return ""


def _is_traced_by_jax(names):
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


def _is_traced_by_tensorflow(names):
    return any(type(graph).__name__ == "FuncGraph" for graph in names["_default_graph_stack"].stack)


# module, from whose names it is seen, and who traces
_TRACERS = (
    ("jax._src.core", _is_traced_by_jax, "JAX (jit, scan, ...)"),
    ("tensorflow.python.framework.ops", _is_traced_by_tensorflow, "TensorFlow (tf.function, ...)"),
    ("torch._C", lambda names: names["_get_tracing_state"]() is not None, "torch.jit.trace"),
)


def why_missed(point, functions=None):
    """Of a breakpoint or a moment at the end of a run: why it was not reached, or not often enough. "": nothing is known.
    functions: those of compiled_functions() now; None: they are looked for."""
    if point.traced_by and not point.ran_itself:
        return _TRACED % point.traced_by
    compiled_by = "" if point.hits else _compiler_of(point, functions)
    if compiled_by:
        return _BY % compiled_by
    return BY_TORCH if _has_torch_compiled() else ""


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
    found = [(function, _BY_TORCHSCRIPT) for function in _torchscript_functions()]
    for each in gc.get_objects() if kinds else ():
        mro = _mro_of(type(each))
        found += [(_stored(each, attribute), who) for kind, attribute, who in kinds if kind in mro]
    return found


def _torchscript_functions():
    """Those that torch.jit.script has compiled, with the functions and methods that they call."""
    found = []
    try:
        found += vars(sys.modules["torch.jit._state"])["_jit_caching_layer"].keys()
        for kind, compiled in list(vars(sys.modules["torch.jit._recursive"])["concrete_type_store"].type_store.items()):
            methods = {name for each in compiled for name in each.jit_type.method_names()}
            found += [value for owner in reversed(_mro_of(kind)) for name, value in vars(owner).items() if name in methods]
    except (TypeError, KeyError, AttributeError):  # torch is not there, or is another version
        pass
    return found


def _compiler_of(point, functions):
    if not (point.place or point.line):
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
    line = point.place or point.line  # in a module that an earlier run has loaded no code may have started since
    todo = [function.__code__]
    while todo:
        code = todo.pop()
        if line in _host_lines.lines_of(code):
            return True
        todo.extend(each for each in code.co_consts if type(each) is _Code)
    return False
