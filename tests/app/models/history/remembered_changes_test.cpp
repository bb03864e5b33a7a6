// Whether a remembered tensor's bytes changed between two moments, judged element by element: what lies between the elements does not
// count, and neither does where they lie.
#include "app/models/history/remembered_changes.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/compare/block_hashes.h"
#include "core/inventory/kept_bytes.h"
#include "tests/support/layout_samples.h"
#include "tests/support/local_tensor.h"

namespace dlscope::app {
namespace {

using Result = BytesCompared::Result;

// A tensor as it was at one moment.
struct Moment {
  core::SnapshotPtr snapshot;
  RememberedMomentPtr kept;

  Moment(core::SnapshotPtr of, Remember how) : snapshot(std::move(of)) {
    const auto reader = core::process_reader(0);
    const core::TensorRecord& record = snapshot->tensors[0];
    auto moment = std::make_shared<RememberedMoment>();
    RememberedTensor tensor{.tensor = 0, .name = "x", .extent = record.extent, .bytes = {}, .hashes = {}, .values = {}, .why_not = {}};
    if (how == Remember::bytes)
      tensor.bytes = std::make_shared<std::vector<std::byte>>(core::copy_of_extent(*snapshot, record, **reader).value());
    else
      tensor.hashes = std::make_shared<std::vector<std::uint64_t>>(core::block_hashes(*snapshot, record, **reader).value());
    moment->tensors.push_back(std::move(tensor));
    kept = std::move(moment);
  }
};

BytesCompared compare(const Moment& before, const Moment& now) {
  return compare_bytes(before.snapshot, before.kept, 0, now.snapshot, now.kept, 0);
}

core::ItemType date() { return core::date_item(core::ItemKind::date, core::DateUnit::day, 1, false); }

// 24 bytes: a gap in the middle, which belongs to the item.
core::ItemType record() {
  return core::record_item({{"day", 0, date(), {}}, {"lat", 16, core::number_item({2, 64, 1}, false), {}}}, 24);
}

std::vector<std::string> elements(const std::byte* base, const core::Layout& layout) {
  std::vector<std::string> out;
  for (const std::int64_t bit : tests::starts_of(layout))
    out.emplace_back(reinterpret_cast<const char*>(base + bit / 8), layout.item_bits / 8);
  return out;
}

bool same_repeats(const core::Layout& a, const core::Layout& b) {
  for (std::size_t d = 0; d < a.shape.size(); ++d) {
    if (a.shape[d] > 1 && (a.stride_bits[d] == 0) != (b.stride_bits[d] == 0)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("dates and records changed when one of their elements did, however they are remembered", "[history][remember]") {
  std::mt19937 chance(11);
  std::vector<std::byte> memory(65536);  // some layouts reach more than 4096 bytes from its middle
  for (const core::ItemType& item : {date(), record()}) {
    for (int round = 0; round < 300; ++round) {
      core::Layout was = tests::random_layout(chance);
      for (std::int64_t& stride : was.stride_bits) stride = stride / 8 * 8;
      was.item_bits = item.bytes * 8;
      core::Layout is = was;
      if (round % 3 == 0) is = core::Layout::c_order(was.shape, was.item_bits);  // the same shape elsewhere in memory
      for (std::byte& byte : memory) byte = static_cast<std::byte>(chance() % 3);
      std::byte* const base = memory.data() + memory.size() / 2;
      CAPTURE(item.name, core::describe(was), core::describe(is));
      const auto before = elements(base, was);
      const auto then = tests::local_tensor(base, item, was);
      const Moment as_bytes(then, Remember::bytes), as_hashes(then, Remember::hashes);
      for (auto change = chance() % 3; change > 0; --change) base[static_cast<int>(chance() % 8192) - 4096] ^= std::byte{1};
      const auto now = elements(base, is);
      std::size_t changed = 0, first = 0;
      for (std::size_t i = now.size(); i-- > 0;) {
        if (before[i] == now[i]) continue;
        ++changed;
        first = i;
      }
      const auto after = tests::local_tensor(base, item, is);
      const BytesCompared bytes = compare(as_bytes, Moment(after, Remember::bytes));
      CHECK(bytes.result == (changed > 0 ? Result::changed : Result::same));
      if (changed > 0) CHECK(bytes.first == first);
      const Result by_hash = !same_repeats(was, is) ? Result::unknown : bytes.result;
      CHECK(compare(as_hashes, Moment(after, Remember::hashes)).result == by_hash);
      CHECK(compare(as_bytes, Moment(after, Remember::hashes)).result == by_hash);
      CHECK(compare(as_hashes, Moment(after, Remember::bytes)).result == by_hash);
    }
  }
}

TEST_CASE("hashes differ where values do, packed ones and those in any order of memory, too", "[history][remember]") {
  std::mt19937 chance(12);
  std::vector<std::byte> memory(4096);
  const auto value = [&](const std::byte* base, std::int64_t bit, std::uint32_t bits) {
    std::uint64_t out = 0;
    for (std::uint32_t i = 0; i < bits; ++i) {
      const std::int64_t at = bit + i;
      const std::int64_t byte = at >= 0 ? at / 8 : (at - 7) / 8;
      out |= (std::to_integer<std::uint64_t>(base[byte]) >> (at - byte * 8) & 1) << i;
    }
    return out;
  };
  for (int round = 0; round < 400; ++round) {
    const core::Layout layout = tests::random_layout(chance);
    const core::DType dtype = layout.item_bits == 6 ? *core::dtype_from_name("float6_e3m2fn")
                                                    : core::DType{1, static_cast<std::uint8_t>(layout.item_bits), 1};
    for (std::byte& byte : memory) byte = static_cast<std::byte>(chance());
    std::byte* const base = memory.data() + memory.size() / 2;
    CAPTURE(core::describe(layout));
    const auto all = [&] {
      std::vector<std::uint64_t> out;
      for (const std::int64_t bit : tests::starts_of(layout)) out.push_back(value(base, bit, layout.item_bits));
      return out;
    };
    const auto before = all();
    const auto snapshot = tests::local_tensor(base, dtype, layout);
    const Moment then(snapshot, Remember::hashes), copied(snapshot, Remember::bytes);
    for (auto change = chance() % 3; change > 0; --change) memory[chance() % memory.size()] ^= std::byte{1} << chance() % 8;
    const Result wanted = before == all() ? Result::same : Result::changed;
    CHECK(compare(then, Moment(snapshot, Remember::hashes)).result == wanted);
    CHECK(compare(copied, Moment(snapshot, Remember::hashes)).result == wanted);
  }
}

TEST_CASE("a column is not changed by a write beside it, and not by lying in another order", "[history][remember]") {
  constexpr std::int64_t kRows = 300, kColumns = 1000;  // more than one block of a MiB
  std::vector<double> c(kRows * kColumns), f(kRows * kColumns);
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j) c[i * kColumns + j] = f[j * kRows + i] = static_cast<double>(i * 1000 + j);
  }
  const core::DType f64{2, 64, 1};
  const auto whole = tests::local_tensor(c.data(), f64, core::Layout::c_order({kRows, kColumns}, 64));
  const auto turned =
      tests::local_tensor(f.data(), f64, core::Layout::from_element_strides({kRows, kColumns}, {1, kRows}, 64));
  const auto reversed = tests::local_tensor(
      &c.back(), f64, core::Layout::from_element_strides({kRows, kColumns}, {-kColumns, -1}, 64));
  const auto column = tests::local_tensor(c.data(), f64, core::Layout::from_element_strides({kRows}, {kColumns}, 64));
  const Moment whole_before(whole, Remember::hashes), column_before(column, Remember::hashes);
  CHECK(compare(whole_before, Moment(turned, Remember::hashes)).result == Result::same);
  CHECK(compare(whole_before, Moment(reversed, Remember::hashes)).result == Result::changed);
  // Rows so long that the order of memory jumps from block to block: one hash, compared with the sum of several.
  const auto wide = tests::local_tensor(c.data(), f64, core::Layout::c_order({10, 30'000}, 64));
  std::vector<double> across(c.size());
  for (std::size_t i = 0; i < 10; ++i) {
    for (std::size_t j = 0; j < 30'000; ++j) across[j * 10 + i] = c[i * 30'000 + j];
  }
  const auto wide_turned = tests::local_tensor(across.data(), f64, core::Layout::from_element_strides({10, 30'000}, {1, 10}, 64));
  const Moment wide_before(wide, Remember::hashes);
  CHECK(core::hashed_blocks(*wide, wide->tensors[0]) == 3);
  CHECK(core::hashed_blocks(*wide_turned, wide_turned->tensors[0]) == 1);
  CHECK(compare(wide_before, Moment(wide_turned, Remember::hashes)).result == Result::same);
  across[12345] += 1;
  CHECK(compare(wide_before, Moment(wide_turned, Remember::hashes)).message == "its bytes changed, by their hashes");
  c[1] = -1;
  CHECK(compare(column_before, Moment(column, Remember::hashes)).result == Result::same);
  c[200 * kColumns] = -1;
  CHECK(compare(column_before, Moment(column, Remember::hashes)).result == Result::changed);
  c[1] = 1;
  CHECK(compare(whole_before, Moment(whole, Remember::bytes)).message ==
        "its bytes changed: 1 of 3 blocks of 1 MiB, by their hashes, the first at byte 1 048 576 of its values");
}

TEST_CASE("the value of a negated view or of a record at an earlier moment is the one that was shown", "[history][remember]") {
  const double stored = 5;
  const auto negated =
      tests::local_tensors({{"x", &stored, {2, 64, 1}, core::Layout::c_order({1}, 64), {core::RemarkCode::negative_bit}}});
  CHECK(value_text(*negated, Moment(negated, Remember::bytes).kept, 0, 0) == "-5.0");
  const std::int64_t day = 1;
  const auto dates = tests::local_tensor(&day, date(), core::Layout::c_order({1}, 64));
  CHECK(value_text(*dates, Moment(dates, Remember::bytes).kept, 0, 0) == "1970-01-02");
}

}  // namespace dlscope::app
