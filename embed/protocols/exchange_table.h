// Decides whether a type's exchange table may be used in place of its __dlpack__.
// thread: GIL held. No exception is left set except KeyboardInterrupt.
#pragma once

#include <optional>

#include "core/memory/memory_reader.h"
#include "core/tensor/exchange_table.h"
#include "embed/protocols/known_memory.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// The table of the type, never of an instance: a capsule "dlpack_exchange_api" on the class that also defines __dlpack__ (a
// subclass that overrides either has another meaning). It must keep DLPack's rules (core/tensor/exchange_table.h), and its export
// function must be a known library's code. Calls nothing of it.
[[nodiscard]] std::optional<core::ExchangeTable> find_exchange_table(PyTypeObject* type, const core::MemoryReader& reader,
                                                                     KnownMemory& memory);

}  // namespace dlscope::embed
