// The host's answers about one object: the raw struct that it hands out, and how each protocol answers. They are the text of an
// Answer to the questions "struct" and "protocols". Decoding is bounded, checks every place and size, and never throws: the
// struct was made by foreign code, and the host is not trusted. Texts that are not UTF-8 are repaired.
// thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/tensor/tensor_desc.h"

namespace dlscope::core::wire {

struct StructField {
  std::string name, type;             // "version.major", "uint32_t"; "shape[0]"
  std::uint64_t offset = 0, size = 0;  // bytes, inside the block
  std::vector<std::byte> bytes;        // in memory order; fewer than `size` where memory ended
  friend bool operator==(const StructField&, const StructField&) = default;
};

struct StructBlock {
  std::string title;  // "DLManagedTensorVersioned", "shape", "strides", "Py_buffer"
  Address address = 0;
  std::uint64_t size = 0;  // bytes
  std::vector<StructField> fields;

  [[nodiscard]] const StructField* field(std::string_view name) const;  // null: there is none
  friend bool operator==(const StructBlock&, const StructBlock&) = default;
};

struct StructAnswer {
  bool found = false;                    // false: no object has that name any more
  std::string not_called;                // why it was not asked without the person's request; "": it was asked
  Protocol protocol = Protocol::none;    // the one that answered
  std::string capsule;                   // "dltensor_versioned", "used_dltensor": the capsule's name
  bool held = false;                     // the user's own capsule, which was only read
  bool taken = false;                    // the host consumed the capsule: renamed it and called the deleter once
  std::string format;                    // the buffer's format string
  std::vector<StructBlock> blocks;       // the managed struct or Py_buffer first, then the arrays that it points to
  std::vector<std::pair<std::string, std::string>> interface;  // __array_interface__ as the producer gave it: keys and values

  [[nodiscard]] const StructBlock* block(std::string_view title) const;  // null: there is none
  [[nodiscard]] const StructBlock* head() const { return blocks.empty() ? nullptr : &blocks.front(); }
  friend bool operator==(const StructAnswer&, const StructAnswer&) = default;
};

struct ProtocolLine {
  std::string name;  // "dlpack"
  bool offered = false, accepted = false;
  std::string type, message;  // of the refusal: exception type and the library's own message
  friend bool operator==(const ProtocolLine&, const ProtocolLine&) = default;
};

struct ProtocolsAnswer {
  bool found = false, is_capsule = false;
  std::string not_called;  // as in StructAnswer
  std::vector<ProtocolLine> lines;
  friend bool operator==(const ProtocolsAnswer&, const ProtocolsAnswer&) = default;
};

inline constexpr std::size_t kMaxStructBlocks = 8;
inline constexpr std::size_t kMaxStructFields = 256;      // of a block; also entries of an interface
inline constexpr std::size_t kMaxStructFieldBytes = 64;   // of one field
inline constexpr std::size_t kMaxProtocolLines = 16;
inline constexpr std::size_t kMaxAnswerTextBytes = 16 * 1024;  // of one text; a longer one is cut

// What is more than the bounds is left out.
[[nodiscard]] std::string encode(const StructAnswer& answer);
[[nodiscard]] std::string encode(const ProtocolsAnswer& answer);
[[nodiscard]] Result<StructAnswer> decode_struct_answer(std::string_view bytes);
[[nodiscard]] Result<ProtocolsAnswer> decode_protocols_answer(std::string_view bytes);

}  // namespace dlscope::core::wire
