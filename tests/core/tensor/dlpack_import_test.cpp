// Honest producers: every field arrives, and only what is worth knowing is remarked.
#include "core/tensor/dlpack_import.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <utility>
#include <vector>

#include "tests/core/tensor/import_probe.h"
#include "tests/support/asked_memory.h"

namespace dlscope::core {
namespace {

using namespace dlscope::tests;
using Numbers = std::vector<std::int64_t>;

TEST_CASE("an ordinary versioned tensor arrives whole and without remarks", "[tensor]") {
  const TensorDesc desc = look({});
  CHECK(remark_names(desc).empty());
  CHECK(desc.has_metadata);
  CHECK(desc.has_layout);
  CHECK(desc.version_major == 1);
  CHECK(desc.version_minor == 3);
  CHECK(desc.dtype == DType{2, 32, 1});
  CHECK(desc.device == kCpuDevice);
  CHECK(shape_of(desc) == Numbers{2, 3});
  CHECK(stride_bits_of(desc) == Numbers{96, 32});
  CHECK_FALSE(desc.strides_implied);
  CHECK(desc.read_only == Tri::no);
  CHECK(desc.is_copied == Tri::no);
  CHECK(desc.subbyte_padded == Tri::no);
  CHECK(desc.bounds == LayoutBounds{6, 0, 192});
  CHECK(desc.extent == ByteRange{0x7000'0000'0000, 0x7000'0000'0018});
  CHECK(desc.manager == 0x1234);
  CHECK(desc.deleter == reinterpret_cast<Address>(&never_called));
}

TEST_CASE("a legacy tensor says nothing about flags, and no remark repeats that", "[tensor]") {
  const TensorDesc desc = look({}, kLegacy);
  CHECK(remark_names(desc).empty());
  CHECK(desc.has_layout);
  CHECK(desc.version_major == 0);
  CHECK(desc.read_only == Tri::unknown);
  CHECK(desc.is_copied == Tri::unknown);
  CHECK(desc.subbyte_padded == Tri::unknown);
  CHECK(desc.extent.size() == 24);
}

TEST_CASE("each flag arrives by itself", "[tensor]") {
  CHECK(look({.flags = DLPACK_FLAG_BITMASK_READ_ONLY}).read_only == Tri::yes);
  CHECK(look({.flags = DLPACK_FLAG_BITMASK_READ_ONLY}).is_copied == Tri::no);
  CHECK(look({.flags = DLPACK_FLAG_BITMASK_IS_COPIED}).is_copied == Tri::yes);
  CHECK(look({.flags = DLPACK_FLAG_BITMASK_IS_COPIED}).read_only == Tri::no);
  CHECK(look({.flags = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED}).subbyte_padded == Tri::yes);
}

TEST_CASE("flags and minor versions of the future are accepted and noted", "[tensor]") {
  const TensorDesc flags = look({.flags = 0x8000'0000'0000'0009});
  CHECK(remark_names(flags) == "unknown_flags");
  CHECK(flags.read_only == Tri::yes);
  CHECK(flags.has_layout);
  const TensorDesc minor = look({.minor = 4});
  CHECK(remark_names(minor) == "unknown_minor_version");
  CHECK(minor.has_layout);
  CHECK(look({.minor = 0xffff'ffff}).version_minor == 0xffff);
}

TEST_CASE("a tensor of rank 0 needs neither shape nor strides", "[tensor]") {
  for (const auto kind : {kVersioned, kLegacy}) {
    const TensorDesc desc = look({.shape = std::nullopt, .strides = std::nullopt}, kind);
    CHECK(remark_names(desc).empty());
    CHECK(desc.has_layout);
    CHECK(desc.rank == 0);
    CHECK_FALSE(desc.strides_implied);
    CHECK(desc.bounds.elements == 1);
    CHECK(desc.extent.size() == 4);
  }
}

TEST_CASE("NULL strides mean C order, and are improper from 1.2 on", "[tensor]") {
  const TensorDesc legacy = look({.strides = std::nullopt}, kLegacy);
  CHECK(remark_names(legacy) == "strides_implied");
  CHECK(legacy.strides_implied);
  CHECK(stride_bits_of(legacy) == Numbers{96, 32});
  CHECK(remark_names(look({.minor = 1, .strides = std::nullopt})) == "strides_implied");
  const TensorDesc late = look({.minor = 2, .strides = std::nullopt});
  CHECK(remark_names(late) == "strides_implied strides_null_since_1_2");
  CHECK(late.has_layout);
}

TEST_CASE("NULL strides under an unknown flag mean nothing known", "[tensor]") {
  const TensorDesc desc = look({.flags = std::uint64_t{1} << 40, .strides = std::nullopt});
  CHECK(remark_names(desc) == "unknown_flags strides_unreadable");
  CHECK(desc.has_metadata);
  CHECK_FALSE(desc.has_layout);
  CHECK_FALSE(desc.strides_implied);
  CHECK(look({.flags = std::uint64_t{1} << 40, .shape = std::nullopt, .strides = std::nullopt}).has_layout);  // of rank 0
}

TEST_CASE("negative and zero strides are legal", "[tensor]") {
  const TensorDesc backwards = look({.shape = Numbers{4, 2, 3}, .strides = Numbers{-6, 3, -1}});
  CHECK(remark_names(backwards) == "negative_stride");
  CHECK(backwards.remarks[0].message == "axis 0, 2");
  CHECK(backwards.extent == ByteRange{0x7000'0000'0000 - 80, 0x7000'0000'0000 + 16});
  const TensorDesc broadcast = look({.shape = Numbers{1000, 3}, .strides = Numbers{0, 1}});
  CHECK(remark_names(broadcast).empty());
  CHECK(broadcast.bounds.elements == 3000);
  CHECK(broadcast.extent.size() == 12);
}

TEST_CASE("byte_offset moves the first element, and is noted", "[tensor]") {
  const TensorDesc desc = look({.byte_offset = 8});
  CHECK(remark_names(desc) == "byte_offset_used");
  CHECK(desc.data == 0x7000'0000'0000);
  CHECK(desc.address() == 0x7000'0000'0008);
  CHECK(desc.extent == ByteRange{0x7000'0000'0008, 0x7000'0000'0020});
}

TEST_CASE("an empty tensor may have any data pointer", "[tensor]") {
  for (const Address data : {Address{0}, Address{0x7000'0000'0001}}) {
    const TensorDesc desc = look({.data = data, .shape = Numbers{3, 0}, .strides = Numbers{1, 1}});
    CHECK(remark_names(desc).empty());
    CHECK(desc.has_layout);
    CHECK(desc.extent == ByteRange{data, data});
  }
  CHECK(remark_names(look({.data = 0, .shape = Numbers{0}, .strides = std::nullopt}, kLegacy)) == "strides_implied");
}

TEST_CASE("an address that is no multiple of the element's size is noted", "[tensor]") {
  const TensorDesc desc = look({.data = 0x7000'0000'0002});
  CHECK(remark_names(desc) == "unaligned");
  CHECK(desc.remarks[0].message == "address is 2 past a multiple of 4");
  CHECK(desc.has_layout);
  CHECK(remark_names(look({.data = 0x7000'0000'0001, .byte_offset = 3})) == "byte_offset_used");
  CHECK(remark_names(look({.data = 0x7000'0000'0008, .dtype = {kDLComplex, 128, 1}})).empty());  // two doubles
  CHECK(remark_names(look({.data = 0x7000'0000'0004, .dtype = {kDLComplex, 128, 1}})) == "unaligned");
  CHECK(remark_names(look({.data = 0x7000'0000'0001, .dtype = {kDLUInt, 8, 4}})).empty());  // lanes of one byte
}

TEST_CASE("vector lanes make one element", "[tensor]") {
  const TensorDesc desc = look({.dtype = {kDLUInt, 8, 4}});
  CHECK(stride_bits_of(desc) == Numbers{96, 32});
  CHECK(desc.extent.size() == 24);
}

TEST_CASE("sub-byte elements are packed unless the flag says padded", "[tensor]") {
  const TensorDesc packed = look({.dtype = {kDLInt, 4, 1}, .shape = Numbers{5}, .strides = Numbers{1}});
  CHECK(stride_bits_of(packed) == Numbers{4});
  CHECK(packed.extent.size() == 3);
  const TensorDesc padded = look(
      {.flags = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED, .dtype = {kDLInt, 4, 1}, .shape = Numbers{5}, .strides = Numbers{1}});
  CHECK(stride_bits_of(padded) == Numbers{8});
  CHECK(padded.extent.size() == 5);
  const TensorDesc torch_fp4 = look({.dtype = {kDLFloat4_e2m1fn, 4, 2}, .shape = Numbers{5}, .strides = Numbers{1}});
  CHECK(remark_names(torch_fp4).empty());
  CHECK(torch_fp4.extent.size() == 5);
}

TEST_CASE("memory of other devices keeps its address, handles have none", "[tensor]") {
  const TensorDesc cuda = look({.device_type = kDLCUDA, .device_id = 1});
  CHECK(remark_names(cuda).empty());
  CHECK(cuda.extent.size() == 24);
  const TensorDesc metal = look({.device_type = kDLMetal, .byte_offset = 16});
  CHECK(remark_names(metal) == "byte_offset_used");
  CHECK(metal.has_layout);
  CHECK(metal.extent == ByteRange{});
  CHECK(remark_names(look({.device_type = kDLCUDAHost})).empty());
}

TEST_CASE("a CPU tensor with a device number is noted", "[tensor]") {
  const TensorDesc desc = look({.device_id = 7});
  CHECK(remark_names(desc) == "device_id_nonzero");
  CHECK(desc.device == DeviceId{1, 7});
}

TEST_CASE("a struct without a deleter is legal", "[tensor]") {
  for (const auto kind : {kVersioned, kLegacy}) {
    const TensorDesc desc = look({.deleter = 0}, kind);
    CHECK(remark_names(desc) == "deleter_null");
    CHECK(desc.has_layout);
  }
}

TEST_CASE("the highest rank is 64", "[tensor]") {
  const TensorDesc desc = look({.shape = Numbers(64, 1), .strides = Numbers(64, 5)});
  CHECK(remark_names(desc).empty());
  CHECK(desc.rank == 64);
  CHECK(desc.bounds.elements == 1);
  CHECK(look({.shape = Numbers(64, 1), .strides = std::nullopt}, kLegacy).has_layout);
}

TEST_CASE("the deleter is asked for in the map of executable memory", "[tensor]") {
  const AddressMap map = AddressMap::load(0).value();
  FakeProducer producer(Placement::plain);
  CHECK(remark_names(look_checked(producer.write({}, kVersioned), kVersioned, &map)).empty());
  const Address on_heap = producer.store(std::vector<std::byte>(64));
  CHECK(remark_names(look_checked(producer.write({.deleter = on_heap}, kVersioned), kVersioned, &map)) == "deleter_not_code");
  CHECK(remark_names(look_checked(producer.write({.deleter = 8}, kLegacy), kLegacy, &map)) == "deleter_not_code");
  CHECK(remark_names(look_checked(producer.write({.deleter = 8}, kLegacy), kLegacy)).empty());  // no map, no verdict
}

TEST_CASE("mapped reading declines what lies outside the known mappings", "[tensor]") {
  const auto none_but = [](std::vector<Address> known) {
    return AskedMemory([=](Address address, std::size_t) { return std::ranges::count(known, address) != 0; });
  };
  FakeProducer producer(Placement::plain);
  const Numbers shape{2, 3}, strides{3, 1};
  const Address shape_at = producer.store(std::as_bytes(std::span(shape)));
  const Address strides_at = producer.store(std::as_bytes(std::span(strides)));
  const Address managed = producer.write({.shape_address = shape_at, .strides_address = strides_at}, kVersioned);
  TensorDesc desc;
  auto all = none_but({managed, shape_at, strides_at});
  CHECK(describe_managed_mapped(managed, kVersioned, all, desc));
  for (const auto& known : {std::vector{managed, shape_at}, {managed, strides_at}, {shape_at, strides_at}}) {
    auto some = none_but(known);
    CHECK_FALSE(describe_managed_mapped(managed, kVersioned, some, desc));
  }
  const Address implied = producer.write({.shape = std::nullopt, .strides = std::nullopt}, kVersioned);
  auto struct_alone = none_but({implied});
  CHECK(describe_managed_mapped(implied, kVersioned, struct_alone, desc));  // rank 0: no array to ask about
  // What is wild is never loaded, only asked about.
  const Address wild = producer.write({.shape_address = 8, .strides_address = 16}, kVersioned);
  auto without_arrays = none_but({wild});
  CHECK_FALSE(describe_managed_mapped(wild, kVersioned, without_arrays, desc));
  auto nothing = none_but({});
  CHECK_FALSE(describe_managed_mapped(8, kVersioned, nothing, desc));
  CHECK_FALSE(describe_managed_mapped(managed + 1, kVersioned, all, desc));
}

TEST_CASE("mapped reading declines structs whose deleter nobody vouches for", "[tensor]") {
  FakeProducer producer(Placement::plain);
  const auto anywhere = [](Address, std::size_t) { return true; };
  AskedMemory memory(anywhere, [](Address deleter) { return deleter == 0x10; });
  TensorDesc desc;
  for (const auto kind : {kVersioned, kLegacy}) {
    CHECK(describe_managed_mapped(producer.write({.deleter = 0x10}, kind), kind, memory, desc));
    CHECK(desc.deleter == 0x10);
    CHECK_FALSE(describe_managed_mapped(producer.write({.deleter = 0x20}, kind), kind, memory, desc));
    CHECK_FALSE(describe_managed_mapped(producer.write({.deleter = 0}, kind), kind, memory, desc));
    CHECK_FALSE(describe_managed_mapped(producer.write({.major = 2, .deleter = 0x20}, kVersioned), kVersioned, memory, desc));
  }
}

// The importer asks about neighbours in rows: a yes must not spread to what was not asked.
TEST_CASE("mapped memory remembers an answer, for that range and that deleter alone", "[tensor]") {
  class Remembering final : public MappedMemory {
   public:
    int asked = 0;

   private:
    bool look_up(Address address, std::size_t size) override {
      ++asked;
      const ByteRange known{100, 200};
      if (known.holds(address, size)) last_range_ = known;
      return known.holds(address, size);
    }
    bool look_up_deleter(Address deleter) override {
      ++asked;
      last_deleter_ = {deleter, deleter == 7};
      return last_deleter_.trusted;
    }
  };
  Remembering memory;
  CHECK_FALSE(memory.trusts(0));
  CHECK(memory.asked == 0);
  CHECK(memory.contains(100, 8));
  CHECK(memory.contains(192, 8));
  CHECK(memory.asked == 1);
  for (const auto& [address, size] : {std::pair<Address, std::size_t>{99, 8}, {193, 8}, {200, 1}, {150, ~std::size_t{0}}}) {
    CHECK_FALSE(memory.contains(address, size));
  }
  CHECK(memory.asked == 5);
  CHECK_FALSE(memory.trusts(8));
  CHECK_FALSE(memory.trusts(8));
  CHECK(memory.trusts(7));
  CHECK(memory.trusts(7));
  CHECK(memory.asked == 7);
}

}  // namespace
}  // namespace dlscope::core
