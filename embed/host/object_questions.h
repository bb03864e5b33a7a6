// What the window asks about one tensor by its name: the raw struct, and how each protocol answers (core/wire/struct_answer.h).
// Nothing is kept alive, nothing is called that the scan may not call, unless the person asked for it by name ("anyway").
// thread: GIL held; foreign code runs inside.
#pragma once

#include <optional>
#include <string>

#include "core/base/address.h"
#include "embed/py_ref.h"
#include "embed/scan/scan_place.h"

namespace dlscope::embed {

// An encoded core::wire::StructAnswer. nullopt: an error is set.
[[nodiscard]] std::optional<std::string> struct_of(const ScanPlace& place, const std::string& name, bool anyway);
// manager_ctx of the struct that a DLPack capsule keeps, untaken or as what a NumPy array that took it over has as its base. What
// a producer puts there is often the object itself, to which it has a reference. 0: not known.
[[nodiscard]] core::Address capsule_manager(PyObject* capsule);
// An encoded core::wire::ProtocolsAnswer. nullopt: an error is set.
[[nodiscard]] std::optional<std::string> protocols_of(const ScanPlace& place, const std::string& name, bool anyway);

}  // namespace dlscope::embed
