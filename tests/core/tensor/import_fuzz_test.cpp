// Random bytes as a struct. The seed is fixed: a failure is found again. Made to run under the sanitizers as well.
#include <catch2/catch_test_macros.hpp>
#include <random>

#include "tests/core/tensor/import_probe.h"
#include "tests/support/asked_memory.h"

namespace dlscope::core {
namespace {

using namespace dlscope::tests;

// Numbers that lie on the edges the checks are about more often than random ones do.
class EdgeNumbers {
 public:
  explicit EdgeNumbers(std::uint64_t seed) : random_(seed) {}

  std::uint64_t next() {
    const std::uint64_t sign = random_() & 1 ? ~std::uint64_t{0} : 0;
    switch (random_() % 6) {
      case 0:
        return random_();
      case 1:
        return random_() % 5;
      case 2:
        return (std::uint64_t{1} << random_() % 64) ^ sign;
      case 3:
        return ((std::uint64_t{1} << random_() % 64) - random_() % 3) ^ sign;
      case 4:
        return 0x7000'0000'0000 + random_() % 4096;
      default:
        return random_() % 64 ^ sign;
    }
  }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

 private:
  std::mt19937_64 random_;
};

struct Stage {
  alignas(16) std::byte managed[sizeof(DLManagedTensorVersioned)];
  std::int64_t arrays[2 * kMaxRank];
};

// What the two structs have in common, sometimes plausible so that the later checks are reached too.
template <class Managed>
void write_random(Stage& stage, EdgeNumbers& numbers) {
  Managed managed{};
  DLTensor& tensor = managed.dl_tensor;
  tensor.data = reinterpret_cast<void*>(numbers.next());
  tensor.device = {static_cast<DLDeviceType>(numbers.below(4) ? 1 + numbers.below(18) : numbers.next()),
                   static_cast<std::int32_t>(numbers.next())};
  tensor.ndim = static_cast<std::int32_t>(numbers.below(8) ? numbers.below(6) : numbers.next());
  tensor.dtype = {static_cast<std::uint8_t>(numbers.below(20)), static_cast<std::uint8_t>(numbers.below(3) ? 32 : numbers.next()),
                  static_cast<std::uint16_t>(numbers.below(3) ? 1 : numbers.next())};
  for (std::int64_t& number : stage.arrays) number = static_cast<std::int64_t>(numbers.next());
  tensor.shape = numbers.below(16) ? stage.arrays : nullptr;
  tensor.strides = numbers.below(4) ? stage.arrays + kMaxRank : nullptr;
  tensor.byte_offset = numbers.below(2) ? 0 : numbers.next();
  managed.manager_ctx = reinterpret_cast<void*>(numbers.next());
  managed.deleter = reinterpret_cast<void (*)(Managed*)>(numbers.next());
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) {
    managed.version = {numbers.below(8) ? 1 : static_cast<std::uint32_t>(numbers.next()),
                       static_cast<std::uint32_t>(numbers.below(5))};
    managed.flags = numbers.below(2) ? numbers.below(8) : numbers.next();
  }
  std::memcpy(stage.managed, &managed, sizeof managed);
}

// A million descriptions by plain loads; every hundredth also by checked reading, which costs a thousand times more.
template <class Managed>
void fuzz(CapsuleKind kind, int rounds, std::uint64_t seed) {
  EdgeNumbers numbers(seed);
  Stage stage{};
  const auto begin = reinterpret_cast<Address>(&stage);
  const ByteRange whole{begin, begin + sizeof stage};
  AskedMemory only_stage([=](Address address, std::size_t size) { return whole.holds(address, size); });
  TensorDesc desc;
  int with_layout = 0, loaded = 0;
  for (int round = 0; round < rounds; ++round) {
    write_random<Managed>(stage, numbers);
    const auto at = reinterpret_cast<Address>(stage.managed);
    if (!describe_managed_mapped(at, kind, only_stage, desc)) continue;
    ++loaded;
    with_layout += desc.has_layout;
    if (round % 100 == 0) {
      const std::string names = remark_names(desc);
      REQUIRE(remark_names(look_checked(at, kind)) == names);
    }
    if (round % 10 == 0) require_sane(desc);
  }
  CHECK(loaded > rounds / 2);
  CHECK(with_layout > rounds / 50);
}

TEST_CASE("half a million random versioned structs are described without harm", "[tensor][fuzz]") {
  fuzz<DLManagedTensorVersioned>(kVersioned, 500'000, 1);
}

TEST_CASE("half a million random legacy structs are described without harm", "[tensor][fuzz]") {
  fuzz<DLManagedTensor>(kLegacy, 500'000, 2);
}

TEST_CASE("pure noise taken for a struct is described without harm", "[tensor][fuzz]") {
  std::mt19937_64 random(3);
  std::uint64_t noise[10];
  for (int round = 0; round < 20'000; ++round) {
    for (std::uint64_t& word : noise) word = random() >> random() % 64;
    const auto at = reinterpret_cast<Address>(noise);
    (void)look_checked(at, kVersioned);
    (void)look_checked(at, kLegacy);
  }
}

TEST_CASE("random arrays are described without harm", "[tensor][fuzz]") {
  EdgeNumbers numbers(4);
  TensorDesc desc;
  int with_layout = 0;
  for (int round = 0; round < 500'000; ++round) {
    std::int64_t shape[5], strides[5];
    for (std::int64_t& n : shape) n = static_cast<std::int64_t>(numbers.next());
    for (std::int64_t& n : strides) n = static_cast<std::int64_t>(numbers.next());
    const std::size_t rank = numbers.below(6);
    ForeignArray array{.protocol = Protocol::buffer, .data = numbers.next()};
    array.dtype = {static_cast<std::uint8_t>(numbers.below(20)),
                   static_cast<std::uint8_t>(numbers.below(3) ? 32 : numbers.next()), 1};
    array.shape = std::span(shape).first(rank);
    if (numbers.below(3)) array.strides_bytes = std::span(strides).first(numbers.below(20) ? rank : 5);
    describe_array(array, desc);
    with_layout += desc.has_layout;
    if (round % 10 == 0) require_sane(desc);
  }
  CHECK(with_layout > 10'000);
}

}  // namespace
}  // namespace dlscope::core
