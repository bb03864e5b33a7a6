#include "app/models/inspector/struct_answer.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/models/text/format.h"
#include "app/models/text/json_members.h"

namespace dlscope::app {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxBlocks = 8;
constexpr std::size_t kMaxFields = 256;
constexpr std::size_t kMaxBytes = 64;  // of one field

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::vector<std::uint8_t> bytes_of(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size() && bytes.size() < kMaxBytes; i += 2) {
    const int high = digit(hex[i]), low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
  }
  return bytes;
}

RawBlock block_of(const JsonMembers& given) {
  RawBlock block{given.text("title"), given.number("address"), given.number("size"), {}};
  given.each("fields", kMaxFields, [&](const JsonMembers& field) {
    block.fields.push_back(
        {field.text("name"), field.text("type"), field.number("offset"), field.number("size"), bytes_of(field.text("hex"))});
  });
  return block;
}

core::Result<json> parsed(std::string_view text) {
  json value = json_of(text);
  if (value.is_discarded() || !value.is_object())
    return core::fail(core::ErrorKind::invalid, "Python's answer is not the expected JSON object");
  return value;
}

}  // namespace

const RawField* RawBlock::field(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &RawField::name);
  return found == fields.end() ? nullptr : &*found;
}

const RawBlock* StructAnswer::block(std::string_view title) const {
  const auto one = std::ranges::find(blocks, title, &RawBlock::title);
  return one == blocks.end() ? nullptr : &*one;
}

core::Result<StructAnswer> read_struct_answer(std::string_view text) {
  const auto value = parsed(text);
  if (!value) return std::unexpected(value.error());
  const JsonMembers given(*value);
  StructAnswer answer;
  answer.found = given.truth("found");
  answer.not_called = given.text("not_called");
  answer.protocol = given.text("protocol");
  answer.capsule = given.text("capsule");
  answer.held = given.truth("held");
  answer.taken = given.truth("taken");
  answer.format = given.text("format");
  given.each("blocks", kMaxBlocks, [&](const JsonMembers& block) { answer.blocks.push_back(block_of(block)); });
  given.each("interface", kMaxFields,
             [&](const JsonMembers& entry) { answer.interface.emplace_back(entry.text("key"), entry.text("value")); });
  return answer;
}

core::Result<ProtocolsAnswer> read_protocols_answer(std::string_view text) {
  const auto value = parsed(text);
  if (!value) return std::unexpected(value.error());
  const JsonMembers given(*value);
  ProtocolsAnswer answer;
  answer.found = given.truth("found");
  answer.is_capsule = given.truth("is_capsule");
  answer.not_called = given.text("not_called");
  given.each("protocols", 16, [&](const JsonMembers& line) {
    answer.lines.push_back(
        {line.text("name"), line.truth("offered"), line.truth("accepted"), line.text("type"), line.text("message")});
  });
  return answer;
}

std::string look_question(std::string_view name, bool anyway) { return json_text({{"name", name}, {"anyway", anyway}}); }

std::string bytes_text(const RawField& field) {
  std::string text;
  for (const std::uint8_t byte : field.bytes) text += fmt::format("{}{:02x}", text.empty() ? "" : " ", byte);
  return text;
}

std::optional<std::uint64_t> number_in(const RawField& field) {
  if (field.bytes.size() != field.size || field.bytes.empty() || field.bytes.size() > 8) return std::nullopt;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < field.bytes.size(); ++i) number |= std::uint64_t{field.bytes[i]} << (8 * i);
  return number;
}

std::string bytes_explained(const RawBlock& block, const RawField& field) {
  std::string text = fmt::format("{} {}, {} at offset {} of {}\n", field.type, field.name, counted(field.size, "byte", "bytes"),
                                 field.offset, block.title);
  for (std::size_t i = 0; i < field.bytes.size(); ++i) {
    text += fmt::format("{}  {:02x}  {:3}{}\n", plain_address(block.address + field.offset + i), field.bytes[i], field.bytes[i],
                        i == 0 && field.bytes.size() > 1 ? "  lowest byte first" : "");
  }
  if (field.bytes.size() < field.size) return text + "The rest could not be read.";
  if (const auto number = number_in(field)) {
    text += fmt::format("together 0x{:0{}x} = {}", *number, field.size * 2, *number);
    if (field.size == 8 && *number >> 63 != 0) text += fmt::format(" unsigned, {} signed", static_cast<std::int64_t>(*number));
  }
  return text;
}

}  // namespace dlscope::app
