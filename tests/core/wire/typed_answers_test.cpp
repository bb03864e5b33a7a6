// The typed answers: read back as written, bounded, and hostile bytes are refused or read as something that holds its bounds.
#include <catch2/catch_test_macros.hpp>

#include <random>
#include <string>

#include "core/base/utf8_text.h"
#include "core/wire/messages.h"
#include "tests/support/sample_answers.h"

namespace dlscope::core::wire {
namespace {

void holds_its_bounds(const StructAnswer& answer) {
  REQUIRE(answer.blocks.size() <= kMaxStructBlocks);
  REQUIRE(answer.interface.size() <= kMaxStructFields);
  for (const StructBlock& block : answer.blocks) {
    REQUIRE(block.fields.size() <= kMaxStructFields);
    for (const StructField& field : block.fields) {
      REQUIRE(field.bytes.size() <= std::min<std::uint64_t>(field.size, kMaxStructFieldBytes));
      REQUIRE(field.offset <= block.size);
      REQUIRE(field.size <= block.size - field.offset);
      REQUIRE(repaired_utf8(field.name) == field.name);
    }
  }
}

TEST_CASE("typed answers are read back as they were written", "[core][wire]") {
  StructAnswer full = tests::sample_struct_answer();
  full.not_called = "asking computes it";
  full.held = true;
  full.format = "<i";
  full.interface = {{"shape", "(4,)"}, {"", ""}};
  for (const StructAnswer& answer : {StructAnswer(), full}) CHECK(decode_struct_answer(encode(answer)).value() == answer);
  for (const ProtocolsAnswer& answer : {ProtocolsAnswer(), tests::sample_protocols_answer()})
    CHECK(decode_protocols_answer(encode(answer)).value() == answer);
  for (const auto& copies : {std::vector<WaitingCopy>(), tests::sample_waiting_copies()})
    CHECK(decode_waiting_copies(encode(copies)).value() == copies);
}

TEST_CASE("a typed answer travels whole in its message, whatever its bytes", "[core][wire]") {
  const Answer sent{7, "struct", encode(tests::sample_struct_answer()), ""};
  const auto got = decode_to_viewer(encode(ToViewer{sent}));
  REQUIRE(got);
  CHECK(decode_struct_answer(std::get<Answer>(*got).text).value() == tests::sample_struct_answer());
}

TEST_CASE("what is more than the bounds is left out by the sender", "[core][wire]") {
  StructAnswer many = tests::sample_struct_answer();
  many.blocks.resize(1000, many.blocks.front());
  many.blocks.front().fields.resize(1000, {"f", "t", 0, 80, std::vector<std::byte>(80)});
  many.interface.resize(1000);
  many.format.assign(100'000, 'i');
  const auto got = decode_struct_answer(encode(many));
  REQUIRE(got);
  holds_its_bounds(*got);
  CHECK(got->blocks.size() == kMaxStructBlocks);
  CHECK(got->blocks.front().fields.size() == kMaxStructFields);
  CHECK(got->blocks.front().fields.back().bytes.size() == kMaxStructFieldBytes);
  CHECK(got->format.size() < kMaxAnswerTextBytes + 64);
  CHECK(got->format.ends_with("bytes more)\n"));
  CHECK(encode(*got).size() < kMaxAnswerBytes);
}

TEST_CASE("texts that are not UTF-8 are repaired by the receiver", "[core][wire]") {
  StructAnswer foreign;
  foreign.found = true;
  foreign.format = "B\xff\xc3";
  CHECK(decode_struct_answer(encode(foreign))->format == "B\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(decode_protocols_answer(encode(ProtocolsAnswer{true, false, "\xed\xa0\x80", {}}))->not_called.size() == 9);
}

TEST_CASE("an answer that is cut or goes on behind its end is malformed", "[core][wire]") {
  const std::string good = encode(tests::sample_struct_answer()), lines = encode(tests::sample_protocols_answer()),
                    copies = encode(tests::sample_waiting_copies());
  for (std::size_t size = 0; size < good.size(); ++size) CHECK_FALSE(decode_struct_answer(good.substr(0, size)));
  for (std::size_t size = 0; size < lines.size(); ++size) CHECK_FALSE(decode_protocols_answer(lines.substr(0, size)));
  for (std::size_t size = 0; size < copies.size(); ++size) CHECK_FALSE(decode_waiting_copies(copies.substr(0, size)));
  CHECK_FALSE(decode_struct_answer(good + '\0'));
  CHECK_FALSE(decode_protocols_answer(lines + '\0'));
  CHECK_FALSE(decode_waiting_copies(copies + '\0'));
  CHECK_FALSE(decode_struct_answer(R"({"found": true, "blocks": []})"));
}

TEST_CASE("a field outside its block, or with more bytes than its size, is malformed", "[core][wire]") {
  const auto with = [](std::uint64_t offset, std::uint64_t size, std::size_t bytes) {
    StructAnswer answer;
    answer.blocks = {{"DLManagedTensor", 0xfffffffffffffff8, 80, {{"f", "t", offset, size, std::vector<std::byte>(bytes)}}}};
    return decode_struct_answer(encode(answer)).has_value();
  };
  CHECK(with(0, 80, 64));
  CHECK(with(80, 0, 0));
  CHECK_FALSE(with(81, 0, 0));
  CHECK_FALSE(with(73, 8, 8));
  CHECK_FALSE(with(0xfffffffffffffff8, 16, 8));
  CHECK_FALSE(with(8, 0xfffffffffffffff8, 8));
  CHECK_FALSE(with(0, 4, 5));
}

TEST_CASE("a list that claims more than there is, or than may be, is malformed", "[core][wire]") {
  const std::string none(4, '\xff');
  CHECK_FALSE(decode_waiting_copies(none));
  CHECK_FALSE(decode_waiting_copies(std::string("\0\x40\0\0", 4)));  // 16 Ki, and no entry
  CHECK_FALSE(decode_protocols_answer(std::string("\1\0\0\0\0\0\x11\0\0\0", 10)));
}

TEST_CASE("changed bytes of an answer never do more than fail", "[core][wire][fuzz]") {
  std::mt19937_64 random(20261124);
  StructAnswer full = tests::sample_struct_answer();
  full.interface = {{"shape", "(4,)"}};
  const std::string good = encode(full);
  std::size_t read = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = good;
    for (std::uint64_t n = 1 + random() % 4; n > 0; --n) bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto answer = decode_struct_answer(bytes);
    if (!answer) continue;
    ++read;
    holds_its_bounds(*answer);
    CHECK(decode_struct_answer(encode(*answer)).has_value());
  }
  CHECK(read > 0);
}

}  // namespace
}  // namespace dlscope::core::wire
