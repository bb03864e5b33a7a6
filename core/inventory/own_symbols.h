// Names of functions in this very process.
#pragma once

#include <string>

#include "core/base/address.h"

namespace dlscope::core {

// The exported symbol that holds `address`, demangled where it is C++; "" when no dynamic symbol table has it.
// thread: any.
[[nodiscard]] std::string own_symbol(Address address);

}  // namespace dlscope::core
