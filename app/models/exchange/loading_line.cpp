#include "app/models/exchange/loading_line.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/base/utf8.h"
#include "core/base/utf8_text.h"

namespace dlscope::app {
namespace {

// Bytes that are no UTF-8 are written as Python has them in the names of files (surrogateescape): open() makes them bytes again.
std::string string_literal(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const core::Utf8Char character = core::decode_utf8(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (!character.valid) {
      out += fmt::format("\\udc{:02x}", byte);
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      if (byte == '"' || byte == '\\') out += '\\';
      out += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
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
  if (extension == ".safetensors") {
    if (core::repaired_utf8(absolute.native()) == absolute.native())
      return fmt::format("from safetensors.torch import load_file; tensors = load_file({})", file);
    // load_file() refuses such a name.
    return fmt::format("from safetensors.torch import load; tensors = load(open({}, \"rb\").read())", file);
  }
  if (extension == ".npz") return fmt::format("import numpy as np; arrays = dict(np.load({}))", file);
  return fmt::format("import numpy as np; array = np.load({})", file);
}

}  // namespace dlscope::app
