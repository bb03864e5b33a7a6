"""What keeps a tensor's memory alive, as far as interpreter and libraries can tell: the way from the tensor to the object whose memory
it is, how large that is, and the other names that lead to the same object. Nothing is kept by asking.

    {"name", "others": [names of tensors in the same memory], "not_asked": how many more there are} ->
    {"found", "type", "chain": [texts, from the tensor to the owner],
     "allocation": {"bytes", "source", "owner", "by": the name of another tensor that told of it; "": this one} | null,
     "owner_unknown": whether the object at the end of the chain may show another one's memory,
     "holders": [{"name", "how"}], "unsaid": [names of others whose libraries do not say what they keep],
     "unnamed": references to the owner that no name here explains, "not_asked": as given}
"""

import sys

from dlscope import _dlscope, _host_exchange, _host_interrupts, _host_private, _host_run

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_LONGEST_CHAIN = 32
_MAX_OTHERS = 256
_MAX_TOLD = 16  # of the others, that are looked at for who tells of the allocation
_TAKEN = "took it over through DLPack; the producer's deleter is called when it goes"
_CAPSULE = "a DLPack capsule; the producer's deleter is called when it goes, or by whoever takes it"
STEP_BY_STEP = "dlscope, step by step"  # who holds what a hand-over holds between two steps
LEASE = "dlscope, by a lease"  # who holds what the person has held
_OWNERS = (("builtins", "bytes"), ("builtins", "bytearray"), ("array", "array"), ("mmap", "mmap"))  # always of their own memory
_bases_of = type.__dict__["__mro__"].__get__  # also of a class whose metaclass has an __mro__ of its own


def life(request, names):
    name = request["name"]
    others = [each for each in request.get("others", []) if type(each) is str][:_MAX_OTHERS]
    if type(name) is not str:
        raise TypeError("the name is not a text")
    tensor = _object(names, name)
    if tensor is None:
        return {"found": False}
    chain = _chain(tensor)
    given = _producer(chain[-1][0], names, others)
    chain += given
    owner = chain[-1][0]
    owns = _owns(owner)
    not_asked = request.get("not_asked", 0)
    answer = {"found": True, "type": _kind(tensor), "chain": [text for _, text in chain],
              "owner_unknown": not owns or _is_capsule(owner),
              "allocation": _largest_told(chain, tensor, names, others), "holders": [], "unsaid": [],
              "not_asked": not_asked if type(not_asked) is int else 0}
    explained = 0 if given else 1  # by the tensor itself, or whoever leads from it to the owner: a producer counts with its name
    capsules = set()  # ids of those whose reference to the owner is explained
    leased, referred_to = _dlscope.host_kept_by_leases()
    is_leased = id(owner) in referred_to
    for other in [name] + others:
        held = tensor if other == name else _object(names, other)
        way = _chain(held) if held is not None else []
        if way and (way[-1][0] is owner or _same_storage(way[-1][0], owner)):
            answer["holders"].append({"name": other, "how": _how(way, owns)})
            explained += other != name
        elif way and type(way[-1][0]).__name__ == "PyCapsule":
            answer["holders"].append({"name": other, "how": _TAKEN if len(way) > 1 else _CAPSULE})
            if _keeps(way[-1][0], owner):
                capsules.add(id(way[-1][0]))
        elif way and (_keeps(owner, way[-1][0]) or _frees_these_bytes(way[-1][0])):
            answer["holders"].append({"name": other, "how": _how(way, _owns(way[-1][0]))})
        elif way:
            answer["unsaid"].append(other)
        is_leased = is_leased or held is not None and id(held) in leased
        del held, way
    if is_leased:
        answer["holders"].append({"name": LEASE, "how": "holds an export of it"})
    explained += len(capsules) + _held_between_steps(owner, answer["holders"])
    of_leases = referred_to.count(id(owner)) or _held_by_leases_alone(owner, leased.count(id(owner)))
    ours = _references_while_asking() + int(owner is tensor) + _held_by_names(names, owner) + of_leases
    answer["unnamed"] = max(0, sys.getrefcount(owner) - ours - explained) if owns else 0
    return answer


def _references_while_asking():
    """How many references life() itself has to the owner, as this Python counts them: the variable, the place in the chain, and the argument
    of getrefcount()."""
    owner = object()
    chain = [(owner, "")]
    count = sys.getrefcount(owner)
    del chain
    return count


def _held_by_names(names, owner):
    """How many references the names hold where they are a dict of ours: at a stop they are put together for each question."""
    return 0 if names is _host_run.namespace() else sum([value is owner for value in names.values()])


def _held_by_leases_alone(owner, leases):
    """The one reference to a tensor of PyTorch's that stands for all that C++ code holds it by, where that is leases of ours only."""
    if not leases or _module(type(owner)) != "torch" or not hasattr(type(owner), "_use_count"):
        return 0
    return int(owner._use_count() == 1 + leases)


def _producer(capsule, names, others):
    """The end of a chain that leads through a capsule: from the object that the producer keeps for it, where one of the others is
    that object or leads to it; else []."""
    if not _is_capsule(capsule):
        return []
    for other in others:
        held = _object(names, other)
        way = _chain(held) if held is not None else []
        for at, (value, _) in enumerate(way):
            if _keeps(capsule, value):
                return [(value, "of the producer's %s" % _kind(value))] + way[at + 1:]
    return []


def _largest_told(chain, tensor, names, others):
    """The allocation that the tensor's bytes are a part of; None where nobody tells of one. A storage around memory that was
    handed over is no larger than that: others of the same memory may know more."""
    owns = _owns(chain[-1][0]) and not _is_capsule(chain[-1][0])
    said = _allocation(chain, tensor, owns)
    if owns and said is not None:
        return said
    for other in others[:_MAX_TOLD]:
        held = _object(names, other)
        way = _chain(held) if held is not None else []
        more = _allocation(way, tensor, _owns(way[-1][0])) if way else None
        if more is not None and (said is None or more["bytes"] > said["bytes"]):
            said = more
            said["by"] = other
    return said


def owner_of(tensor):
    """The object at the end of the chain."""
    return _chain(tensor)[-1][0]


def _held_between_steps(owner, holders):
    """How many references to the owner a hand-over holds that is made step by step."""
    source, capsule = _host_exchange.held()
    if source is None:
        return 0
    last = _chain(source)[-1][0]
    if last is owner or _same_storage(last, owner):
        holders.append({"name": STEP_BY_STEP, "how": "holds the tensor" if capsule is None else "holds the tensor, and " + _CAPSULE})
    return int(source is owner) + int(_keeps(capsule, owner))


def _is_capsule(value):
    """At the end of a chain: it holds what its producer keeps, and nobody says what else does."""
    return type(value).__name__ == "PyCapsule"


def _keeps(capsule, value):
    """Whether the struct in the capsule says that its producer keeps a reference to that object until its deleter is called."""
    return type(capsule).__name__ == "PyCapsule" and _dlscope.host_capsule_manager(capsule) == id(value)


def _object(names, path):
    return _dlscope.host_object(names, path, _host_run.frames())


def _kind(value):
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else "%s.%s" % (kind.__module__, kind.__qualname__)


def _chain(tensor):
    """[(object, text)] from the tensor to the object at the end, by the libraries' own attributes."""
    chain, value = [(tensor, _kind(tensor))], tensor
    while len(chain) < _LONGEST_CHAIN:
        base, how = _next(value)
        if base is None:
            return chain
        chain.append((base, "%s: %s" % (how, _kind(base))))
        value = base
    return chain


def _next(value):
    array = _ndarray_of(value)
    if array is not None:
        return array.__dict__["base"].__get__(value), ".base"
    if type(value) is memoryview:
        return value.obj, ".obj"
    if _base_named(value, "_ctypes", "_CData") is not None:
        return _base_named(value, "_ctypes", "_CData").__dict__["_b_base_"].__get__(value), "._b_base_"
    top = _module(type(value))
    if top == "torch" and hasattr(type(value), "_base"):
        return value._base, "._base"
    if top == "pyarrow" and hasattr(type(value), "buffers"):
        return _buffer_of(value), ".buffers()"
    if _is_arrow_buffer(value):
        return value.parent, ".parent"
    if top == "dlscope" and hasattr(type(value), "owner"):
        owner = value.owner
        return (owner if not callable(owner) else owner()), ".owner"
    return None, ""


def _owns(value):
    """Whether the object at the end of a chain is known to be the one whose memory it shows. False: not known."""
    array = _ndarray_of(value)
    if array is not None:
        return array.__dict__["flags"].__get__(value)["OWNDATA"]
    if any(_base_named(value, *owner) is not None for owner in _OWNERS):
        return True
    data = _base_named(value, "_ctypes", "_CData")
    if data is not None:
        return bool(data.__dict__["_b_needsfree_"].__get__(value))
    kind, top = type(value), _module(type(value))  # an Arrow buffer may stand for any object's memory: not known
    if top == "torch" and hasattr(kind, "untyped_storage"):
        storage = value.untyped_storage()
        return hasattr(storage, "resizable") and storage.resizable()  # memory that it was given is not
    if top == "dlscope" and hasattr(kind, "given_by"):
        return value.given_by is None and value.is_copied is True
    return kind.__name__ == "PyCapsule"


def _frees_these_bytes(value):
    """Whether the bytes of a tensor that shares some with the object at the end of a chain go with that object, and not before. A file
    that is mapped twice has the same bytes in both mappings, and neither keeps the other."""
    return _owns(value) and _base_named(value, "mmap", "mmap") is None


def _base_named(value, module, name):
    """The class of that name among those that the object's is made from. Nothing of a user's class runs for it."""
    for kind in _bases_of(type(value)):
        if type.__dict__["__name__"].__get__(kind) == name and type.__dict__["__module__"].__get__(kind) == module:
            return kind
    return None


def _ndarray_of(value):
    return _base_named(value, "numpy", "ndarray")


def _module(kind):
    name = type.__dict__["__module__"].__get__(kind)
    return name.partition(".")[0] if type(name) is str else ""


def _is_arrow_buffer(value):
    return _module(type(value)) == "pyarrow" and hasattr(type(value), "parent") and hasattr(type(value), "address")


def _buffer_of(array):
    """The one that the array's values are in, or None."""
    extent = _dlscope.describe(array)["extent"]
    if extent is None:
        return None
    begin = int(extent["begin"], 16)
    return next((each for each in array.buffers() if each is not None and each.address <= begin < each.address + each.size), None)


def _how(way, owns):
    if len(way) == 1:
        return "is the %s itself" % way[0][1] if owns else "a %s, which does not say whose memory it shows" % way[0][1]
    return "a %s, which holds it by %s" % (way[0][1], " ".join(text.partition(":")[0] for _, text in way[1:]))


def _same_storage(one, other):
    if _is_arrow_buffer(one) and _is_arrow_buffer(other):
        return one.address == other.address  # each question makes a new Buffer object
    if not hasattr(type(one), "untyped_storage") or not hasattr(type(other), "untyped_storage"):
        return False
    return one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr() != 0


def _allocation(chain, tensor, owns):
    """Of the memory the tensor is a part of, as the report says it of the tensor, or of an object on the way to the owner; None where
    nobody says."""
    owner, extent = chain[-1][0], _range(_dlscope.describe(tensor)["extent"])
    if extent is None:
        return None
    for value, _ in chain:
        if type(value).__name__ == "PyCapsule":
            break  # says nothing of the producer's memory beyond what it handed over
        said = _dlscope.describe(value)["allocation"]
        whole = _range(said)
        if whole is not None and whole[0] <= extent[0] and extent[1] <= whole[1]:
            source = "base" if said["source"] == "exporter" and value is not tensor else said["source"]
            return {"bytes": whole[1] - whole[0], "source": source, "owner": _kind(owner), "by": ""}
    if owns and owner is tensor and _module(type(owner)) == "dlscope":  # a copy of dlscope's, which has no more than its elements
        return {"bytes": extent[1] - extent[0], "source": "exporter", "owner": _kind(owner), "by": ""}
    return None


def _range(said):
    """(begin, end) of an extent or an allocation as the report writes them; None where there is none."""
    return (int(said["begin"], 16), int(said["end"], 16)) if said is not None else None
