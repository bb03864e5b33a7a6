#include "app/models/hex/byte_search.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace dlscope::app {
namespace {

constexpr core::Address kPage = 4096;

// Bytes from an address on; some pages cannot be read.
class Memory final : public core::MemoryReader {
 public:
  Memory(core::Address begin, std::size_t size) : bytes(size), begin_(begin), lost_((size + kPage - 1) / kPage) {}
  std::size_t read(core::Address from, std::span<std::byte> out) const override {
    std::size_t got = 0;
    for (; got < out.size(); ++got) {
      const std::uint64_t at = from + got - begin_;
      if (at >= bytes.size() || lost_[at / kPage]) break;
      out[got] = bytes[at];
    }
    return got;
  }
  void lose(std::size_t page) { lost_[page] = true; }
  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
  [[nodiscard]] bool is_lost(std::size_t at) const { return lost_[at / kPage]; }

  std::vector<std::byte> bytes;

 private:
  core::Address begin_;
  std::vector<bool> lost_;
};

std::optional<OwnNumbers> numbers(const char* dtype) {
  if (dtype == nullptr) return std::nullopt;
  const core::DType own = core::dtype_from_name(dtype).value();
  return OwnNumbers{{own}, own.item_bits()};
}

BytePattern pattern(const char* text, const char* own = nullptr) {
  auto made = BytePattern::parse(text, numbers(own));
  INFO((made ? "" : made.error().message));
  REQUIRE(made);
  return *made;
}

std::string problem(const char* text, const char* own = nullptr) {
  const auto made = BytePattern::parse(text, numbers(own));
  return made ? "" : made.error().message;
}

ByteSearch search_for(const BytePattern& what, core::Address first, core::Address last, bool forward) {
  return {.pattern = what,
          .first = first,
          .last = last,
          .from = forward ? first : last,
          .forward = forward,
          .most = std::numeric_limits<std::uint64_t>::max()};
}

const auto kGoOn = [](std::uint64_t) { return true; };

}  // namespace

TEST_CASE("What is typed is understood as bytes, as text or as a value", "[app][models][hex]") {
  CHECK(pattern("de ad be ef").size() == 4);
  CHECK(pattern("0xDEADbeef").size() == 4);
  CHECK(pattern("de ?? ef").size() == 3);
  CHECK(pattern("'tensor'").size() == 6);
  CHECK(pattern("\"tensor\"").description() == "the text “tensor”");
  CHECK(pattern("float32 1.5").size() == 4);
  CHECK_FALSE(pattern("float32 1.5", "float32").is_of_own());
  CHECK(pattern("= 1.5", "float64").size() == 8);
  CHECK(pattern("= 1.5", "float64").is_of_own());
  CHECK(pattern("nan:1", "float64").is_of_own());
  CHECK(pattern("nan", "float16").description() == "float16 NaN");
  CHECK(pattern("float32 nan:0x12").description() == "float32 NaN with payload 0x12");
  CHECK_FALSE(problem("").empty());
  CHECK_FALSE(problem("dea").empty());
  CHECK_FALSE(problem("zz").empty());
  CHECK_FALSE(problem("?? ??").empty());
  CHECK(problem("= 1.5") == "Which dtype? Name it in front of the value, as in float32 1.5.");
  CHECK(problem("uint8 300").find("cannot hold 300") != std::string::npos);
  CHECK(problem("int32 nan") == "int32 has no NaN.");
  CHECK(problem("int4 3").find("whole bytes") != std::string::npos);
  CHECK(problem("float8_e4m3fn nan:1") == "float8_e4m3fn has no NaN with a payload.");
  CHECK(problem("float32 nan:0x400000") == "A payload of float32 is a number from 0 to 0x3fffff.");
}

TEST_CASE("NaN is found by its payload, whatever its sign and whether it is quiet", "[app][models][hex]") {
  Memory memory(0x1000, 64);
  memory.put(8, 0x7f800000U);   // infinity
  memory.put(16, 0x7fc00000U);  // NaN without a payload
  memory.put(24, 0xff800012U);  // signalling
  memory.put(32, 0x7fc00012U);  // quiet
  const auto all = [&](const char* text) {
    std::vector<core::Address> found;
    ByteSearch search = search_for(pattern(text), 0x1000, 0x103f, true);
    while (const auto at = search_bytes(search, memory, kGoOn).address) {
      found.push_back(*at - 0x1000);
      search.from = *at + 1;
    }
    return found;
  };
  CHECK(all("float32 nan") == std::vector<core::Address>{16, 24, 32});
  CHECK(all("float32 nan:0") == std::vector<core::Address>{16});
  CHECK(all("float32 nan:0x12") == std::vector<core::Address>{24, 32});
  CHECK(all("float32 inf") == std::vector<core::Address>{8});
}

TEST_CASE("A search finds what looking at every place finds, in both directions, across pieces and lost pages",
          "[app][models][hex]") {
  constexpr core::Address kAt = 0x7f3a10200000;
  constexpr std::size_t kSize = (std::size_t{2} << 20) + 5000;
  Memory memory(kAt, kSize);
  std::mt19937 chance(20261122);
  for (std::byte& byte : memory.bytes) byte = static_cast<std::byte>(chance() % 3);
  for (const std::size_t page : {1, 2, 200, 256, 300}) memory.lose(page);
  const BytePattern what = pattern("01 02 01 ?? 02 02 01 01 00 02 01");
  std::vector<core::Address> expected;
  for (std::size_t at = 0; at + what.size() <= kSize; ++at) {
    bool whole = true;
    for (std::size_t i = 0; i < what.size(); ++i) whole = whole && !memory.is_lost(at + i);
    if (whole && what.find(std::span(memory.bytes).subspan(at, what.size()), 0)) expected.push_back(kAt + at);
  }
  REQUIRE(expected.size() > 10);
  std::vector<core::Address> forward, backward;
  ByteSearch search = search_for(what, kAt, kAt + kSize - 1, true);
  while (const auto at = search_bytes(search, memory, kGoOn).address) {
    forward.push_back(*at);
    search.from = *at + 1;
  }
  CHECK(forward == expected);
  search = search_for(what, kAt, kAt + kSize - 1, false);
  while (const auto at = search_bytes(search, memory, kGoOn).address) {
    backward.push_back(*at);
    search.from = *at - 1;
  }
  std::ranges::reverse(backward);
  CHECK(backward == expected);
  const ByteSearchFound none = search_bytes(search_for(pattern("07 07"), kAt, kAt + kSize - 1, true), memory, kGoOn);
  CHECK_FALSE(none.address.has_value());
  CHECK(none.searched == kSize - 1);
  CHECK(none.unreadable == 5 * kPage);
}

TEST_CASE("Values are found at any byte, or where the elements of a tensor may lie", "[app][models][hex]") {
  Memory memory(0x1001, 64);
  memory.put(6, 1.5F);   // across two elements
  memory.put(20, 1.5F);  // counted from 0x1001 it is one
  ByteSearch search = search_for(pattern("float32 1.5"), 0x1001, 0x1040, true);
  CHECK(search_bytes(search, memory, kGoOn).address == 0x1001 + 6);
  search.origin = 0x1001;
  search.step = 4;
  CHECK(search_bytes(search, memory, kGoOn).address == 0x1001 + 20);
  ByteSearch back = search_for(pattern("float32 1.5"), 0x1001, 0x1040, false);
  CHECK(search_bytes(back, memory, kGoOn).address == 0x1001 + 20);
  back.from = 0x1001 + 19;
  CHECK(search_bytes(back, memory, kGoOn).address == 0x1001 + 6);
  back.origin = 0x1001;
  back.step = 4;
  CHECK_FALSE(search_bytes(back, memory, kGoOn).address.has_value());
}

TEST_CASE("A search works up to the last byte of the address space", "[app][models][hex]") {
  constexpr core::Address kEnd = std::numeric_limits<core::Address>::max();
  Memory memory(kEnd - 4095, 4096);
  memory.put(4094, std::uint16_t{0xadde});
  CHECK(search_bytes(search_for(pattern("de ad"), kEnd - 4095, kEnd, true), memory, kGoOn).address == kEnd - 1);
  CHECK(search_bytes(search_for(pattern("de ad"), kEnd - 4095, kEnd, false), memory, kGoOn).address == kEnd - 1);
  CHECK_FALSE(search_bytes(search_for(pattern("de ad"), kEnd, kEnd, true), memory, kGoOn).address.has_value());
}

TEST_CASE("A search that was cut off says where it goes on", "[app][models][hex]") {
  Memory memory(0x100000, std::size_t{3} << 20);
  memory.put((std::size_t{2} << 20) + 77, std::uint32_t{0xefbeadde});
  ByteSearch search = search_for(pattern("de ad be ef"), 0x100000, 0x100000 + memory.bytes.size() - 1, true);
  search.most = 1;
  ByteSearchFound found = search_bytes(search, memory, kGoOn);
  int rounds = 1;
  for (; found.next; ++rounds) {
    search.from = *found.next;
    found = search_bytes(search, memory, kGoOn);
  }
  CHECK(rounds == 3);
  CHECK(found.address == 0x100000 + (core::Address{2} << 20) + 77);
  const ByteSearchFound stopped =
      search_bytes(search_for(pattern("07"), 0x100000, 0x1fffff, false), memory, [](std::uint64_t) { return false; });
  CHECK(stopped.next == 0x1fffff);
  CHECK(stopped.searched == 0);
}

}  // namespace dlscope::app
