#include "core/inventory/own_symbols.h"

#include <dlfcn.h>

#include "core/base/demangle.h"

namespace dlscope::core {

std::string own_symbol(Address address) {
  Dl_info info{};
  // dladdr() only compares the number with the loader's tables, so any address is safe.
  if (dladdr(reinterpret_cast<const void*>(address), &info) == 0 || info.dli_sname == nullptr) return {};
  return demangled(info.dli_sname);
}

}  // namespace dlscope::core
