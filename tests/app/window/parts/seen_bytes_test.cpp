// Whether a frame would show other bytes, judged by reading again what the last one read.
#include "app/window/shown/seen_bytes.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace dlscope::app {
namespace {

// 64 bytes at 0x1000; those from `end` on cannot be read.
class SmallMemory final : public core::MemoryReader {
 public:
  std::size_t read(core::Address from, std::span<std::byte> out) const override {
    ++reads;
    const std::size_t first = from < 0x1000 ? end : static_cast<std::size_t>(from - 0x1000);
    const std::size_t got = first >= end ? 0 : std::min(out.size(), end - first);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(first < end ? first : 0), got, out.begin());
    return got;
  }
  ReadStatus last_status() const override { return status; }
  std::array<std::byte, 64> bytes{};
  std::size_t end = 64;
  ReadStatus status = ReadStatus::fresh;
  mutable int reads = 0;
};

struct Frame {
  SmallMemory memory;
  SeenBytes seen;

  // Reads [8, 16) in one piece, and the bytes 20, 30 and 70 (which does not exist) each by itself.
  void draw() {
    const core::MemoryReader* const reader = seen.through(&memory);
    seen.begin_frame(true);
    std::array<std::byte, 8> piece{};
    CHECK(reader->read(0x1008, piece) == 8);
    const std::array<core::Address, 3> places = {0x1014, 0x101e, 0x1046};
    std::array<std::byte, 3> out{};
    std::array<std::uint8_t, 3> complete{};
    reader->gather(places, 1, out, complete);
    CHECK(complete == std::array<std::uint8_t, 3>{1, 1, 0});
  }
};

}  // namespace

TEST_CASE("of all bytes of the memory exactly those that were read make a change", "[app][seen]") {
  Frame frame;
  frame.draw();
  CHECK_FALSE(frame.seen.changed());
  for (std::size_t i = 0; i < frame.memory.bytes.size(); ++i) {
    frame.draw();
    frame.memory.bytes[i] ^= std::byte{1};
    INFO(i);
    CHECK(frame.seen.changed() == ((i >= 8 && i < 16) || i == 20 || i == 30));
    frame.draw();  // it is on the screen
    CHECK_FALSE(frame.seen.changed());
  }
}

TEST_CASE("memory that can no longer be read is a change, what has not arrived is none", "[app][seen]") {
  Frame frame;
  frame.draw();
  frame.memory.end = 25;
  CHECK(frame.seen.changed());
  frame.memory.end = 12;
  CHECK(frame.seen.changed());
  frame.memory.status = core::MemoryReader::ReadStatus::pending;
  CHECK_FALSE(frame.seen.changed());
}

TEST_CASE("where it is not known whether anything changed, a frame is drawn", "[app][seen]") {
  Frame frame;
  CHECK(frame.seen.changed());  // nothing was drawn yet
  frame.draw();
  frame.seen.begin_frame(false);  // drawn without notes
  std::array<std::byte, 8> piece{};
  CHECK(frame.seen.read(0x1008, piece) == 8);
  const int before = frame.memory.reads;
  CHECK(frame.seen.changed());
  CHECK(frame.memory.reads == before);

  frame.draw();
  SmallMemory other;
  CHECK(frame.seen.through(&other) == &frame.seen);
  CHECK(frame.seen.changed());
  CHECK(frame.seen.through(nullptr) == nullptr);

  frame.draw();
  std::vector<std::byte> much(SeenBytes::kMaxBytes);
  CHECK(frame.seen.read(0x1000, much) == 64);
  CHECK(frame.seen.changed());
}

}  // namespace dlscope::app
