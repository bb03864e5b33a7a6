// The header of a .npy file (NumPy's format 1.0 to 3.0): a Python literal as text, which is parsed here and never evaluated.
// thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/dtype.h"
#include "core/tensor/item_type.h"

namespace dlscope::core {

// The element type of an array: a dtype, or the reason why its values cannot be shown.
struct NpyType {
  std::optional<DType> dtype;
  std::shared_ptr<const ItemType> item = {};  // set for elements without a DLPack dtype; dtype is then dtype_of_item()
  std::string why_not = {};                   // "" if there is a dtype
};
// typestr: "<f4", ">M8[ns]", "|S5"; the byte order may be missing.
[[nodiscard]] NpyType npy_type(std::string_view typestr);

struct NpyHeader {
  NpyType type;
  std::vector<std::int64_t> shape;
  bool fortran_order = false;
  std::uint64_t data_offset = 0;  // from the start of the file
};

// Reads exactly `size` bytes from `offset` on; fails when there are fewer.
using ReadBytes = std::function<Result<std::vector<std::byte>>(std::uint64_t offset, std::uint64_t size)>;

// Fails when the header is malformed; the untrusted numbers in it are not checked against the file's size.
[[nodiscard]] Result<NpyHeader> read_npy_header(const ReadBytes& read);

}  // namespace dlscope::core
