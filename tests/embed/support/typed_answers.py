"""Reads what host_struct() and host_protocols() return (core/wire/struct_answer.h), written down here a second time on purpose."""

PROTOCOLS = ["", "dlpack", "buffer", "array_interface", "cuda_array_interface", "file", "attributes"]


class _Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        assert self.at + size <= len(self.data), "too short"
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def flag(self):
        return (False, True)[self.number(1)]

    def text(self):
        return self.take(self.number(4)).decode("utf-8", "replace")

    def each(self, read):
        return [read() for _ in range(self.number(4))]


def struct_answer(data):
    """{"found", "not_called", "protocol", "capsule", "held", "taken", "format", "blocks", "interface"}"""
    given = _Bytes(data)

    def field():
        name, kind, offset, size = given.text(), given.text(), given.number(8), given.number(8)
        return {"name": name, "type": kind, "offset": offset, "size": size, "bytes": given.take(given.number(1))}

    def block():
        return {"title": given.text(), "address": given.number(8), "size": given.number(8), "fields": given.each(field)}

    out = {"found": given.flag(), "not_called": given.text(), "protocol": PROTOCOLS[given.number(1)], "capsule": given.text(),
           "held": given.flag(), "taken": given.flag(), "format": given.text(), "blocks": given.each(block),
           "interface": given.each(lambda: {"key": given.text(), "value": given.text()})}
    assert given.at == len(data), "too long"
    return out


def protocols_answer(data):
    """{"found", "is_capsule", "not_called", "protocols": [{"name", "offered", "accepted", "type", "message"}]}"""
    given = _Bytes(data)
    out = {"found": given.flag(), "is_capsule": given.flag(), "not_called": given.text(),
           "protocols": given.each(lambda: {"name": given.text(), "offered": given.flag(), "accepted": given.flag(),
                                            "type": given.text(), "message": given.text()})}
    assert given.at == len(data), "too long"
    return out
