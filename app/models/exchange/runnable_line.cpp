#include "app/models/exchange/runnable_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

namespace dlscope::app {
namespace {

struct Library {
  std::string_view word, module;
};
// As _host_consumers.py has them. A submodule that the library does not import itself is named.
constexpr std::array kLibraries{Library{"array_api_strict", "array_api_strict"},
                                Library{"cupy", "cupy"},
                                Library{"dlscope", "dlscope"},
                                Library{"dpnp", "dpnp"},
                                Library{"jax", "jax"},
                                Library{"mlx", "mlx.core"},
                                Library{"numpy", "numpy"},
                                Library{"paddle", "paddle"},
                                Library{"tensorflow", "tensorflow"},
                                Library{"torch", "torch"},
                                Library{"tvm_ffi", "tvm_ffi"}};

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

// One past the closing quote of the text literal that begins at `at`.
std::size_t end_of_literal(std::string_view line, std::size_t at) {
  const char quote = line[at];
  for (++at; at < line.size() && line[at] != quote; ++at) at += line[at] == '\\' ? 1 : 0;
  return std::min(at + 1, line.size());
}

}  // namespace

std::string runnable_line(std::string_view line) {
  std::vector<std::string_view> modules;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == '\'' || line[at] == '"') {
      at = end_of_literal(line, at);
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && is_of_name(line[end])) ++end;
    const auto* const library = std::ranges::find(kLibraries, line.substr(at, end - at), &Library::word);
    const bool is_attribute = at > 0 && line[at - 1] == '.', has_attribute = end < line.size() && line[end] == '.';
    if (library != kLibraries.end() && !is_attribute && has_attribute &&
        std::ranges::find(modules, library->module) == modules.end())
      modules.push_back(library->module);
    at = std::max(end, at + 1);
  }
  if (modules.empty() || line.starts_with("import ")) return std::string(line);
  return fmt::format("import {}; {}", fmt::join(modules, ", "), line);
}

}  // namespace dlscope::app
