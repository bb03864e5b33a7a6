// The next difference of two tensors, against a loop over all elements.
#include "core/compare/find_mismatch.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/support/local_tensor.h"

namespace dlscope::core {
namespace {

const std::shared_ptr<const MemoryReader>& memory() {
  static const std::shared_ptr<const MemoryReader> reader(process_reader(0).value());
  return reader;
}

SnapshotTensor tensor(const void* data, const char* dtype, const Layout& layout) {
  return {tests::local_tensor(data, *dtype_from_name(dtype), layout), 0, memory()};
}

struct Answer {
  std::optional<std::uint64_t> found;
  bool wrapped_around = false;
};
Answer search(const SnapshotTensor& a, const SnapshotTensor& b, std::optional<std::uint64_t> from, bool forward,
              unsigned threads = 0) {
  auto task = FindMismatchTask::make(a, b, from, forward, threads);
  REQUIRE(task);
  for (;;) {
    const auto state = (*task)->step();
    REQUIRE(state);
    CHECK((*task)->progress().done <= (*task)->progress().total);
    if (*state == Task::State::done) return {(*task)->found(), (*task)->wrapped_around()};
  }
}

}  // namespace

TEST_CASE("the next and the previous difference are those of a loop, round the end, for any strides and dtypes",
          "[core][compare]") {
  std::mt19937 random(3);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round < 60; ++round) {
    const std::int64_t rows = 1 + static_cast<std::int64_t>(below(40)),
                       columns = 1 + static_cast<std::int64_t>(below(round % 10 == 0 ? 3000 : 50));
    const auto count = static_cast<std::size_t>(rows * columns);
    std::vector<float> a(count, 1);
    std::vector<double> b(count, 1);  // turned
    std::vector<bool> differs(count);
    for (std::size_t i = 0, many = below(6); i < many; ++i) {
      const std::size_t at = below(count);
      differs[at] = true;
      a[at] = i % 2 == 0 ? 2.0F : std::numeric_limits<float>::quiet_NaN();
    }
    Layout turned = Layout::c_order({rows, columns}, 64);
    turned.stride_bits = {64, 64 * rows};
    const SnapshotTensor of_a = tensor(a.data(), "float32", Layout::c_order({rows, columns}, 32)),
                         of_b = tensor(b.data(), "float64", turned);
    for (unsigned question = 0; question < 12; ++question) {
      const bool forward = question % 2 == 0;
      const std::optional<std::uint64_t> from = question < 2 ? std::nullopt : std::optional<std::uint64_t>(below(count));
      std::optional<std::uint64_t> expected;
      bool wrapped_around = false;
      for (std::size_t k = 0; k < count && !expected; ++k) {
        const std::size_t first = !from ? (forward ? 0 : count - 1) : static_cast<std::size_t>(*from) + (forward ? 1 : count - 1);
        const std::size_t at = forward ? (first + k) % count : (first + count - k) % count;
        if (differs[at]) expected = at;
        if (expected && from) wrapped_around = forward ? at <= *from : at >= *from;
      }
      const Answer answer = search(of_a, of_b, from, forward, question % 4);
      CHECK(answer.found == expected);
      if (expected) CHECK(answer.wrapped_around == wrapped_around);
    }
  }
}

TEST_CASE("the answer is the same with any number of threads, also where bytes cannot be read", "[core][compare]") {
  // In its own order: many blocks of several threads at the same time. Behind the hole nothing can be read.
  class Broken final : public MemoryReader {
   public:
    std::size_t read(Address from, std::span<std::byte> out) const override {
      if (from + out.size() > hole && from < hole + 4) return from >= hole ? 0 : memory()->read(from, out.first(hole - from));
      return memory()->read(from, out);
    }
    Address hole = 0;
  };
  constexpr std::size_t kCount = 20 * CellBlock::kMaxValues + 7;
  std::mt19937 random(5);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::vector<float> a(kCount, 1), b(kCount, 1);
  const auto broken = std::make_shared<Broken>();
  SnapshotTensor of_a = tensor(a.data(), "float32", Layout::c_order({kCount}, 32));
  const SnapshotTensor of_b = tensor(b.data(), "float32", Layout::c_order({kCount}, 32));
  of_a.memory = broken;
  for (int round = 0; round < 40; ++round) {
    std::vector<std::size_t> differ;
    for (std::size_t i = 0, many = below(5); i < many; ++i) differ.push_back(below(kCount));
    for (const std::size_t at : differ) a[at] = 2;
    const std::size_t hole = below(kCount);
    broken->hole = round % 2 == 0 ? 0 : reinterpret_cast<Address>(a.data() + hole);
    const std::optional<std::uint64_t> from = round % 3 == 0 ? std::nullopt : std::optional<std::uint64_t>(below(kCount));
    const bool forward = round % 4 < 2;
    const auto answer = [&](unsigned threads) -> std::string {
      auto task = FindMismatchTask::make(of_a, of_b, from, forward, threads);
      REQUIRE(task);
      for (;;) {
        const auto state = (*task)->step();
        if (!state) return state.error().message;
        if (*state != Task::State::done) continue;
        return (*task)->found() ? std::to_string(*(*task)->found()) + ((*task)->wrapped_around() ? " round" : "") : "none";
      }
    };
    const std::string alone = answer(1);
    for (const unsigned threads : {2U, 3U, 8U}) CHECK(answer(threads) == alone);
    if (broken->hole == 0) CHECK((alone == "none") == differ.empty());
    for (const std::size_t at : differ) a[at] = 1;
  }
}

TEST_CASE("what differs is what PyTorch means by a negated view, not what is stored", "[core][compare]") {
  const std::vector<float> a{0, 0, 3, 0}, opposite{0, 0, -3, 1};
  const Layout layout = Layout::c_order({4}, 32);
  const auto of = [&](const std::vector<float>& data, std::vector<RemarkCode> remarks) -> SnapshotTensor {
    return {tests::local_tensors({{"x", data.data(), *dtype_from_name("float32"), layout, std::move(remarks)}}), 0, memory()};
  };
  CHECK(search(of(a, {}), of(a, {}), {}, true).found == std::nullopt);
  CHECK(search(of(a, {}), of(a, {RemarkCode::negative_bit}), {}, true).found == 2u);
  CHECK(search(of(a, {RemarkCode::negative_bit}), of(opposite, {}), {}, true).found == 3u);
}

TEST_CASE("no element, no axis and other shapes have an answer", "[core][compare]") {
  const std::vector<float> a{1, 2, 3, 4}, b{1, 2, 3, 5};
  const auto of = [](const std::vector<float>& data, std::vector<std::int64_t> shape) {
    return tensor(data.data(), "float32", Layout::c_order(std::move(shape), 32));
  };
  CHECK_FALSE(search(of(a, {0, 4}), of(b, {0, 4}), {}, true).found);
  CHECK_FALSE(search(of(a, {}), of(b, {}), {}, true).found);
  CHECK(search(of(a, {4}), of(b, {4}), 3, true).found == 3u);  // the only one: round to itself
  CHECK(search(of(a, {4}), of(b, {4}), 3, true).wrapped_around);
  const auto other = FindMismatchTask::make(of(a, {4}), of(b, {2, 2}), {}, true);
  REQUIRE_FALSE(other);
  CHECK_THAT(other.error().message, Catch::Matchers::ContainsSubstring("same shape"));
}

TEST_CASE("of a tensor whose described copy is freed nothing is compared", "[core][compare]") {
  const std::vector<float> a(16, 1);
  const Layout layout = Layout::c_order({16}, 32);
  const SnapshotTensor whole = tensor(a.data(), "float32", layout);
  const auto freed = std::make_shared<Snapshot>(*whole.snapshot);
  freed->tensors[0].is_copied = Tri::yes;
  freed->tensors[0].readable = false;
  const SnapshotTensor copied{freed, 0, memory()};
  for (const auto& pair : {std::pair(copied, whole), std::pair(whole, copied)}) {
    const auto task = FindMismatchTask::make(pair.first, pair.second, std::nullopt, true, 0);
    REQUIRE_FALSE(task);
    CHECK(task.error().message == "x hands over a copy of its bytes, and the described one is freed");
  }
  CHECK(FindMismatchTask::make(whole, whole, std::nullopt, true, 0));
}

}  // namespace dlscope::core
