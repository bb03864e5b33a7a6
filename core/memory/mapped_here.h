// Whether anything is mapped in this process at an address, be it readable or not. thread: any.
#pragma once

#include "core/base/address.h"

namespace dlscope::core {

[[nodiscard]] bool is_mapped_here(Address address);  // less than a microsecond

}  // namespace dlscope::core
