// C++ names as they were written in the source.
#pragma once

#include <string>

namespace dlscope::core {

// "at::Tensor::item() const" for a mangled name. Any other name comes back as it is, and so does one that is long or refers back to
// parts of itself so often that its plain form might be millions of characters: names come from files nobody vouches for. thread: any.
[[nodiscard]] std::string demangled(const std::string& name);

}  // namespace dlscope::core
