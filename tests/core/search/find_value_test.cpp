#include "core/search/find_value.h"

#include <sys/mman.h>

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "core/inventory/snapshot_builder.h"
#include "core/search/searched_values.h"
#include "core/tensor/typed_item.h"
#include "tests/core/search/searched_snapshot.h"
#include "tests/support/local_tensor.h"
#include "tests/support/meeting_reader.h"

namespace dlscope::core {
namespace {

ValueMatches search(const SnapshotPtr& snapshot, SearchedValue sought, const char* text, std::uint64_t from, unsigned threads = 0) {
  const std::shared_ptr<const MemoryReader> reader = process_reader(0).value();
  FindValueTask task(snapshot, 0, reader, ValueTest::make(snapshot->tensors[0].dtype, sought, text).value(), from, threads);
  std::uint64_t before = 0;
  std::optional<std::uint64_t> certain;
  for (;;) {
    const auto state = task.step();
    REQUIRE(state);
    if (!certain && task.next_is_certain()) certain = task.found().next;
    CHECK(task.progress().done >= before);
    CHECK(task.progress().done <= task.progress().total);
    before = task.progress().done;
    if (*state == Task::State::done) break;
  }
  CHECK(task.progress().done == task.progress().total);
  CHECK(task.next_is_certain() == task.found().next.has_value());
  CHECK(certain == task.found().next);
  return task.found();
}

TEST_CASE("every match is counted and the first two are the right ones, in any layout", "[core][search]") {
  std::mt19937 random(11);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  std::vector<std::int32_t> memory(200'000);  // a layout reaches up to 72 000 values from its middle
  for (auto& value : memory) value = pick(0, 40);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int64_t> shape, strides;
    for (int axis = pick(0, 3); axis-- > 0;) {
      shape.push_back(pick(1, 12));
      strides.push_back(pick(0, 3) == 0 ? 0 : pick(-60, 60) * 4);
    }
    if (pick(0, 1) == 0 && !shape.empty()) shape.back() = pick(1, 500);
    const Layout layout = pick(0, 1) ? Layout::c_order(shape, 32) : Layout::from_byte_strides(shape, strides, 32);
    const std::int32_t* const middle = memory.data() + memory.size() / 2;
    const SnapshotPtr snapshot = snapshot_of(middle, *dtype_from_name("int32"), layout);
    const std::uint64_t elements = snapshot->tensors[0].elements;
    const auto from = static_cast<std::uint64_t>(pick(0, static_cast<int>(elements)));
    ValueMatches expected;
    for (std::uint64_t i = 0; i < elements; ++i) {
      if (middle[bit_offset_of(layout, i) / 32] != 7) continue;
      ++expected.matches;
      if (!expected.first) expected.first = i;
      if (!expected.next && i >= from) expected.next = i;
    }
    const ValueMatches found = search(snapshot, SearchedValue::equal, "7", from);
    REQUIRE(found.matches == expected.matches);
    REQUIRE(found.first == expected.first);
    REQUIRE(found.next == expected.next);
    REQUIRE(found.searched == elements);
    REQUIRE(found.unreadable == 0);
  }
}

// Texts and dates in any layout, also with elements that overlap, found as comparing them one by one finds them.
TEST_CASE("texts, dates and durations are found whatever their layout and byte order", "[core][search]") {
  std::mt19937 random(17);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  struct Case {
    ItemType item;
    const char* text;
  };
  const Case cases[] = {{text_item(ItemKind::byte_text, 3, false), "ab"},
                        {text_item(ItemKind::byte_text, 1, false), "b"},
                        {text_item(ItemKind::ucs4_text, 2, false), "'a'"},
                        {text_item(ItemKind::ucs4_text, 2, true), "a"},
                        {date_item(ItemKind::date, DateUnit::day, 1, false), "1970-01-02"},
                        {date_item(ItemKind::date, DateUnit::ns, 1, true), "NaT"},
                        {date_item(ItemKind::duration, DateUnit::second, 25, true), "25 s"}};
  const std::shared_ptr<const MemoryReader> reader = process_reader(0).value();
  std::vector<std::byte> memory(1'400'000);
  for (const Case& one : cases) {
    const std::size_t size = one.item.bytes;
    const auto wanted = typed_item(one.item.fields[0].layout, one.text).value();
    for (std::byte& byte : memory) byte = wanted[random() % size];
    for (int round = 0; round < 60; ++round) {
      std::vector<std::int64_t> shape, strides;
      for (int axis = pick(0, 3); axis-- > 0;) {
        shape.push_back(pick(1, 12));
        strides.push_back(pick(0, 3) == 0 ? 0 : pick(-200, 200));
      }
      if (pick(0, 2) == 0 && !shape.empty()) shape.back() = pick(1, 500);
      const unsigned bits = static_cast<unsigned>(size) * 8;
      const Layout layout = pick(0, 1) ? Layout::c_order(shape, bits) : Layout::from_byte_strides(shape, strides, bits);
      const std::byte* const middle = memory.data() + memory.size() / 2;
      const SnapshotPtr snapshot = tests::local_tensor(middle, one.item, layout);
      const std::uint64_t elements = snapshot->tensors[0].elements;
      for (std::uint64_t i = 0; i < elements; ++i)
        if (pick(0, 2) == 0) std::memcpy(const_cast<std::byte*>(middle) + bit_offset_of(layout, i) / 8, wanted.data(), size);
      const auto from = static_cast<std::uint64_t>(pick(0, static_cast<int>(elements)));
      ValueMatches expected;
      for (std::uint64_t i = 0; i < elements; ++i) {
        if (std::memcmp(middle + bit_offset_of(layout, i) / 8, wanted.data(), size) != 0) continue;
        ++expected.matches;
        if (!expected.first) expected.first = i;
        if (!expected.next && i >= from) expected.next = i;
      }
      FindValueTask task(snapshot, 0, reader, value_test(*snapshot, snapshot->tensors[0], SearchedValue::equal, one.text).value(), from);
      while (task.step().value() == Task::State::more) {
      }
      const ValueMatches found = task.found();
      INFO(one.item.name << " equal to " << one.text << ", " << elements << " elements");
      REQUIRE(found.matches == expected.matches);
      REQUIRE(found.first == expected.first);
      REQUIRE(found.next == expected.next);
      REQUIRE(found.searched == elements);
      REQUIRE(task.tested() <= 2 * elements);
    }
  }
}

TEST_CASE("many texts are searched by several threads, and around what cannot be read", "[core][search]") {
  constexpr std::size_t kPage = 4096, kBytes = 4 << 20;
  auto* const pages = static_cast<std::byte*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pages != MAP_FAILED);
  constexpr std::size_t kSize = 12;  // U3: no whole number of them in a page, nor in what is read at once
  constexpr std::uint64_t kCount = kBytes / kSize;
  for (const std::uint64_t at : {std::uint64_t{5}, std::uint64_t{70'001}, kCount - 1}) pages[at * kSize] = std::byte{'x'};
  REQUIRE(mprotect(pages + (2 << 20), kPage, PROT_NONE) == 0);
  const auto snapshot = tests::local_tensor(pages, text_item(ItemKind::ucs4_text, 3, false),
                                            Layout::c_order({static_cast<std::int64_t>(kCount)}, kSize * 8));
  for (const unsigned threads : {1U, 3U}) {
    FindValueTask task(snapshot, 0, process_reader(0).value(),
                       value_test(*snapshot, snapshot->tensors[0], SearchedValue::equal, "x").value(), 6, threads);
    while (task.step().value() == Task::State::more) {
    }
    CHECK(task.found().matches == 3);
    CHECK(task.found().first == 5);
    CHECK(task.found().next == 70'001);
    CHECK(task.found().searched == kCount);
    const std::uint64_t first_lost = (2 << 20) / kSize, last_lost = ((2 << 20) + kPage - 1) / kSize;
    CHECK(task.found().unreadable == last_lost - first_lost + 1);
  }
  munmap(pages, kBytes);
}

TEST_CASE("NaT is what is special in dates, and texts have nothing of the sort", "[core][search]") {
  const std::vector<std::int64_t> memory{1, INT64_MIN, 0, INT64_MIN};
  const auto dates = tests::local_tensor(memory.data(), date_item(ItemKind::date, DateUnit::ms, 1, false), Layout::c_order({4}, 64));
  const auto count = [&](SearchedValue sought) {
    FindValueTask task(dates, 0, process_reader(0).value(), value_test(*dates, dates->tensors[0], sought).value(), 0);
    while (task.step().value() == Task::State::more) {
    }
    return task.found().matches;
  };
  CHECK(count(SearchedValue::nan) == 2);
  CHECK(count(SearchedValue::special) == 2);
  CHECK(count(SearchedValue::non_finite) == 2);
  CHECK(count(SearchedValue::infinite) == 0);
  CHECK(count(SearchedValue::subnormal) == 0);
  const auto texts = tests::local_tensor(memory.data(), text_item(ItemKind::byte_text, 8, false), Layout::c_order({4}, 64));
  CHECK_FALSE(value_test(*texts, texts->tensors[0], SearchedValue::nan));
}

TEST_CASE("no value is tested more than twice, in whatever order the elements lie and however many match", "[core][search]") {
  const std::vector<std::uint8_t> zeros(65'536, 0);
  const std::shared_ptr<const MemoryReader> reader = process_reader(0).value();
  for (const Layout& layout : {Layout::c_order({256, 256}, 8), Layout::from_byte_strides({256, 256}, {1, 256}, 8)}) {
    const SnapshotPtr snapshot = snapshot_of(zeros.data(), *dtype_from_name("uint8"), layout);
    for (const std::uint64_t from : {0, 40'000, 65'536}) {
      FindValueTask task(snapshot, 0, reader,
                         ValueTest::make(snapshot->tensors[0].dtype, SearchedValue::equal, "0").value(), from);
      while (task.step().value() == Task::State::more) {
      }
      CHECK(task.found().matches == 65'536);
      CHECK(task.found().next == (from < 65'536 ? std::optional<std::uint64_t>(from) : std::nullopt));
      CHECK(task.tested() <= 2 * 65'536);
    }
  }
}

TEST_CASE("behind the last element there is no match", "[core][search]") {
  const std::vector<std::int32_t> memory{0, 7, 0, 7, 0, 7};
  for (const Layout& layout :
       {Layout::c_order({6}, 32), Layout::c_order({2, 3}, 32), Layout::from_byte_strides({2, 6}, {0, 4}, 32)}) {
    const SnapshotPtr snapshot = snapshot_of(memory.data(), *dtype_from_name("int32"), layout);
    const std::uint64_t elements = snapshot->tensors[0].elements;
    for (const std::uint64_t from : {elements, elements + 1, elements * 3, ~std::uint64_t{0}}) {
      const ValueMatches found = search(snapshot, SearchedValue::equal, "7", from);
      CHECK(found.matches == elements / 2);
      CHECK(found.first == 1);
      CHECK_FALSE(found.next);
    }
  }
}

TEST_CASE("a lone NaN at the end of a long tensor is found", "[core][search]") {
  std::vector<float> memory(3'000'001, 1.0f);
  memory.back() = -std::numeric_limits<float>::quiet_NaN();
  const auto snapshot =
      snapshot_of(memory.data(), *dtype_from_name("float32"), Layout::c_order({static_cast<std::int64_t>(memory.size())}, 32));
  const ValueMatches found = search(snapshot, SearchedValue::nan, "", 5);
  CHECK(found.matches == 1);
  CHECK(found.first == memory.size() - 1);
  CHECK(found.next == memory.size() - 1);
}

TEST_CASE("packed values are found one by one, and a page that cannot be read hides its own only", "[core][search]") {
  std::vector<std::uint8_t> packed(1000, 0x21);
  packed[500] = 0x71;
  const auto nibbles = snapshot_of(packed.data(), *dtype_from_name("uint4"), Layout::c_order({2000}, 4));
  const ValueMatches found = search(nibbles, SearchedValue::equal, "7", 0);
  CHECK(found.matches == 1);
  CHECK(found.first == 1001);

  constexpr std::size_t kPage = 4096;
  auto* const pages =
      static_cast<std::uint8_t*>(mmap(nullptr, 5 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pages != MAP_FAILED);
  pages[10] = pages[2 * kPage + 1] = pages[4 * kPage] = 9;
  REQUIRE(mprotect(pages + 2 * kPage, kPage, PROT_NONE) == 0);
  const auto holed = snapshot_of(pages, *dtype_from_name("uint8"), Layout::c_order({static_cast<std::int64_t>(5 * kPage)}, 8));
  const ValueMatches around = search(holed, SearchedValue::equal, "9", 11);
  CHECK(around.matches == 2);
  CHECK(around.first == 10);
  CHECK(around.next == 4 * kPage);
  CHECK(around.unreadable == kPage);
  munmap(pages, 5 * kPage);
}

TEST_CASE("several threads find what one finds, in any order of memory", "[core][search]") {
  constexpr std::int64_t kRows = 1200, kColumns = 1000;  // five chunks
  std::mt19937 random(5);
  std::vector<float> memory(kRows * kColumns, 1.0f);
  const Layout layouts[] = {Layout::c_order({kRows, kColumns}, 32), Layout::from_element_strides({kColumns, kRows}, {1, kColumns}, 32),
                            Layout::from_element_strides({kRows, 3, kColumns}, {kColumns, 0, 1}, 32)};
  for (const int matches : {0, 1, 7, 5000}) {
    for (int i = 0; i < matches; ++i) memory[random() % memory.size()] = 2.0f;
    for (const Layout& layout : layouts) {
      const auto snapshot = snapshot_of(memory.data(), *dtype_from_name("float32"), layout);
      const std::uint64_t from = random() % snapshot->tensors[0].elements;
      const ValueMatches alone = search(snapshot, SearchedValue::equal, "2", from, 1);
      std::optional<std::uint64_t> next;
      for (std::uint64_t i = from; i < snapshot->tensors[0].elements && !next; ++i)
        if (memory[static_cast<std::size_t>(bit_offset_of(layout, i) / 32)] == 2.0f) next = i;
      CHECK(alone.next == next);
      for (const unsigned threads : {0U, 2U, 5U}) {
        const ValueMatches found = search(snapshot, SearchedValue::equal, "2", from, threads);
        CHECK(found.matches == alone.matches);
        CHECK(found.first == alone.first);
        CHECK(found.next == alone.next);
        CHECK(found.searched == alone.searched);
      }
    }
  }
}

TEST_CASE("a step of a search uses as many threads as it may", "[core][search]") {
  const std::vector<float> memory(1 << 20, 1.0f);
  const auto snapshot = snapshot_of(memory.data(), *dtype_from_name("float32"), Layout::c_order({1 << 20}, 32));
  const auto reader = std::make_shared<tests::MeetingReader>();
  FindValueTask task(snapshot, 0, reader, ValueTest::make(snapshot->tensors[0].dtype, SearchedValue::equal, "1").value(), 9, 2);
  while (task.step().value() == Task::State::more) {
  }
  CHECK(reader->met());
  CHECK(task.found().matches == 1 << 20);
  CHECK(task.found().next == 9);
  CHECK(task.tested() <= 2 << 20);
}

TEST_CASE("what cannot be read is left out by several threads as by one, and memory that hangs ends the search", "[core][search]") {
  constexpr std::size_t kBytes = 6 << 20, kPage = 4096;
  auto* const pages = static_cast<std::uint8_t*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pages != MAP_FAILED);
  for (std::size_t at = 5; at < kBytes; at += 100'000) pages[at] = 9;
  for (const std::size_t hole : {std::size_t{1} << 20, std::size_t{1} << 21, (std::size_t{3} << 20) + kPage})
    REQUIRE(mprotect(pages + hole, kPage, PROT_NONE) == 0);
  const auto snapshot = snapshot_of(pages, *dtype_from_name("uint8"), Layout::c_order({static_cast<std::int64_t>(kBytes)}, 8));
  const ValueMatches alone = search(snapshot, SearchedValue::equal, "9", 1 << 20, 1);
  CHECK(alone.unreadable == 3 * kPage);
  CHECK(alone.matches == 62);  // of 63, one lies in a hole
  CHECK(alone.next == 1'100'005);
  const ValueMatches shared = search(snapshot, SearchedValue::equal, "9", 1 << 20, 3);
  CHECK(shared.unreadable == alone.unreadable);
  CHECK(shared.matches == alone.matches);
  CHECK(shared.next == alone.next);

  class Hanging final : public MemoryReader {
   public:
    std::size_t read(Address, std::span<std::byte>) const override { return 0; }
    [[nodiscard]] ReadStatus last_status() const override { return ReadStatus::hung; }
  };
  FindValueTask task(snapshot, 0, std::make_shared<Hanging>(),
                     ValueTest::make(snapshot->tensors[0].dtype, SearchedValue::equal, "9").value(), 0, 3);
  CHECK_FALSE(task.step());
  munmap(pages, kBytes);
}

TEST_CASE("an empty tensor is searched at once", "[core][search]") {
  const auto snapshot = snapshot_of(nullptr, *dtype_from_name("float32"), Layout::c_order({0, 4}, 32));
  CHECK(search(snapshot, SearchedValue::nan, "", 0).searched == 0);
}

}  // namespace
}  // namespace dlscope::core
