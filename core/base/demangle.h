// Demangled C++ symbol names.
#pragma once

#include <string>

namespace dlscope::core {

// "at::Tensor::item() const" for a mangled name; any other name is returned unchanged. So is a mangled name that is too long or
// has too many back-references, because it could expand to millions of characters: names come from untrusted files. thread: any.
[[nodiscard]] std::string demangled(const std::string& name);

}  // namespace dlscope::core
