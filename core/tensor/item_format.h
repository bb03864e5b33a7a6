// Parses formats of the older protocols, and of .npy files, for elements that are not single native numbers: records, dates,
// texts, numbers in the other byte order. Used when dtype_of_format() or dtype_of_typestr() fails. Pure; thread: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/item_type.h"

namespace dlscope::core {

// A struct-module format with PEP 3118's additions: "T{<i:a:>d:b:}", "3w", "5s", ">f", "O", "(2,3)f". item_bytes: the exporter's
// item size. Bytes that the format does not mention are C's padding if that makes this size; else only a single value has a place,
// at the beginning, and several are described as bytes.
[[nodiscard]] Result<ItemType> item_of_format(std::string_view format, std::int64_t item_bytes);

// ">f4", "<M8[25s]", "<U3", "|S5", "|V12", "|O".
[[nodiscard]] Result<ItemType> item_of_typestr(std::string_view typestr);

// A member of a record as NumPy describes it, in the `descr` of an array interface and in the header of a .npy file. Members
// follow one another without gaps: a gap is a member without a name.
struct DescribedMember {
  std::string name;
  std::string typestr;                   // "": a record of `members`
  std::vector<DescribedMember> members;  // their nesting is limited by who parsed them
  std::vector<std::uint32_t> shape;      // of a sub-array
};
// bytes: the item's size; 0: it ends where its last member does. Fails (unsupported) where a typestr is not known, or the
// members take more than `bytes`, more than an item may have, or nothing. A record of too many members is plain bytes.
[[nodiscard]] Result<ItemType> item_of_members(std::span<const DescribedMember> members, std::uint32_t bytes = 0);

}  // namespace dlscope::core
