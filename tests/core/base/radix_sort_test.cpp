#include "core/base/radix_sort.h"

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <vector>

using namespace dlscope::core;

namespace {

struct Record {
  std::uint64_t key = 0;
  std::uint32_t place = 0;  // before sorting
  friend bool operator==(const Record&, const Record&) = default;
};

}  // namespace

TEST_CASE("Records are sorted by key as a stable comparison sort does, whatever digits the keys have", "[core][base]") {
  std::mt19937_64 random(71);
  // Few records, more than are compared; keys of all 64 bits, of low bits, of high bits, all equal, already sorted.
  for (const std::size_t size : {0u, 1u, 2u, 511u, 512u, 513u, 5'000u}) {
    for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0xff}, std::uint64_t{0xfff} << 52, std::uint64_t{0},
                                     std::uint64_t{1} << 63, (std::uint64_t{1} << 22) - (std::uint64_t{1} << 9)}) {
      for (const bool is_sorted : {false, true}) {
        std::vector<Record> records(size);
        for (Record& record : records) record.key = random() & mask;
        if (is_sorted) std::ranges::sort(records, {}, &Record::key);
        for (std::uint32_t i = 0; i < size; ++i) records[i].place = i;
        std::vector<Record> expected = records;
        std::ranges::stable_sort(expected, {}, &Record::key);
        sort_by_key(records, [](const Record& record) { return record.key; });
        INFO(size << " records, keys within " << mask);
        REQUIRE(records == expected);
      }
    }
  }
}
