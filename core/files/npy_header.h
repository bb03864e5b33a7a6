// The header of a .npy file (NumPy's format 1.0 to 3.0). It is text in Python's notation; it is parsed here, never evaluated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/dtype.h"

namespace dlscope::core {

// What an array holds: a dtype that DLPack has, or the reason why it has none, and the size of an item in either case.
struct NpyType {
  std::optional<DType> dtype;
  std::string why_not;           // "" when there is a dtype
  std::uint64_t item_bytes = 0;  // 0: unknown
};
// "<f4" and its like. `is_list`: of a structured type.
[[nodiscard]] NpyType npy_type(std::string_view descr, bool is_list);

struct NpyHeader {
  NpyType type;
  std::vector<std::int64_t> shape;
  bool fortran_order = false;
  std::uint64_t data_offset = 0;  // from the start of the file
};

// Reads `size` bytes from `offset` on of whatever holds the file.
using ReadBytes = std::function<Result<std::vector<std::byte>>(std::uint64_t offset, std::uint64_t size)>;

[[nodiscard]] Result<NpyHeader> read_npy_header(const ReadBytes& read);

}  // namespace dlscope::core
