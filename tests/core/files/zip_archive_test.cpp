#include "core/files/zip_archive.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "file_bytes.h"

namespace dlscope::core {
namespace {

using test::reading;
using test::zip;

auto read(const std::string& file) { return read_zip_directory(file.size(), reading(file)); }

std::string unpacked(const std::string& file, const ZipEntry& entry) {
  std::vector<std::byte> out(entry.bytes);
  const auto done = unpack_zip_entry(entry, reading(file), out);
  return done ? std::string(reinterpret_cast<const char*>(out.data()), out.size()) : done.error().message;
}

}  // namespace

TEST_CASE("archives are read and unpacked, small and wide", "[core][files]") {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += static_cast<char>('a' + i % 17 * i % 5);
  for (const bool wide : {false, true}) {
    const std::string file = zip({{"a.npy", "stored", false}, {"b.npy", text, true}, {"c.npy", "", true}}, wide);
    const auto entries = read(file);
    REQUIRE(entries);
    REQUIRE(entries->size() == 3);
    CHECK((*entries)[0].method == ZipMethod::stored);
    CHECK(file.substr((*entries)[0].data_offset, 6) == "stored");
    CHECK((*entries)[1].bytes == text.size());
    CHECK(unpacked(file, (*entries)[1]) == text);
    CHECK(unpacked(file, (*entries)[2]).empty());
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{5'000}, text.size(), text.size() + 7}) {
      const auto start = unpack_zip_start((*entries)[1], reading(file), bytes);
      REQUIRE(start);
      CHECK(std::string(reinterpret_cast<const char*>(start->data()), start->size()) == text.substr(0, bytes));
    }
  }
  CHECK(read(zip({}))->empty());
}

// zlib takes the last packed byte while it still owes bytes of a repetition, and of constant arrays the border lies just there.
TEST_CASE("content is unpacked wherever a piece of the output ends", "[core][files]") {
  constexpr std::size_t kPiece = 1 << 20;
  for (const std::string_view pattern : {std::string_view("\7\0\0\0\0\0\0\0", 8), std::string_view("\0", 1), std::string_view("ab", 2)}) {
    for (std::size_t beyond = 0; beyond < 300; beyond += beyond < 8 || beyond > 250 ? 1 : 8) {
      std::string text(100, '#');
      while (text.size() < 2 * kPiece + beyond) text += pattern;
      text.resize(2 * kPiece + beyond);
      const std::string file = zip({{"a.npy", text, true}});
      const auto entries = read(file);
      REQUIRE(entries);
      INFO(beyond << " bytes beyond, the pattern has " << pattern.size());
      CHECK((unpacked(file, entries->front()) == text));
    }
  }
}

TEST_CASE("archives that lie are refused", "[core][files]") {
  const std::string good = zip({{"a.npy", std::string(1000, 'a'), true}, {"b.npy", "bb", false}});
  CHECK_FALSE(read(""));
  CHECK_FALSE(read(std::string(1000, 'x')));
  CHECK_FALSE(read(good.substr(0, good.size() - 5)));
  const std::size_t directory = good.find("PK\x01\x02");
  REQUIRE(directory != std::string::npos);
  const auto changed = [&](std::size_t at, std::uint32_t value) {
    std::string file = good;
    std::memcpy(file.data() + directory + at, &value, 4);
    return file;
  };
  CHECK_FALSE(read(changed(42, 5)));           // the local header is elsewhere
  CHECK_FALSE(read(changed(42, 0x7fffffff)));  // outside
  CHECK_FALSE(read(changed(20, 0x7fffffff)));  // more bytes than there are
  CHECK_FALSE(read(changed(24, 0x70000000)));  // a bomb: deflate cannot make that much of it
  CHECK_FALSE(read(changed(28, 0xffff)));      // the name leaves the directory
  const std::string two = zip({{"a.npy", "aaaa", false}, {"b.npy", "bbbb", false}});
  std::string overlapping = two;
  const std::size_t second = overlapping.rfind("PK\x01\x02");
  std::memset(overlapping.data() + second + 42, 0, 4);  // both are the first one
  CHECK_FALSE(read(overlapping));
}

TEST_CASE("what does not unpack to its size and checksum is refused", "[core][files]") {
  const std::string file = zip({{"a.npy", std::string(5000, 'a') + std::string(5000, 'b'), true}});
  const auto entries = read(file);
  REQUIRE(entries);
  for (const auto& change : {+[](ZipEntry& e) { e.bytes -= 1; }, +[](ZipEntry& e) { e.bytes += 1; },
                             +[](ZipEntry& e) { e.checksum ^= 1; }, +[](ZipEntry& e) { e.packed_bytes -= 3; }}) {
    ZipEntry entry = entries->front();
    change(entry);
    CHECK(unpacked(file, entry).find("cannot be unpacked") != std::string::npos);
  }
}

}  // namespace dlscope::core
