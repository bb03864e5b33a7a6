#include "core/inventory/own_symbols.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <memory>

namespace dlscope::core {

std::string own_symbol(Address address) {
  Dl_info info{};
  // dladdr only compares the number with the loader's tables: a wild address is safe.
  if (dladdr(reinterpret_cast<const void*>(address), &info) == 0 || info.dli_sname == nullptr) return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status),
                                                          &std::free);
  return status == 0 && plain ? plain.get() : info.dli_sname;
}

}  // namespace dlscope::core
