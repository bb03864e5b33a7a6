#include "app/models/exchange/loading_line.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/base/utf8_text.h"

namespace dlscope::app {
namespace {

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (byte < 0x20 || byte == 0x7F)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out + '"';
}

}  // namespace

std::string loading_line(std::string_view path) {
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::absolute(path, ignored);
  const std::string file = string_literal(absolute.empty() ? std::string(path) : absolute.string());
  const std::string extension = core::lowered(absolute.extension().string());
  // PyTorch has all the dtypes of such a file; NumPy has no bfloat16.
  if (extension == ".safetensors") return fmt::format("from safetensors.torch import load_file; tensors = load_file({})", file);
  if (extension == ".npz") return fmt::format("import numpy as np; arrays = dict(np.load({}))", file);
  return fmt::format("import numpy as np; array = np.load({})", file);
}

}  // namespace dlscope::app
