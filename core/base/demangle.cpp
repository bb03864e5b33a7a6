#include "core/base/demangle.h"

#include <cxxabi.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace dlscope::core {
namespace {

constexpr std::size_t kMaxMangledBytes = 512;
constexpr std::size_t kMaxPlainBytes = 4096;
// Each back-reference ("S_", "S0_", "T_", ...) repeats an earlier part, which may itself contain back-references: n of them can
// lengthen a part 3^(n/3) times.
constexpr std::size_t kMaxReferences = 24;

std::size_t references(std::string_view name) {
  std::size_t count = 0;
  for (std::size_t at = name.find_first_of("ST"); at != name.npos; at = name.find_first_of("ST", at + 1)) {
    const std::size_t end = name.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", at + 1);
    if (end != name.npos && name[end] == '_') ++count;
  }
  return count;
}

}  // namespace

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z") || name.size() > kMaxMangledBytes || references(name) > kMaxReferences) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                          &std::free);
  if (status != 0 || plain == nullptr || std::string_view(plain.get()).size() > kMaxPlainBytes) return name;
  return plain.get();
}

}  // namespace dlscope::core
