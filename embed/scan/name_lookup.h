// From a name path back to the object, by the rules of the scan that made the name: the same containers are entered, the
// same suffixes are compared, and nothing is evaluated or called that the scan would not call.
// thread: GIL held.
#pragma once

#include <string_view>

#include "embed/objects/type_table.h"
#include "embed/scan/scan_place.h"

namespace dlscope::embed {

// Empty, with no error set unless it is KeyboardInterrupt, when no object has that name (any more).
[[nodiscard]] PyRef object_named(const ScanPlace& place, std::string_view path, TypeTable& types);

}  // namespace dlscope::embed
