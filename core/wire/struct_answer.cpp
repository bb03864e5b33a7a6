#include "core/wire/struct_answer.h"

#include "core/wire/answer_payload.h"

namespace dlscope::core::wire {
namespace {

// A cut text has a mark of this many bytes at most behind it (put_capped).
constexpr std::size_t kMostText = kMaxAnswerTextBytes + 64;

void put_text(PayloadWriter& out, std::string_view text) { put_capped(out, text, kMaxAnswerTextBytes); }
std::string get_text(PayloadReader& in) { return get_repaired(in, kMostText); }

void put(PayloadWriter& out, const StructField& field) {
  put_text(out, field.name);
  put_text(out, field.type);
  out.number(field.offset);
  out.number(field.size);
  const auto bytes = std::span(field.bytes).first(std::min(field.bytes.size(), kMaxStructFieldBytes));
  out.number(static_cast<std::uint8_t>(bytes.size()));
  out.numbers(std::span<const std::byte>(bytes));
}
StructField get_field(PayloadReader& in, std::uint64_t block_size) {
  StructField field;
  field.name = get_text(in);
  field.type = get_text(in);
  field.offset = in.number<std::uint64_t>();
  field.size = in.number<std::uint64_t>();
  const auto count = in.number<std::uint8_t>();
  const bool inside = field.offset <= block_size && field.size <= block_size - field.offset;
  if (!inside || count > kMaxStructFieldBytes || count > field.size) {
    in.fail();
    return field;
  }
  field.bytes.resize(count);
  in.numbers(std::span<std::byte>(field.bytes));
  return field;
}

void put(PayloadWriter& out, const StructBlock& block) {
  put_text(out, block.title);
  out.number(block.address);
  out.number(block.size);
  put_list(out, block.fields, kMaxStructFields, [&](const StructField& field) { put(out, field); });
}
StructBlock get_block(PayloadReader& in) {
  StructBlock block;
  block.title = get_text(in);
  block.address = in.number<Address>();
  block.size = in.number<std::uint64_t>();
  get_list(in, block.fields, kMaxStructFields, [&] { return get_field(in, block.size); });
  return block;
}

}  // namespace

const StructField* StructBlock::field(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &StructField::name);
  return found == fields.end() ? nullptr : &*found;
}

const StructBlock* StructAnswer::block(std::string_view title) const {
  const auto one = std::ranges::find(blocks, title, &StructBlock::title);
  return one == blocks.end() ? nullptr : &*one;
}

std::string encode(const StructAnswer& answer) {
  PayloadWriter out;
  out.flag(answer.found);
  put_text(out, answer.not_called);
  out.number(static_cast<std::uint8_t>(answer.protocol));
  put_text(out, answer.capsule);
  out.flag(answer.held);
  out.flag(answer.taken);
  put_text(out, answer.format);
  put_list(out, answer.blocks, kMaxStructBlocks, [&](const StructBlock& block) { put(out, block); });
  put_list(out, answer.interface, kMaxStructFields, [&](const auto& entry) {
    put_text(out, entry.first);
    put_text(out, entry.second);
  });
  return as_text(out.take());
}

Result<StructAnswer> decode_struct_answer(std::string_view bytes) {
  PayloadReader in(std::as_bytes(std::span(bytes)));
  StructAnswer answer;
  answer.found = in.flag();
  answer.not_called = get_text(in);
  answer.protocol = in.choice(Protocol::attributes);
  answer.capsule = get_text(in);
  answer.held = in.flag();
  answer.taken = in.flag();
  answer.format = get_text(in);
  get_list(in, answer.blocks, kMaxStructBlocks, [&] { return get_block(in); });
  get_list(in, answer.interface, kMaxStructFields, [&] {
    std::string key = get_text(in);
    return std::pair(std::move(key), get_text(in));
  });
  return checked(std::move(answer), in);
}

std::string encode(const ProtocolsAnswer& answer) {
  PayloadWriter out;
  out.flag(answer.found);
  out.flag(answer.is_capsule);
  put_text(out, answer.not_called);
  put_list(out, answer.lines, kMaxProtocolLines, [&](const ProtocolLine& line) {
    put_text(out, line.name);
    out.flag(line.offered);
    out.flag(line.accepted);
    put_text(out, line.type);
    put_text(out, line.message);
  });
  return as_text(out.take());
}

Result<ProtocolsAnswer> decode_protocols_answer(std::string_view bytes) {
  PayloadReader in(std::as_bytes(std::span(bytes)));
  ProtocolsAnswer answer;
  answer.found = in.flag();
  answer.is_capsule = in.flag();
  answer.not_called = get_text(in);
  get_list(in, answer.lines, kMaxProtocolLines, [&] {
    ProtocolLine line;
    line.name = get_text(in);
    line.offered = in.flag();
    line.accepted = in.flag();
    line.type = get_text(in);
    line.message = get_text(in);
    return line;
  });
  return checked(std::move(answer), in);
}

}  // namespace dlscope::core::wire
