#include "core/wire/ring.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>
#include <thread>

namespace dlscope::core::wire {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

struct Ring {
  explicit Ring(std::size_t bytes = 1024) : data(bytes) {}
  RingState state{};
  std::vector<std::byte> data;
  RingWriter writer{&state, data};
  RingReader reader{&state, data};
};

TEST_CASE("an empty ring has no message", "[core][wire]") {
  Ring ring;
  RawMessage message;
  const auto read = ring.reader.read(message);
  REQUIRE(read);
  CHECK_FALSE(*read);
}

TEST_CASE("messages of every length come out as they went in, across the ring's end", "[core][wire]") {
  Ring ring;
  for (std::size_t length = 0; length < 400; ++length) {
    const auto payload = bytes_of(std::string(length, static_cast<char>('a' + length % 26)));
    REQUIRE(ring.writer.write(static_cast<std::uint16_t>(length), payload));
    RawMessage message;
    REQUIRE(ring.reader.read(message).value());
    CHECK(message.kind == length);
    CHECK(message.payload == payload);
  }
}

TEST_CASE("a full ring refuses, keeps what it has, and takes messages again once read", "[core][wire]") {
  Ring ring;
  const auto payload = bytes_of(std::string(100, 'x'));
  int written = 0;
  while (ring.writer.write(7, payload)) ++written;
  CHECK(written == 9);  // 8 bytes of header, padded to 112: 9 fit into 1024
  RawMessage message;
  REQUIRE(ring.reader.read(message).value());
  CHECK(message.payload == payload);
  CHECK(ring.writer.write(7, payload));
  CHECK_FALSE(ring.writer.write(7, payload));
  for (int i = 0; i < written; ++i) REQUIRE(ring.reader.read(message).value());
  CHECK_FALSE(ring.reader.read(message).value());
}

TEST_CASE("a payload above the limit is refused", "[core][wire]") {
  Ring ring(kRingBytes);
  const std::vector<std::byte> largest(kMaxMessageBytes);
  CHECK(ring.writer.write(1, largest));
  const std::vector<std::byte> larger(kMaxMessageBytes + 1);
  CHECK_FALSE(ring.writer.write(1, larger));
}

TEST_CASE("a reader ends with an error when the writer breaks the ring, and stays there", "[core][wire]") {
  Ring ring;
  REQUIRE(ring.writer.write(1, bytes_of("hello, host")));
  SECTION("a head far beyond the ring") { ring.state.head = 1 << 20; }
  SECTION("a head behind the tail") { ring.state.head = ~std::uint64_t{0} - 7; }
  SECTION("a head inside a message's header") { ring.state.head = 4; }
  SECTION("a head inside a message") { ring.state.head = 16; }
  SECTION("a length beyond what was written") { std::memset(ring.data.data(), 0x7f, 4); }
  SECTION("a length beyond the ring") { std::memset(ring.data.data(), 0xff, 4); }
  SECTION("a header of noise") { std::memset(ring.data.data() + 4, 0xab, 4); }
  RawMessage message;
  CHECK_FALSE(ring.reader.read(message).has_value());
  ring.state.head = 24;
  CHECK_FALSE(ring.reader.read(message).has_value());
}

TEST_CASE("a writer refuses when the reader breaks the ring, instead of overwriting", "[core][wire]") {
  Ring ring;
  REQUIRE(ring.writer.write(1, bytes_of("one")));
  SECTION("a tail ahead of the head") { ring.state.tail = 4096; }
  SECTION("a tail far behind") { ring.state.tail = ~std::uint64_t{0} - 4095; }
  const std::vector<std::byte> before = ring.data;
  CHECK_FALSE(ring.writer.write(1, bytes_of("two")));
  CHECK(ring.data == before);
}

TEST_CASE("a wake before the wait is not lost", "[core][wire]") {
  Ring ring;
  ring.reader.wake();
  ring.reader.wait(std::chrono::hours(1));  // the test's time limit is the check
  SUCCEED();
}

TEST_CASE("a wait ends at once when a message lies there", "[core][wire]") {
  Ring ring;
  REQUIRE(ring.writer.write(1, {}));
  ring.reader.wait(std::chrono::hours(1));
  ring.reader.wait(std::chrono::hours(1));
  RawMessage message;
  CHECK(ring.reader.read(message).value());
}

TEST_CASE("a wait of no time returns", "[core][wire]") {
  Ring ring;
  ring.reader.wait(std::chrono::milliseconds(0));
  ring.reader.wait(std::chrono::milliseconds(-5));
  ring.reader.wait(std::chrono::milliseconds(1));
  SUCCEED();
}

TEST_CASE("a waiting reader is woken by a message and by wake()", "[core][wire]") {
  Ring ring;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ring.reader.wake();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    while (!ring.writer.write(9, {})) std::this_thread::yield();
  });
  RawMessage message;
  while (!ring.reader.read(message).value()) ring.reader.wait(std::chrono::hours(1));
  other.join();
  CHECK(message.kind == 9);
}

TEST_CASE("two threads pass 100000 messages in order", "[core][wire]") {
  Ring ring(4096);
  constexpr std::uint32_t kMessages = 100'000;
  std::thread producer([&] {
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      const auto payload = std::as_bytes(std::span(&i, 1));
      while (!ring.writer.write(static_cast<std::uint16_t>(i), payload)) std::this_thread::yield();
    }
  });
  RawMessage message;
  std::uint32_t wrong = 0;
  for (std::uint32_t expected = 0; expected < kMessages;) {
    if (!ring.reader.read(message).value()) {
      ring.reader.wait(std::chrono::seconds(10));
      continue;
    }
    std::uint32_t got = 0;
    std::memcpy(&got, message.payload.data(), sizeof got);
    wrong += got != expected || message.kind != static_cast<std::uint16_t>(expected);
    ++expected;
  }
  producer.join();
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace dlscope::core::wire
