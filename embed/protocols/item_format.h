// Parses formats of the older protocols for elements that are not single native numbers: records, dates, texts, numbers in the
// other byte order. Used when dtype_of_format() or dtype_of_typestr() fails. No Python.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/result.h"
#include "core/tensor/item_type.h"

namespace dlscope::embed {

// A struct-module format with PEP 3118's additions: "T{<i:a:>d:b:}", "3w", "5s", ">f", "O", "(2,3)f". item_bytes: the exporter's
// item size; bytes at its end that the format does not mention are padding.
[[nodiscard]] core::Result<core::ItemType> item_of_format(std::string_view format, std::int64_t item_bytes);

// ">f4", "<M8[25s]", "<U3", "|S5", "|V12", "|O".
[[nodiscard]] core::Result<core::ItemType> item_of_typestr(std::string_view typestr);

}  // namespace dlscope::embed
