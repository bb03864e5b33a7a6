// Python's answers about one tensor: the raw struct with the place and bytes of every field, and the answer of each protocol.
// Parsed from untrusted JSON: sizes are bounded, and malformed input is an error with a message.
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
  std::string not_called;  // why it was not asked without the person's request; "": it was asked
  std::string protocol;    // the one that answered; "": none did
  std::string capsule;     // "dltensor_versioned", "used_dltensor": the capsule's name
  bool held = false;       // the user's own capsule, which was only read
  bool taken = false;      // we consumed the capsule: renamed it and called the deleter once
  std::string format;      // the buffer's format string
  std::vector<RawBlock> blocks;
  std::vector<std::pair<std::string, std::string>> interface;  // __array_interface__ as the producer gave it

  [[nodiscard]] const RawBlock* block(std::string_view title) const;
  // The managed struct or Py_buffer; null: there is none.
  [[nodiscard]] const RawBlock* head() const { return blocks.empty() ? nullptr : &blocks.front(); }
};

struct ProtocolLine {
  std::string name;  // "dlpack"
  bool offered = false, accepted = false;
  std::string type, message;  // of the refusal: exception type and the library's own message
};

struct ProtocolsAnswer {
  bool found = false, is_capsule = false;
  std::string not_called;
  std::vector<ProtocolLine> lines;
};

[[nodiscard]] core::Result<StructAnswer> read_struct_answer(std::string_view json);
[[nodiscard]] core::Result<ProtocolsAnswer> read_protocols_answer(std::string_view json);
// The text of the question for either answer: {"name": ..., "anyway": ...}.
[[nodiscard]] std::string look_question(std::string_view name, bool anyway);

// "80 4a 40 2e 81 55 00 00".
[[nodiscard]] std::string bytes_text(const RawField& field);
// Each byte, and the number they form: for a tooltip. block: the one that contains the field.
[[nodiscard]] std::string bytes_explained(const RawBlock& block, const RawField& field);
// Little-endian; nullopt when bytes are missing or there are more than 8.
[[nodiscard]] std::optional<std::uint64_t> number_in(const RawField& field);

}  // namespace dlscope::app
