#include "app/models/values/value_search.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "app/models/values/special_walk.h"
#include "app/models/values/value_grid.h"
#include "core/search/value_test.h"
#include "core/tensor/item_type.h"
#include "tests/support/local_tensor.h"

namespace dlscope::app {
namespace {

using tests::local_tensor;

core::DType dtype(const char* name) { return core::dtype_from_name(name).value(); }

SpecialFound search(const core::SnapshotPtr& snapshot, std::uint64_t from, bool forward, std::uint64_t most = 1u << 20) {
  const auto reader = core::process_reader(0);
  const SpecialSearch every{.from = from, .forward = forward, .most = most, .sought = core::SearchedValue::special};
  return find_special(*snapshot, snapshot->tensors[0], every, **reader);
}

// Every special element from one end to the other, the way repeated presses of the key find them.
std::vector<std::uint64_t> all(const core::SnapshotPtr& snapshot, bool forward) {
  std::vector<std::uint64_t> found;
  const std::uint64_t last = snapshot->tensors[0].elements - 1;
  std::uint64_t from = forward ? 0 : last;
  while (true) {
    const SpecialFound step = search(snapshot, from, forward);
    if (!step.element) return found;
    found.push_back(*step.element);
    if (*step.element == (forward ? last : 0)) return found;
    from = forward ? *step.element + 1 : *step.element - 1;
  }
}

}  // namespace

TEST_CASE("a missing date is marked and found like a NaN, in both byte orders", "[app][models][values]") {
  constexpr std::int64_t kMissing = std::numeric_limits<std::int64_t>::min();
  for (const bool swapped : {false, true}) {
    std::vector<std::int64_t> data(5'000, 19'782);
    data[0] = 128;  // the bytes of NaT in the other order
    data[7] = data[4'999] = kMissing;
    if (swapped)
      for (std::int64_t& one : data) one = std::bit_cast<std::int64_t>(__builtin_bswap64(std::bit_cast<std::uint64_t>(one)));
    for (const core::ItemKind kind : {core::ItemKind::date, core::ItemKind::duration}) {
      const auto snapshot = local_tensor(data.data(), core::date_item(kind, core::DateUnit::day, 1, swapped),
                                         core::Layout::c_order({50, 100}, 64));
      CHECK(all(snapshot, true) == std::vector<std::uint64_t>{7, 4'999});
      CHECK(all(snapshot, false) == std::vector<std::uint64_t>{4'999, 7});
      const auto reader = core::process_reader(0);
      for (const NumberStyle style : {NumberStyle::automatic, NumberStyle::hex}) {
        const auto cell = [&](std::uint64_t at) { return read_element(*snapshot, snapshot->tensors[0], at, **reader, {style}); };
        CHECK((cell(7)->value_class == core::ValueClass::nan && cell(0)->value_class == core::ValueClass::normal));
        CHECK((cell(7)->text == "NaT") == (style == NumberStyle::automatic));
      }
      SpecialWalk walk;
      CHECK(walk.start(snapshot, 0, std::nullopt, true, core::SearchedValue::special).has_value());
      CHECK_FALSE(walk.start(snapshot, 0, std::nullopt, true, core::SearchedValue::subnormal).has_value());
    }
  }
}

TEST_CASE("NaN, infinities and subnormals are found in C order, forwards and backwards", "[app][models][values]") {
  std::vector<float> data(10'000, 1.0F);
  const std::vector<std::uint64_t> planted{0, 1, 63, 4095, 4096, 9'998, 9'999};
  const float kinds[] = {std::nanf(""), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                         std::numeric_limits<float>::denorm_min()};
  for (std::size_t i = 0; i < planted.size(); ++i) data[planted[i]] = kinds[i % 4];
  data[500] = 0;
  data[501] = -0.0F;
  const std::vector<std::uint64_t> reversed(planted.rbegin(), planted.rend());
  const auto dense = local_tensor(data.data(), dtype("float32"), core::Layout::c_order({100, 100}, 32));
  CHECK(all(dense, true) == planted);
  CHECK(all(dense, false) == reversed);
  // Through strides that make C order jump about in memory, the same elements.
  std::vector<float> turned(10'000);
  for (std::size_t r = 0; r < 100; ++r)
    for (std::size_t c = 0; c < 100; ++c) turned[c * 100 + r] = data[r * 100 + c];
  const auto transposed =
      local_tensor(turned.data(), dtype("float32"), core::Layout::from_element_strides({100, 100}, {1, 100}, 32));
  CHECK(all(transposed, true) == planted);
  CHECK(all(transposed, false) == reversed);
}

TEST_CASE("half, bfloat, complex, fp8 and bool have their own special values", "[app][models][values]") {
  const std::uint16_t halves[] = {0x3c00, 0x7c00, 0x0001, 0x7e00, 0x8000};
  CHECK(all(local_tensor(halves, dtype("float16"), core::Layout::c_order({5}, 16)), true) == std::vector<std::uint64_t>{1, 2, 3});
  const std::uint16_t brains[] = {0x3f80, 0xff80, 0x0001, 0x7fc0, 0x0000};
  CHECK(all(local_tensor(brains, dtype("bfloat16"), core::Layout::c_order({5}, 16)), true) ==
        std::vector<std::uint64_t>{1, 2, 3});
  const float parts[] = {1, 2, 3, std::nanf(""), 0, 0};
  CHECK(all(local_tensor(parts, dtype("complex64"), core::Layout::c_order({3}, 64)), true) == std::vector<std::uint64_t>{1});
  const std::uint8_t eights[] = {0x38, 0x7f, 0x00, 0x01};
  CHECK(all(local_tensor(eights, dtype("float8_e4m3fn"), core::Layout::c_order({4}, 8)), true) ==
        std::vector<std::uint64_t>{1, 3});
  const std::uint8_t bools[] = {1, 0, 2};
  CHECK(all(local_tensor(bools, dtype("bool"), core::Layout::c_order({3}, 8)), true) == std::vector<std::uint64_t>{2});
  CHECK_FALSE(core::can_be_special(dtype("int32")));
  CHECK_FALSE(core::can_be_special({17, 3, 1}));
}

TEST_CASE("a walk steps over subnormals to what is not finite, however far it is, and to subnormals alone where asked",
          "[app][models][values]") {
  std::vector<float> data(9'000'000, std::numeric_limits<float>::denorm_min());
  data[3] = data[8'999'000] = std::nanf("");
  const auto snapshot = local_tensor(data.data(), dtype("float32"), core::Layout::c_order({9'000'000}, 32));
  const auto reader = core::process_reader(0);
  SpecialWalk walk;
  const auto found = [&](std::optional<std::uint64_t> pinned, bool forward, core::SearchedValue sought) {
    auto task = walk.start(snapshot, 0, pinned, forward, sought);
    while (task) {
      auto step = walk.take(carry_out(*task, reader->get(), {}));
      if (step.found) return step.found;
      task = std::move(step.next);
    }
    return std::optional<std::uint64_t>();
  };
  CHECK(found({}, true, core::SearchedValue::non_finite) == 3u);
  CHECK(walk.said() == "Found [3]. Searched 4 elements.");
  CHECK((walk.completed() && walk.title() == "Next special value of x" && walk.most() == 9'000'000));
  CHECK(found(3, true, core::SearchedValue::non_finite) == 8'999'000u);
  CHECK((walk.searched() == 8'998'997 && walk.most() == 8'999'996));
  CHECK(found(8'999'000, false, core::SearchedValue::non_finite) == 3u);
  CHECK(found(2, true, core::SearchedValue::subnormal) == 4u);
  // An answer to a walk that was stopped, or to the one before, is not taken.
  const auto first = walk.start(snapshot, 0, 3, true);
  walk.stop();
  CHECK(walk.said() == "Stopped after 0 elements.");
  CHECK_FALSE(walk.completed());
  CHECK_FALSE(walk.take(carry_out(*first, reader->get(), {})).next);
  const auto second = walk.start(snapshot, 0, 3, true);
  CHECK_FALSE(walk.take(carry_out(*first, reader->get(), {})).next);
  CHECK(walk.take(carry_out(*second, reader->get(), {})).next);
}

TEST_CASE("a search looks at no more than it may and says where it goes on", "[app][models][values]") {
  const float one = 1;
  const std::int64_t wide = std::int64_t{1} << 40;
  const auto snapshot = local_tensor(&one, dtype("float32"), core::Layout::from_element_strides({3, wide}, {0, 0}, 32));
  const SpecialFound step = search(snapshot, 7, true, 10'000);
  CHECK_FALSE(step.element);
  CHECK(step.searched == 10'000);
  CHECK(step.next == 10'007U);
  const std::uint64_t last = 3 * static_cast<std::uint64_t>(wide) - 1;
  const SpecialFound back = search(snapshot, last, false, 10'000);
  CHECK(back.next == last - 10'000);
  const SpecialFound end = search(snapshot, last - 5, true, 10'000);
  CHECK(end.searched == 6);
  CHECK_FALSE(end.next);
}

}  // namespace dlscope::app
