// The element type of an array as NumPy writes it in the header of a .npy file: a Python literal. Pure functions; thread: any.
#pragma once

#include <string>

#include "core/tensor/dtype.h"
#include "core/tensor/item_type.h"

namespace dlscope::core {

// "'<f4'"; "" if NumPy has none. Also "" for the dtypes of ml_dtypes, which NumPy saves as raw bytes without a name.
[[nodiscard]] std::string npy_descr(DType dtype);
// "'<M8[ns]'", "[('a', '<i4'), ('', '|V4'), ('b', '<f8')]": fields of a field by their dotted names, gaps as fields
// without a name. "" if NumPy could not read it back: objects, overlapping fields, fields that are not known, unusual names.
[[nodiscard]] std::string npy_descr(const ItemType& item);

}  // namespace dlscope::core
