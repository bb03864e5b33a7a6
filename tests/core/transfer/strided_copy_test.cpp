// Copies of strided views against a copy bit by bit, over generated layouts.
#include "core/transfer/strided_copy.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>
#include <system_error>
#include <thread>
#include <vector>

namespace {

using namespace dlscope::core;

// A view inside a buffer of its own: element [0,...,0] lies at `start`.
struct View {
  Layout layout;
  std::size_t bytes = 0, start = 0;
};

View placed(Layout layout) {
  View view;
  view.layout = std::move(layout);
  const LayoutBounds bounds = validate(view.layout).value();
  view.start = static_cast<std::size_t>((-bounds.lowest_bit + 7) / 8);
  view.bytes = view.start + static_cast<std::size_t>((bounds.highest_bit + 7) / 8);
  return view;
}

bool bit_at(const std::byte* base, std::int64_t bit) { return (std::to_integer<int>(base[bit >> 3]) >> (bit & 7) & 1) != 0; }

void copy_by_bits(const std::byte* from, LayoutView source, std::byte* to, LayoutView target) {
  const std::uint64_t elements = validate(target)->elements;
  for (std::uint64_t i = 0; i < elements; ++i) {
    const std::int64_t s = bit_offset_of(source, i), t = bit_offset_of(target, i);
    if (((s | t | target.item_bits) & 7) == 0) {
      std::memcpy(to + (t >> 3), from + (s >> 3), target.item_bits / 8);
      continue;
    }
    for (std::int64_t b = 0; b < target.item_bits; ++b) {
      std::byte& byte = to[(t + b) >> 3];
      const std::byte mask = std::byte{1} << ((t + b) & 7);
      byte = bit_at(from, s + b) ? byte | mask : byte & ~mask;
    }
  }
}

// Both ways, into equal noise: what lies between the elements must stay as it was.
bool agrees(const View& from, const View& to, const CopyOptions& options = {}) {
  std::mt19937 random(3);
  std::vector<std::byte> source(from.bytes + 1), copied(to.bytes + 1);
  for (std::byte& byte : source) byte = static_cast<std::byte>(random());
  for (std::byte& byte : copied) byte = static_cast<std::byte>(random());
  std::vector<std::byte> expected = copied;
  copy_by_bits(source.data() + from.start, from.layout, expected.data() + to.start, to.layout);
  const bool done = copy_strided(source.data() + from.start, from.layout, copied.data() + to.start, to.layout, options);
  return done && copied == expected;
}

// A layout over a dense block whose axes were permuted, reversed, stepped and, for a source, repeated.
Layout generated(std::mt19937& random, const std::vector<std::int64_t>& shape, std::uint32_t item_bits, bool may_repeat) {
  const std::size_t rank = shape.size();
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, random);
  Layout layout{shape, std::vector<std::int64_t>(rank), item_bits};
  std::int64_t stride = item_bits;
  for (const std::size_t d : order) {
    if (may_repeat && random() % 8 == 0) continue;  // stride 0
    const std::int64_t step = random() % 3 == 0 ? 1 + static_cast<std::int64_t>(random() % 4) : 1;
    layout.stride_bits[d] = random() % 4 == 0 ? -stride * step : stride * step;
    stride *= std::max<std::int64_t>(shape[d], 1) * step;
    if (random() % 6 == 0) stride += item_bits;
  }
  return layout;
}

TEST_CASE("Any layout copies into any other as bit by bit", "[core][transfer]") {
  std::mt19937 random(11);
  for (const std::uint32_t bits : {8u, 16u, 24u, 32u, 48u, 64u, 96u, 128u, 192u, 40u, 1u, 2u, 4u, 6u, 12u}) {
    for (int round = 0; round < 60; ++round) {
      std::vector<std::int64_t> shape(random() % 6);
      for (std::int64_t& n : shape) n = 1 + static_cast<std::int64_t>(random() % (shape.size() > 3 ? 5 : 19));
      if (round % 20 == 0 && !shape.empty()) shape[0] = 0;
      const View from = placed(generated(random, shape, bits, true)), to = placed(generated(random, shape, bits, false));
      CAPTURE(bits, describe(from.layout), describe(to.layout));
      REQUIRE(agrees(from, to));
    }
  }
}

TEST_CASE("Sides that fill lines and sides that do not", "[core][transfer]") {
  for (const std::uint32_t bits : {8u, 16u, 24u, 32u, 48u, 64u, 96u, 128u}) {
    for (const std::int64_t rows : {1, 3, 15, 16, 17, 63, 64, 65, 130}) {
      for (const std::int64_t columns : {1, 2, 3, 4, 5, 16, 64, 66, 127}) {
        const auto item = static_cast<std::int64_t>(bits);
        const View turned = placed({{rows, columns}, {item, rows * item}, bits});
        const View back = placed({{rows, columns}, {-item, rows * item}, bits});
        const View rows_back = placed({{rows, columns}, {item, -rows * item}, bits});
        const View whole = placed(Layout::c_order({rows, columns}, bits));
        CAPTURE(bits, rows, columns);
        REQUIRE((agrees(turned, whole) && agrees(back, whole) && agrees(rows_back, whole) && agrees(whole, turned)));
      }
    }
  }
}

// Large enough for the ways past the caches, for threads, and to be cut into pieces.
std::vector<std::pair<View, View>> large_copies() {
  const auto c = [](std::vector<std::int64_t> shape, std::uint32_t bits) {
    return placed(Layout::c_order(std::move(shape), bits));
  };
  const auto strided = [](std::vector<std::int64_t> shape, std::vector<std::int64_t> strides, std::uint32_t bits) {
    return placed(Layout::from_element_strides(std::move(shape), strides, bits));
  };
  std::vector<std::pair<View, View>> copies;
  copies.emplace_back(c({9 << 20}, 8), c({9 << 20}, 8));
  copies.emplace_back(strided({1536, 1600}, {1, 1536}, 32), c({1536, 1600}, 32));
  copies.emplace_back(strided({1537, 1601}, {1, 1537}, 32), c({1537, 1601}, 32));
  copies.emplace_back(strided({1537, 1601}, {-1, 1537}, 32), c({1537, 1601}, 32));
  copies.emplace_back(strided({3000, 3200}, {1, 3000}, 8), c({3000, 3200}, 8));
  copies.emplace_back(strided({1601, 1803}, {1, 1601}, 24), c({1601, 1803}, 24));
  copies.emplace_back(strided({1203, 1201}, {1, 1203}, 48), c({1203, 1201}, 48));
  copies.emplace_back(strided({1001, 903}, {-1, 1001}, 96), c({1001, 903}, 96));
  copies.emplace_back(strided({801, 803}, {1, 801}, 128), c({801, 803}, 128));
  copies.emplace_back(strided({3, 1800, 1800}, {1, 5400, 3}, 8), c({3, 1800, 1800}, 8));
  copies.emplace_back(strided({1800, 1800, 3}, {1800, 1, 1800 * 1800}, 8), c({1800, 1800, 3}, 8));
  copies.emplace_back(strided({1 << 20, 2}, {-2, 1}, 64), c({1 << 20, 2}, 64));
  copies.emplace_back(strided({2300000}, {-1}, 32), c({2300000}, 32));
  copies.emplace_back(strided({12, 12, 12, 12, 12, 12}, {1, 12, 144, 1728, 20736, 248832}, 32), c({12, 12, 12, 12, 12, 12}, 32));
  copies.emplace_back(strided({4000, 600}, {0, 1}, 32), c({4000, 600}, 32));
  return copies;
}

TEST_CASE("Large copies, past the caches and on threads", "[core][transfer]") {
  for (const auto& [from, to] : large_copies()) {
    CAPTURE(describe(from.layout), describe(to.layout));
    for (const unsigned threads : {1u, 3u}) CHECK(agrees(from, to, {.threads = threads, .stop = {}}));
  }
}

TEST_CASE("A copy that is stopped says so and writes nothing outside", "[core][transfer]") {
  std::stop_source stopped;
  stopped.request_stop();
  for (const auto& [from, to] : large_copies()) {
    CAPTURE(describe(from.layout));
    const std::vector<std::byte> source(from.bytes + 1, std::byte{1});
    std::vector<std::byte> target(to.bytes + 1, std::byte{2});
    CHECK_FALSE(copy_strided(source.data() + from.start, from.layout, target.data() + to.start, to.layout,
                             {.threads = 1, .stop = stopped.get_token()}));
    CHECK(std::ranges::count(target, std::byte{2}) > 0);
  }
}

// The whole of a copy, in a child process that may have so little memory more that no thread gets a stack; 0: it is right.
int copied_without_threads(const View& from, const View& to) {
  const std::vector<std::byte> source(from.bytes + 1, std::byte{1});
  std::vector<std::byte> target(to.bytes + 1, std::byte{2});
  const pid_t child = ::fork();
  if (child == 0) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + (1 << 20);
    const rlimit little{limit, limit};
    if (::setrlimit(RLIMIT_AS, &little) != 0) ::_exit(2);
    try {  // threads that earlier tests have left stacks for
      for (int i = 0; i < 100; ++i) std::thread([] { ::pause(); }).detach();
      ::_exit(3);
    } catch (const std::system_error&) {
    }
    try {
      if (!copy_strided(source.data() + from.start, from.layout, target.data() + to.start, to.layout, {.threads = 3, .stop = {}}))
        ::_exit(4);
    } catch (const std::exception&) {
      ::_exit(5);
    }
    ::_exit(std::ranges::count(target, std::byte{1}) == static_cast<std::ptrdiff_t>(to.bytes) ? 0 : 6);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_CASE("Where the system gives no threads, the caller's copies everything", "[core][transfer]") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  SKIP("a sanitizer needs more memory than the limit of this test allows");
#endif
  const View bytes = placed(Layout::c_order({9 << 20}, 8)), turned = placed(Layout::c_order({1536, 1600}, 32));
  CHECK(copied_without_threads(bytes, bytes) == 0);
  const std::vector<std::int64_t> strides{1, 1536};
  CHECK(copied_without_threads(placed(Layout::from_element_strides({1536, 1600}, strides, 32)), turned) == 0);
}

}  // namespace
