// The questions for Python's answers about one tensor (core/wire/struct_answer.h), and a struct's fields as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/wire/struct_answer.h"

namespace dlscope::app {

// The text of the question for either answer: {"name": ..., "anyway": ...}.
[[nodiscard]] std::string look_question(std::string_view name, bool anyway);

// "80 4a 40 2e 81 55 00 00".
[[nodiscard]] std::string bytes_text(const core::wire::StructField& field);
// Each byte, and the number they form: for a tooltip. block: the one that contains the field.
[[nodiscard]] std::string bytes_explained(const core::wire::StructBlock& block, const core::wire::StructField& field);
// Little-endian; nullopt when bytes are missing or there are more than 8.
[[nodiscard]] std::optional<std::uint64_t> number_in(const core::wire::StructField& field);

}  // namespace dlscope::app
