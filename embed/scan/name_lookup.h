// From a name path back to the object, by the rules of the scan that made the name: the same containers are entered, the
// same suffixes are compared, and nothing is evaluated or called that the scan would not call.
// thread: GIL held.
#pragma once

#include <string>
#include <string_view>

#include "embed/objects/type_table.h"
#include "embed/scan/scan_place.h"

namespace dlscope::embed {

struct NamedObject {
  PyRef object;        // empty: no object has that name (any more), or why_not says why none was found
  std::string why_not;  // "": all places where it may be were looked at
};

// Looks at no more entries of containers than a scan does. With no error set unless it is KeyboardInterrupt.
[[nodiscard]] NamedObject object_named(const ScanPlace& place, std::string_view path, TypeTable& types);

}  // namespace dlscope::embed
