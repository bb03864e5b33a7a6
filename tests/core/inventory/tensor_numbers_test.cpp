// Numbers that DLPack has no dtype for, in the other byte order or in a byte of their own, against the same numbers as DLPack has them:
// statistics, searches, comparisons and pictures must be the same.
#include "core/inventory/tensor_numbers.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "core/compare/snapshot_comparison.h"
#include "core/inventory/survey.h"
#include "core/reduce/reduce_task.h"
#include "core/search/find_value.h"

namespace dlscope::core {
namespace {

const std::shared_ptr<const MemoryReader>& own_memory() {
  static const std::shared_ptr<const MemoryReader> reader = process_reader(0).value();
  return reader;
}

// A tensor of that layout and dtype, or of these items.
SnapshotPtr snapshot_of(const void* data, DType dtype, const Layout& layout, const ItemType* item = nullptr) {
  auto snapshot = std::make_shared<Snapshot>();
  TensorRecord tensor;
  tensor.address = tensor.data = reinterpret_cast<Address>(data);
  tensor.dtype = dtype;
  tensor.item_bits = layout.item_bits;
  tensor.rank = static_cast<std::uint8_t>(layout.shape.size());
  tensor.elements = 1;
  for (const auto n : layout.shape) tensor.elements *= static_cast<std::uint64_t>(n);
  tensor.has_metadata = tensor.has_layout = tensor.readable = true;
  tensor.space = kHostSpace;
  snapshot->dims = layout.shape;
  snapshot->dims.insert(snapshot->dims.end(), layout.stride_bits.begin(), layout.stride_bits.end());
  if (item != nullptr) {
    tensor.dtype = dtype_of_item(item->bytes);
    tensor.item_type = 0;
    for (const ItemField& field : item->fields) {
      snapshot->item_fields.push_back({{}, field.layout});
      if (!field.name.empty()) snapshot->item_fields.back().name.length = 1;
    }
    snapshot->item_types.push_back({{}, {0, static_cast<std::uint32_t>(item->fields.size())}, item->bytes});
  }
  snapshot->tensors.push_back(tensor);
  return snapshot;
}

TensorNumbers numbers_of_item(const ItemType& item) {
  static const std::uint64_t words[4] = {};
  const auto snapshot = snapshot_of(words, {}, Layout::c_order({1}, item.bytes * 8), &item);
  return numbers_of(*snapshot, snapshot->tensors[0]);
}

DType dtype(const char* name) { return *dtype_from_name(name); }

Statistics statistics_of(const SnapshotPtr& snapshot, bool exact) {
  TensorValues values = tensor_values(*snapshot, snapshot->tensors[0]);
  values.source = values.source.read_by(*own_memory());
  StatisticsOptions options;
  options.histogram = true;
  const auto found = exact ? exact_statistics(values, options) : sample_statistics(values, options);
  REQUIRE(found);
  return *found;
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void check_statistics(const SnapshotPtr& plain, const SnapshotPtr& other, bool exact) {
  const Statistics a = statistics_of(plain, exact), b = statistics_of(other, exact);
  CHECK(a.summary.method == b.summary.method);
  CHECK(a.summary.seen == b.summary.seen);
  CHECK(a.summary.nan == b.summary.nan);
  CHECK(a.summary.pos_inf == b.summary.pos_inf);
  CHECK(a.summary.zero == b.summary.zero);
  CHECK(a.summary.negative == b.summary.negative);
  CHECK(a.summary.subnormal == b.summary.subnormal);
  CHECK(a.summary.first_special.index == b.summary.first_special.index);
  CHECK(same_number(a.summary.min.as_double(), b.summary.min.as_double()));
  CHECK(same_number(a.summary.max.as_double(), b.summary.max.as_double()));
  CHECK(same_number(a.summary.mean, b.summary.mean));
  CHECK(a.histogram.bins == b.histogram.bins);
  CHECK(std::ranges::equal(a.quantiles.values, b.quantiles.values, same_number));
}

ValueMatches search(const SnapshotPtr& snapshot, SearchedValue sought, const char* text) {
  const DType numbers = numbers_of(*snapshot, snapshot->tensors[0]).dtype;
  FindValueTask task(snapshot, 0, own_memory(), ValueTest::make(numbers, sought, text).value(), 7);
  while (*task.step() != Task::State::done) continue;
  return task.found();
}

void check_search(const SnapshotPtr& plain, const SnapshotPtr& other) {
  const bool is_complex = numbers_of(*plain, plain->tensors[0]).dtype.code == static_cast<std::uint8_t>(DTypeCode::complex);
  for (const SearchedValue sought : {SearchedValue::equal, SearchedValue::non_finite}) {
    if (is_complex && sought == SearchedValue::equal) continue;
    const ValueMatches a = search(plain, sought, "1"), b = search(other, sought, "1");
    CHECK(a.matches == b.matches);
    CHECK(a.first == b.first);
    CHECK(a.next == b.next);
    CHECK(a.searched == b.searched);
  }
}

// most_exact 0: a sample where there are many values.
Texels picture_of(const SnapshotPtr& snapshot, std::uint64_t most_exact) {
  const TensorValues values = tensor_values(*snapshot, snapshot->tensors[0]);
  const CellAxes axes{.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}};
  const CellWindow window{0, 0, values.layout.shape[0], values.layout.shape[1], 64, 3};
  auto task = ReduceTask::make(values, axes, window, most_exact, snapshot, own_memory());
  REQUIRE(task);
  while (*(*task)->step() != Task::State::done) continue;
  Texels all;
  all.resize({0, 0, static_cast<std::uint32_t>(window.texel_rows()), static_cast<std::uint32_t>(window.texel_columns())});
  while (const auto part = (*task)->take(all.size())) {
    for (std::uint32_t row = 0; row < part->rect.rows; ++row) {
      for (std::uint32_t column = 0; column < part->rect.columns; ++column) {
        const std::size_t from = std::size_t{row} * part->rect.columns + column;
        const std::size_t to = std::size_t{part->rect.row + row} * all.rect.columns + part->rect.column + column;
        all.min[to] = part->min[from];
        all.mean[to] = part->mean[from];
        all.flags[to] = part->flags[from];
      }
    }
  }
  return all;
}

void check_picture(const SnapshotPtr& plain, const SnapshotPtr& other, std::uint64_t most_exact) {
  const Texels a = picture_of(plain, most_exact), b = picture_of(other, most_exact);
  CHECK(a.flags == b.flags);
  CHECK(std::ranges::equal(a.min, b.min, same_number));
  CHECK(std::ranges::equal(a.mean, b.mean, same_number));
}

void check_comparison(const SnapshotPtr& plain, const SnapshotPtr& other) {
  auto task = SnapshotComparison::make({plain, 0, own_memory()}, {other, 0, own_memory()}, {}, false);
  REQUIRE(task);
  while (*(*task)->step() != Task::State::done) continue;
  CHECK((*task)->found().bit_equal());
}

// The same numbers twice: as DLPack has them, and as items that `store` writes from them.
void check_all(const SnapshotPtr& plain, const SnapshotPtr& other) {
  CHECK(survey_items(*other).size() == 1);
  check_statistics(plain, other, true);
  check_statistics(plain, other, false);
  check_search(plain, other);
  check_picture(plain, other, ~std::uint64_t{0});
  check_picture(plain, other, 0);
  check_comparison(plain, other);
  check_comparison(other, other);
}

constexpr std::int64_t kRows = 1500, kColumns = 900;  // more than a sample takes

// Dense, every other column, transposed, backwards.
std::vector<std::pair<Layout, std::int64_t>> layouts(std::uint32_t item_bits) {
  const std::int64_t bits = item_bits;
  return {{{{kRows, kColumns}, {kColumns * bits, bits}, item_bits}, 0},
          {{{kRows, kColumns / 2}, {kColumns * bits, 2 * bits}, item_bits}, 0},
          {{{kColumns, kRows}, {bits, kColumns * bits}, item_bits}, 0},
          {{{kRows, kColumns}, {kColumns * bits, -bits}, item_bits}, kColumns - 1}};
}

}  // namespace

TEST_CASE("a number in the other byte order or in a byte of its own is a number, anything else is not", "[core][inventory]") {
  const TensorNumbers swapped = numbers_of_item(number_item(dtype("float32"), true));
  CHECK(swapped.dtype == dtype("float32"));
  CHECK(swapped.reversed_bytes == 4);
  const TensorNumbers complex = numbers_of_item(number_item(dtype("complex128"), true));
  CHECK(complex.dtype == dtype("complex128"));
  CHECK(complex.reversed_bytes == 8);
  const TensorNumbers nibble = numbers_of_item(number_item(dtype("int4"), false));
  CHECK(nibble.dtype == dtype("int4"));
  CHECK(nibble.reversed_bytes == 0);
  for (const ItemType& item : {text_item(ItemKind::ucs4_text, 1, true), date_item(ItemKind::date, DateUnit::day, 1, true), raw_item(4),
                               object_item(), record_item({{"a", 0, number_item(dtype("float32"), true), {}}}, 4),
                               number_item({static_cast<std::uint8_t>(DTypeCode::float_), 128, 1}, true)})
    CHECK(numbers_of_item(item).dtype == dtype_of_item(item.bytes));
  const std::byte stored[] = {std::byte{0x3f}, std::byte{0x80}, std::byte{0}, std::byte{0}};
  CHECK(swapped.decode(stored, 0).real == 1);
}

TEST_CASE("numbers in the other byte order have the results of the same numbers in this one", "[core][inventory]") {
  std::mt19937 random(9);
  for (const char* const name : {"float16", "float32", "float64", "bfloat16", "int16", "uint16", "int32", "uint32", "int64", "uint64",
                                 "complex64", "complex128"}) {
    INFO(name);
    const DType numbers = dtype(name);
    const std::size_t bytes = numbers.bits / 8U;
    const ItemType item = number_item(numbers, true);
    const std::size_t part = numbers_of_item(item).reversed_bytes;
    std::vector<std::byte> plain(bytes * kRows * kColumns);
    const bool is_integer = numbers.code <= 1;
    for (std::size_t at = 0; at < plain.size(); at += part) {
      // Any bits now and then: NaN and infinities too. Else small integers, or floats from 1 on.
      const std::uint64_t any = std::uint64_t{random()} << 32 | random();
      for (std::size_t i = 0; i < part && (any % 16 == 0 || (is_integer && i == 0)); ++i)
        plain[at + i] = static_cast<std::byte>(any >> (i + 1) * 4);
      if (is_integer || any % 16 == 0) continue;
      plain[at + part - 1] = std::byte{0x3f};
      plain[at + part - 2] = static_cast<std::byte>(any >> 20 & 0xff);
    }
    std::vector<std::byte> other = plain;
    for (std::size_t at = 0; at < other.size(); at += part) std::reverse(other.data() + at, other.data() + at + part);
    for (const auto& [layout, first] : layouts(numbers.bits)) {
      const std::size_t begin = static_cast<std::size_t>(first) * bytes;
      check_all(snapshot_of(plain.data() + begin, numbers, layout), snapshot_of(other.data() + begin, {}, layout, &item));
    }
  }
}

TEST_CASE("numbers of fewer than 8 bits in a byte of their own have the results of packed ones", "[core][inventory]") {
  std::mt19937 random(10);
  for (const char* const name : {"int4", "uint4", "int2", "uint2", "float4_e2m1fn", "float6_e2m3fn"}) {
    INFO(name);
    const DType numbers = dtype(name);
    const ItemType item = number_item(numbers, false);
    // The high bits of a byte mean nothing: ml_dtypes repeats the sign there, or not.
    std::vector<std::byte> each(kRows * kColumns), packed(each.size() * numbers.bits / 8 + 1);
    for (std::size_t i = 0; i < each.size(); ++i) {
      each[i] = static_cast<std::byte>(random());
      for (unsigned bit = 0; bit < numbers.bits; ++bit) {
        const std::size_t at = i * numbers.bits + bit;
        packed[at / 8] |= (each[i] >> bit & std::byte{1}) << (at % 8);
      }
    }
    const auto of_bytes = layouts(8), of_bits = layouts(numbers.bits);
    for (std::size_t i = 0; i + 1 < of_bytes.size(); ++i)
      check_all(snapshot_of(packed.data(), numbers, of_bits[i].first), snapshot_of(each.data(), {}, of_bytes[i].first, &item));
  }
}

}  // namespace dlscope::core
