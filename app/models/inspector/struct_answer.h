// What Python answered about one tensor by its name: the raw struct with every field's place and bytes, and how each
// protocol answers. Parsed from JSON that nobody vouches for: bounded, and anything odd is an error in words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/address.h"
#include "core/base/result.h"

namespace dlscope::app {

struct RawField {
  std::string name, type;  // "version.major", "uint32_t"; "shape[0]"
  std::uint64_t offset = 0, size = 0;
  std::vector<std::uint8_t> bytes;  // in memory order; fewer than `size` where memory ended
};

struct RawBlock {
  std::string title;  // "DLManagedTensorVersioned", "shape", "strides", "Py_buffer"
  core::Address address = 0;
  std::uint64_t size = 0;
  std::vector<RawField> fields;

  [[nodiscard]] const RawField* field(std::string_view name) const;
};

struct StructAnswer {
  bool found = false;      // false: no object has that name any more
  std::string not_called;  // why asking it needs the person's own request; "": it was asked
  std::string protocol;    // the one that answered; "": none did
  std::string capsule;     // "dltensor_versioned", "used_dltensor": what the capsule was called
  bool held = false;       // the user's own capsule, only looked at
  bool taken = false;      // renamed and its deleter called once
  std::string format;      // of a buffer
  std::vector<RawBlock> blocks;
  std::vector<std::pair<std::string, std::string>> interface;  // __array_interface__ as the producer told it

  [[nodiscard]] const RawBlock* block(std::string_view title) const;
  // Of the managed struct or Py_buffer; null: nothing was handed over.
  [[nodiscard]] const RawBlock* head() const { return blocks.empty() ? nullptr : &blocks.front(); }
};

struct ProtocolLine {
  std::string name;  // "dlpack"
  bool offered = false, accepted = false;
  std::string type, message;  // of the refusal, in the library's own words
};

struct ProtocolsAnswer {
  bool found = false, is_capsule = false;
  std::string not_called;
  std::vector<ProtocolLine> lines;
};

[[nodiscard]] core::Result<StructAnswer> read_struct_answer(std::string_view json);
[[nodiscard]] core::Result<ProtocolsAnswer> read_protocols_answer(std::string_view json);
// The question for either: {"name": ..., "anyway": ...}.
[[nodiscard]] std::string look_question(std::string_view name, bool anyway);

// "80 4a 40 2e 81 55 00 00".
[[nodiscard]] std::string bytes_text(const RawField& field);
// Byte by byte, and what they make together: for a tooltip. block: where the field lies in.
[[nodiscard]] std::string bytes_explained(const RawBlock& block, const RawField& field);
// Little-endian; nullopt where bytes are missing or there are more than 8.
[[nodiscard]] std::optional<std::uint64_t> number_in(const RawField& field);

}  // namespace dlscope::app
