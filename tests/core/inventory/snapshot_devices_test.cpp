// What the CUDA driver says beside what producers claim, on the fake driver.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "core/inventory/device_events.h"
#include "core/inventory/hand_over.h"
#include "core/inventory/relation.h"
#include "core/inventory/snapshot_builder.h"
#include "core/tensor/dlpack_import.h"
#include "tests/core/devices/fake_gpu.h"

namespace dlscope::core {
namespace {

constexpr DeviceId kCuda0{2, 0}, kCuda1{2, 1}, kPinned{3, 0}, kManaged0{13, 0};

// Bytes at an address, as a producer describes them.
struct Claim {
  Address address;
  DeviceId device;
  std::int64_t bytes = 64;
  std::optional<DeviceId> object = {};  // what __dlpack_device__ says
};

// Reads nothing; counts what it was asked to touch.
class NoTouch final : public MemoryReader {
 public:
  std::size_t read(Address, std::span<std::byte>) const override {
    ++touched;
    return 0;
  }
  mutable int touched = 0;
};

struct Looked {
  std::shared_ptr<Snapshot> snapshot;
  int touched = 0;

  [[nodiscard]] const TensorRecord& tensor(std::size_t id) const { return snapshot->tensors[id]; }
  [[nodiscard]] std::string space(std::size_t id) const {
    return std::string(snapshot->str(snapshot->spaces[tensor(id).space].name));
  }
  [[nodiscard]] std::string message(std::size_t id, RemarkCode code) const {
    for (const RemarkRecord& remark : Snapshot::slice(snapshot->remarks, tensor(id).remarks)) {
      if (remark.code == code) return std::string(snapshot->str(remark.message));
    }
    return {};
  }
  [[nodiscard]] bool has_problem(std::size_t id) const {
    return std::ranges::any_of(Snapshot::slice(snapshot->remarks, tensor(id).remarks),
                               [](const RemarkRecord& remark) { return remark_kind(remark.code) == RemarkKind::problem; });
  }
};

// `with_map`: what this process has mapped counts as readable.
Looked look(const std::vector<Claim>& claims, bool with_map = false, StatisticsMethod statistics = StatisticsMethod::none) {
  SnapshotBuilder builder;
  for (const Claim& claim : claims) {
    TensorDesc desc;
    const std::int64_t shape[] = {claim.bytes};
    describe_array(
        {.protocol = Protocol::dlpack, .data = claim.address, .dtype = {1, 8, 1}, .device = claim.device, .shape = shape}, desc);
    if (claim.object) {
      desc.has_claimed_device = true;
      desc.claimed_device = *claim.object;
      if (desc.claimed_device != desc.device) desc.remark(RemarkCode::device_mismatch, "the object says otherwise");
    }
    builder.add_tensor(desc, builder.intern("test"), builder.intern("test.Tensor"), builder.intern("t"));
  }
  const auto driver = CudaDriver::open(CudaInit::only_if_initialised);
  const NoTouch reader;
  const auto map = AddressMap::load(0);
  AnalyseOptions options;
  options.cuda = driver ? &*driver : nullptr;
  options.reader = &reader;
  if (with_map) options.map = &*map;
  options.statistics = statistics;
  builder.analyse(options);
  return {builder.finish(), reader.touched};
}

TEST_CASE("an honest device tensor has the driver's word and its allocation", "[core][inventory][cuda]") {
  const FakeGpu gpu;
  const Address memory = fake_cuda_allocate("device", 1, 4096);
  const Looked looked = look({{memory + 64, kCuda1}});
  const TensorRecord& t = looked.tensor(0);
  CHECK_FALSE(looked.has_problem(0));
  REQUIRE(looked.snapshot->driver_device_of(t) != nullptr);
  CHECK(looked.snapshot->driver_device_of(t)->device == kCuda1);
  REQUIRE(looked.snapshot->allocation_of(t));
  CHECK(looked.snapshot->allocation_of(t)->range == ByteRange{memory, memory + 4096});
  CHECK(looked.space(0) == "cuda:1");
  CHECK(looked.touched == 0);
}

TEST_CASE("a producer that lies about where its memory is is named and nothing is touched", "[core][inventory][cuda]") {
  const FakeGpu gpu;
  const Address on_0 = fake_cuda_allocate("device", 0, 4096), pinned = fake_cuda_allocate("pinned", 0, 4096);
  static std::byte own[64];
  const Looked looked = look({{on_0, kCuda1},
                              {on_0, kCpuDevice},
                              {on_0, kPinned},
                              {pinned, kCuda0},
                              {reinterpret_cast<Address>(own), kCuda0},
                              {reinterpret_cast<Address>(own), kManaged0}},
                             true);
  const auto address = [](Address a) {
    char text[32];
    std::snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(a));
    return std::string(text);
  };
  const auto mismatch = [&](std::size_t id) { return looked.message(id, RemarkCode::device_mismatch); };
  CHECK(mismatch(0) == "described as cuda:1, but the CUDA driver says that " + address(on_0) + " is memory of cuda:0");
  CHECK(mismatch(1) == "described as cpu, but the CUDA driver says that " + address(on_0) + " is memory of cuda:0");
  CHECK(mismatch(2) == "described as cuda_host:0, but the CUDA driver says that " + address(on_0) + " is memory of cuda:0");
  CHECK(mismatch(3) == "described as cuda:0, but the CUDA driver says that " + address(pinned) + " is pinned host memory");
  CHECK(mismatch(4).ends_with("is no memory that the driver knows"));
  CHECK(mismatch(5).ends_with("is no memory that the driver knows"));
  for (std::size_t id = 0; id < 6; ++id) CHECK_FALSE(looked.tensor(id).readable);
  CHECK(looked.touched == 0);
  // The driver's word places them: three names of one memory, whatever they were called.
  CHECK(looked.space(0) == "cuda:0");
  CHECK(looked.space(1) == "cuda:0");
  CHECK(looked.space(3) == "host");
  REQUIRE(looked.tensor(0).group != kNone32);
  CHECK(looked.tensor(0).group == looked.tensor(1).group);
  CHECK(looked.tensor(0).group == looked.tensor(2).group);
}

TEST_CASE("the driver's contradiction counts also where capsule and object agree on the host", "[core][inventory][cuda]") {
  const FakeGpu gpu;
  const Address on_0 = fake_cuda_allocate("device", 0, 4096), pinned = fake_cuda_allocate("pinned", 0, 4096),
                managed = fake_cuda_allocate("managed", 0, 4096);
  static std::byte own[64], other[64];
  const Address host = reinterpret_cast<Address>(own);
  const Looked looked = look({{on_0, kCpuDevice, 64, kCpuDevice},     // 0: lies
                              {on_0, kCpuDevice, 64, kPinned},        // 1: lies, with two names for the host
                              {host, kPinned, 64, kPinned},           // 2: is not known to the driver
                              {pinned, kCpuDevice, 64, kPinned},      // 3: two names for one memory
                              {managed, kPinned, 64, kPinned},        // 4: another kind of host memory
                              {pinned, kCpuDevice, 64, kCuda0},       // 5: the object lies
                              {reinterpret_cast<Address>(other), kCpuDevice, 64, kCpuDevice}},  // 6
                             true);
  Snapshot& s = *looked.snapshot;
  const auto why = [&](std::size_t id) { return std::string(contradiction_about_device(s, s.tensors[id]).value_or("")); };
  CHECK(why(0).starts_with("described as cpu, but the CUDA driver says"));
  CHECK(why(1).starts_with("described as cpu, but the CUDA driver says"));
  CHECK(why(2).ends_with("is no memory that the driver knows"));
  CHECK(why(3).empty());
  CHECK(why(4).empty());
  CHECK(why(5) == "the object says otherwise");
  CHECK(why(6).empty());
  for (const std::uint32_t liar : {0U, 1U, 2U, 5U}) CHECK(judge_hand_over(s, 6, liar).verdict == HandOver::unknown);
  CHECK(judge_hand_over(s, 0, 6).why.find("is not where it says: described as cpu") != std::string::npos);
  CHECK(judge_hand_over(s, 3, 6).why.find("is not where it says") == std::string::npos);
  add_device_events(s);
  CHECK(s.events.size() == 4);
  CHECK(s.str(s.events[0].text).starts_with("t is not where its producer says: described as cpu"));
}

TEST_CASE("memory beyond the allocation's end is a problem", "[core][inventory][cuda]") {
  const FakeGpu gpu;
  const Address memory = fake_cuda_allocate("device", 0, 4096);
  const Looked looked = look({{memory + 4000, kCuda0, 100}});
  CHECK(looked.message(0, RemarkCode::extent_unreadable).find("is no memory that the driver knows") != std::string::npos);
  CHECK_FALSE(looked.snapshot->allocation_of(looked.tensor(0)));
  CHECK(looked.tensor(0).group == kNone32);
  // Beyond the end and on the wrong device: compared with nothing either.
  const Looked both = look({{memory + 4000, kCuda1, 100}, {memory + 4000, kCuda0, 50}});
  CHECK_FALSE(both.message(0, RemarkCode::device_mismatch).empty());
  CHECK(both.snapshot->driver_device_of(both.tensor(0)) == nullptr);
  CHECK(both.tensor(0).group == kNone32);
}

TEST_CASE("pinned and managed memory are told, and managed memory described as the device's shares with the host's view",
          "[core][inventory][cuda]") {
  const FakeGpu gpu;
  const Address pinned = fake_cuda_allocate("pinned", 0, 4096), managed = fake_cuda_allocate("managed", 0, 4096);
  const Looked looked =
      look({{pinned, kCpuDevice}, {pinned, kPinned}, {managed, kCuda0}, {managed, kManaged0}, {managed, kCpuDevice}});
  CHECK(looked.message(0, RemarkCode::memory_kind) == "pinned host memory, described as cpu");
  CHECK(looked.message(1, RemarkCode::memory_kind).empty());
  CHECK(looked.message(2, RemarkCode::memory_kind) == "managed memory of cuda:0, described as cuda:0");
  CHECK(looked.message(3, RemarkCode::memory_kind).empty());
  CHECK(looked.message(4, RemarkCode::memory_kind) == "managed memory of cuda:0, described as cpu");
  for (std::size_t id = 0; id < 5; ++id) {
    CHECK_FALSE(looked.has_problem(id));
    CHECK(looked.space(id) == "host");
  }
  CHECK(looked.tensor(2).group == looked.tensor(4).group);
}

TEST_CASE("a driver that does not answer leaves the capsule's word, and says so once for each", "[core][inventory][cuda]") {
  const FakeGpu gpu;
  const Address memory = fake_cuda_allocate("device", 0, 4096);
  static std::byte own[64];
  fake_cuda_fail("cuPointerGetAttributes", 700, 0);
  const Looked looked = look({{memory, kCuda0}, {reinterpret_cast<Address>(own), kCpuDevice}, {memory, kCuda0}});
  CHECK(looked.message(0, RemarkCode::memory_not_told) ==
        "asking the CUDA driver about an address failed: CUDA_ERROR_ILLEGAL_ADDRESS");
  CHECK(looked.message(1, RemarkCode::memory_not_told).empty());
  CHECK_FALSE(looked.message(2, RemarkCode::memory_not_told).empty());
  CHECK(fake_cuda_calls("cuPointerGetAttributes") == 1);
  CHECK(looked.space(0) == "cuda:0");
}

TEST_CASE("without an initialised driver nothing is different", "[core][inventory][cuda]") {
  const FakeGpu gpu(FakeGpu::Program::idle);
  const Looked looked = look({{0x7f0000000000, kCuda0}});
  CHECK_FALSE(looked.has_problem(0));
  CHECK(looked.snapshot->driver_device_of(looked.tensor(0)) == nullptr);
  CHECK(fake_cuda_calls("cuInit") == 0);
}

TEST_CASE("statistics that were asked for read the device, and only where nobody contradicts", "[core][inventory][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  std::vector<std::byte> bytes(100);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  const Address memory = gpu.filled(0, bytes), elsewhere = fake_cuda_allocate("device", 1, 64);
  static std::byte own[64];
  {
    const Looked looked =
        look({{memory, kCuda0, 100}, {memory, kCuda1}, {reinterpret_cast<Address>(own), kCuda0}, {elsewhere, kCuda1}}, false,
             StatisticsMethod::exact);
    const ValueSummary* const found = looked.snapshot->statistics_of(looked.tensor(0));
    REQUIRE(found != nullptr);
    CHECK(found->count == 100);
    CHECK(found->mean == 49.5);
    for (const std::size_t id : {1, 2, 3}) CHECK(looked.snapshot->statistics_of(looked.tensor(id)) == nullptr);
    CHECK(looked.touched == 0);
    REQUIRE(looked.snapshot->events.size() == 1);  // of the last one: no context is made
    CHECK(looked.snapshot->str(looked.snapshot->events[0].text) ==
          "no statistics: the program has no active primary context on cuda:1, and none is created just to read from it");
    fake_cuda_fail("cuMemcpyDtoHAsync_v2", 700, 0);
    const Looked failed = look({{memory, kCuda0, 100}}, false, StatisticsMethod::exact);
    REQUIRE(failed.snapshot->events.size() == 1);
    CHECK(failed.snapshot->str(failed.snapshot->events[0].text)
              .ends_with(": copying from cuda:0 failed: CUDA_ERROR_ILLEGAL_ADDRESS"));
  }
  FakeGpu::check_clean(1);
}

TEST_CASE("tensors of one allocation are one question", "[core][inventory][cuda]") {
  const FakeGpu gpu;
  const Address memory = fake_cuda_allocate("device", 0, 1 << 20);
  std::vector<Claim> claims;
  for (std::uint64_t i = 0; i < 100; ++i) claims.push_back({memory + 64 * i, kCuda0});
  const Looked looked = look(claims);
  CHECK(looked.snapshot->allocations.size() == 1);
  for (std::size_t i = 0; i < 100; ++i) CHECK(looked.snapshot->allocation_of(looked.tensor(i)));
  CHECK(fake_cuda_calls("cuPointerGetAttributes") == 1);
}

}  // namespace
}  // namespace dlscope::core
