// Mutated files: each is read or refused, and nothing else happens. DLSCOPE_FUZZ_ROUNDS: how many (for a long run by hand).
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <random>

#include "core/files/safetensors_header.h"
#include "core/files/zip_archive.h"
#include "core/inventory/sanitise.h"
#include "file_bytes.h"

namespace dlscope::core {
namespace {

using test::Bytes;
using test::reading;

Bytes mutated(Bytes file, std::mt19937_64& chance) {
  for (std::uint64_t n = 1 + chance() % 5; n > 0 && !file.empty(); --n) {
    const std::size_t at = chance() % std::min<std::size_t>(file.size(), chance() % 4 == 0 ? file.size() : 200);
    switch (chance() % 5) {
      case 0:
        file[at] = static_cast<char>(chance());
        break;
      case 1:
        file[at] = static_cast<char>(file[at] ^ (1 << chance() % 8));
        break;
      case 2:
        file.erase(at, 1 + chance() % 8);
        break;
      case 3:
        file.insert(at, 1 + chance() % 8, "0123456789{}[](),:'\"-\xff"[chance() % 23]);
        break;
      default:
        file.replace(at, std::min<std::size_t>(8, file.size() - at), file.substr(chance() % file.size(), 8));
    }
  }
  if (chance() % 16 == 0) file.resize(chance() % (file.size() + 1));
  return file;
}

void inside(std::uint64_t offset, std::uint64_t bytes, const Bytes& file) {
  if (offset > file.size() || bytes > file.size() - offset) FAIL("what was accepted leaves the file");
}

void read_all(const Bytes& file, int kind) {
  if (kind == 0) {
    if (const auto header = read_npy_header(reading(file))) inside(header->data_offset, 0, file);
  } else if (kind == 1) {
    const auto header = read_safetensors_header(file.size(), reading(file));
    if (!header) return;
    for (const SafetensorsEntry& entry : header->tensors) inside(entry.offset, entry.bytes, file);
    for (const FileMetadata::Entry& entry : header->metadata.entries)
      if (!is_sanitised(entry.key) || !is_sanitised(entry.text)) FAIL("text of a file is not safe to draw");
  } else if (const auto entries = read_zip_directory(file.size(), reading(file))) {
    for (const ZipEntry& entry : *entries) {
      inside(entry.data_offset, entry.packed_bytes, file);
      if (entry.method != ZipMethod::deflated || entry.bytes > 1 << 20) continue;
      std::vector<std::byte> out(entry.bytes);
      static_cast<void>(unpack_zip_entry(entry, reading(file), out));
    }
  }
}

}  // namespace

TEST_CASE("mutated files are read or refused, nothing else", "[core][files][fuzz]") {
  const char* const asked = std::getenv("DLSCOPE_FUZZ_ROUNDS");
  const std::uint64_t rounds = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 60'000;
  const Bytes array = test::npy("<f4", "(2, 3)", Bytes(24, 'x'));
  const Bytes files[] = {array,
                         test::safetensors(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                                               "b": {"dtype": "U8", "shape": [3, 1], "data_offsets": [8, 11]}})",
                                           Bytes(11, 'x')),
                         test::zip({{"a.npy", array, false}, {"b.npy", array, true}}),
                         test::zip({{"a.npy", array, true}, {"b.npy", array, false}}, true)};
  std::mt19937_64 chance(20261122);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::size_t which = chance() % 4;
    read_all(mutated(files[which], chance), static_cast<int>(std::min<std::size_t>(which, 2)));
  }
  SUCCEED("every one came back");
}

}  // namespace dlscope::core
