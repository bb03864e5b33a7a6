// Names of functions in this process.
#pragma once

#include <string>

#include "core/base/address.h"

namespace dlscope::core {

// The exported symbol that contains `address`, demangled if it is C++;
// "" when no dynamic symbol table has it. Any number may be given.
// thread: any.
[[nodiscard]] std::string own_symbol(Address address);

}  // namespace dlscope::core
