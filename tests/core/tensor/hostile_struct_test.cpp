// Structs that are wrong: one case for each way engineering experience knows, and a few more. Nothing may crash, and
// every description says what is wrong.
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "tests/core/tensor/import_probe.h"
#include "tests/support/asked_memory.h"

namespace dlscope::core {
namespace {

using namespace dlscope::tests;
using Numbers = std::vector<std::int64_t>;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr auto kBothKinds = {kVersioned, kLegacy};

TEST_CASE("of another major version only the deleter is taken", "[tensor]") {
  for (const std::uint32_t major : {0u, 2u, 70'000u}) {
    // Also when everything else is hostile: it must not be looked at.
    const Claim claim{.major = major, .device_type = 0, .ndim = 1 << 30, .dtype = {255, 0, 0}, .shape_address = 8};
    const TensorDesc desc = look(claim);
    CHECK(remark_names(desc) == "wrong_major_version");
    CHECK_FALSE(desc.has_metadata);
    CHECK(desc.deleter == claim.deleter);
    CHECK(desc.manager == claim.manager);
    CHECK(desc.version_major == (major > 0xffff ? 0xffff : major));
  }
}

TEST_CASE("a versioned struct under the legacy name is recognised", "[tensor]") {
  FakeProducer producer(Placement::guarded);
  for (const auto& claim :
       {Claim{}, Claim{.manager = 0, .deleter = 0}, Claim{.minor = 0, .shape = std::nullopt, .strides = std::nullopt}}) {
    const TensorDesc desc = look_checked(producer.write(claim, kVersioned), kLegacy);
    CHECK(remark_names(desc) == "struct_kind_mismatch");
    CHECK_FALSE(desc.has_metadata);
  }
}

TEST_CASE("a legacy struct under the versioned name is recognised, at the end of memory too", "[tensor]") {
  for (const auto placement : {Placement::guarded, Placement::plain}) {
    FakeProducer producer(placement);
    const TensorDesc desc = look_checked(producer.write({}, kLegacy), kVersioned);
    CHECK(remark_names(desc) == "struct_kind_mismatch");
    CHECK_FALSE(desc.has_metadata);
    TensorDesc mapped;
    AskedMemory everything;
    CHECK(describe_managed_mapped(producer.write({}, kLegacy), kVersioned, everything, mapped));
    CHECK(remark_names(mapped) == "struct_kind_mismatch");
  }
}

TEST_CASE("dimensions without a shape are a problem", "[tensor]") {
  for (const auto kind : kBothKinds) {
    const TensorDesc desc = look({.ndim = 2, .shape = std::nullopt}, kind);
    CHECK(remark_names(desc) == "shape_null");
    CHECK_FALSE(desc.has_metadata);
    CHECK(desc.rank == 0);
  }
}

TEST_CASE("an absurd number of dimensions is refused before anything is read", "[tensor]") {
  for (const std::int32_t ndim :
       {-1, 65, 1 << 30, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()}) {
    for (const auto kind : kBothKinds) {
      const TensorDesc desc = look({.ndim = ndim}, kind);
      CHECK(remark_names(desc) == "ndim_out_of_range");
      CHECK_FALSE(desc.has_metadata);
    }
  }
}

TEST_CASE("more dimensions than the arrays hold are unreadable, not read past the end", "[tensor]") {
  FakeProducer producer(Placement::guarded);
  const TensorDesc desc = look_checked(producer.write({.ndim = 60}, kVersioned), kVersioned);
  CHECK(remark_names(desc) == "shape_unreadable");
  CHECK_FALSE(desc.has_metadata);
  const TensorDesc strides = look_checked(producer.write({.shape = Numbers(60, 1), .strides = Numbers{1}}, kLegacy), kLegacy);
  CHECK(remark_names(strides) == "strides_unreadable");
  CHECK(strides.has_metadata);
  CHECK(shape_of(strides) == Numbers(60, 1));
  CHECK_FALSE(strides.has_layout);
}

TEST_CASE("arrays anywhere at all are unreadable, not fatal", "[tensor]") {
  const GuardedMemory guarded(1);
  FakeProducer producer(Placement::plain);
  for (const Address wild : {Address{1}, Address{4096}, guarded.guard_address(), Address{0x0000'8000'0000'0000},
                             Address{0xffff'8000'0000'0000}, ~Address{0}, ~Address{0} - 7, ~Address{0} - 15}) {
    CAPTURE(wild);
    CHECK(remark_names(look_checked(producer.write({.shape_address = wild}, kVersioned), kVersioned)) == "shape_unreadable");
    CHECK(remark_names(look_checked(producer.write({.strides_address = wild}, kLegacy), kLegacy)) == "strides_unreadable");
  }
}

TEST_CASE("a negative dimension is a problem, whatever else overflows", "[tensor]") {
  for (const auto& claim : {Claim{.shape = Numbers{2, -1}}, Claim{.shape = Numbers{kMin, 3}}, Claim{.shape = Numbers{0, -1}},
                            Claim{.shape = Numbers{-1, 3}, .strides = Numbers{kMax, kMax}},
                            Claim{.shape = Numbers{kMax, kMin}, .strides = std::nullopt, .deleter = 0}}) {
    const TensorDesc desc = look(claim);
    CHECK(desc.remarks.back().code == RemarkCode::negative_dimension);
    CHECK(desc.has_metadata);
    CHECK_FALSE(desc.has_layout);
    CHECK(shape_of(desc) == *claim.shape);
  }
}

TEST_CASE("a stride of 2^62 elements is refused, not wrapped", "[tensor]") {
  for (const std::int64_t stride : {std::int64_t{1} << 62, -(std::int64_t{1} << 62), std::int64_t{1} << 58, kMax, kMin}) {
    for (const auto kind : kBothKinds) {
      const TensorDesc desc = look({.strides = Numbers{stride, 1}}, kind);
      CHECK(remark_names(desc) == "size_overflow");
      CHECK(desc.has_metadata);
      CHECK_FALSE(desc.has_layout);
    }
  }
}

TEST_CASE("a stride that nobody steps along may be any number", "[tensor]") {
  for (const std::int64_t stride : {std::int64_t{1} << 60, -(std::int64_t{1} << 62), kMax, kMin}) {
    CAPTURE(stride);
    for (const auto kind : kBothKinds) {
      for (const auto& shape : {Numbers{1, 3}, Numbers{0, 3}, Numbers{3, 0}}) {
        const TensorDesc desc = look({.shape = shape, .strides = Numbers{stride, 1}}, kind);
        REQUIRE(desc.has_layout);
        CHECK(remark_names(desc) == "stride_capped");
        CHECK(desc.remarks.back().message.find(std::to_string(stride)) != std::string::npos);
        CHECK(desc.stride_bits[0] == (stride < 0 ? -kCappedStride : kCappedStride));
        CHECK(desc.bounds.elements == static_cast<std::uint64_t>(shape[0] * shape[1]));
        CHECK(desc.bounds.lowest_bit == 0);
        CHECK(desc.bounds.highest_bit == (desc.bounds.elements > 0 ? 3 * 32 : 0));
      }
    }
  }
  // What still fits is told as it is.
  const TensorDesc fits = look({.shape = Numbers{1, 3}, .strides = Numbers{std::int64_t{1} << 57, 1}});
  CHECK(remark_names(fits).empty());
  CHECK(fits.stride_bits[0] == std::int64_t{1} << 62);
}

TEST_CASE("C order is implied for an empty tensor of any size", "[tensor]") {
  const TensorDesc desc = look({.shape = Numbers{kMax, kMax, 0}, .strides = std::nullopt}, kLegacy);
  CHECK(remark_names(desc) == "strides_implied stride_capped");
  REQUIRE(desc.has_layout);
  CHECK(desc.bounds == LayoutBounds{});
  CHECK(desc.stride_bits[0] == kCappedStride);
}

TEST_CASE("sizes whose product overflows are refused", "[tensor]") {
  for (const auto& shape : {Numbers{std::int64_t{1} << 32, std::int64_t{1} << 32}, Numbers{kMax, kMax}, Numbers{kMax, 1},
                            Numbers{2, std::int64_t{1} << 58}}) {
    CHECK(remark_names(look({.shape = shape, .strides = Numbers{0, 0}})) == "size_overflow");
    CHECK(remark_names(look({.shape = shape, .strides = std::nullopt}, kLegacy)) == "strides_implied size_overflow");
  }
  CHECK(remark_names(look({.dtype = {kDLInt, 255, 65535}, .shape = Numbers{std::int64_t{1} << 40}, .strides = Numbers{0}}))
            .ends_with("size_overflow"));
}

TEST_CASE("elements without bits or lanes show their metadata only", "[tensor]") {
  const TensorDesc bits = look({.dtype = {kDLFloat, 0, 1}});
  CHECK(remark_names(bits) == "bits_zero");
  CHECK(bits.has_metadata);
  CHECK_FALSE(bits.has_layout);
  CHECK(shape_of(bits) == Numbers{2, 3});
  CHECK(remark_names(look({.dtype = {kDLFloat, 32, 0}})) == "lanes_zero");
  CHECK(remark_names(look({.dtype = {kDLFloat, 0, 0}})) == "bits_zero lanes_zero");
}

TEST_CASE("a dtype nobody knows keeps its layout", "[tensor]") {
  const TensorDesc odd = look({.dtype = {kDLInt, 7, 1}});
  CHECK(remark_names(odd) == "dtype_unknown");
  CHECK(odd.remarks[0].message == "code0_bits7");
  CHECK(odd.bounds == LayoutBounds{6, 0, 42});
  const TensorDesc code = look({.dtype = {99, 32, 1}});
  CHECK(remark_names(code) == "dtype_unknown");
  CHECK(code.has_layout);
}

TEST_CASE("a byte offset that wraps is a problem, also for an empty tensor", "[tensor]") {
  const std::uint64_t back = ~std::uint64_t{0} - 63;  // -64
  const TensorDesc desc = look({.byte_offset = back});
  CHECK(remark_names(desc) == "byte_offset_used address_overflow");
  CHECK_FALSE(desc.has_layout);
  CHECK(remark_names(look({.shape = Numbers{0}, .strides = Numbers{1}, .byte_offset = back})) ==
        "byte_offset_used address_overflow");
}

TEST_CASE("an extent that leaves the address space at either end is a problem", "[tensor]") {
  CHECK(remark_names(look({.data = 16, .strides = Numbers{-100, 1}})) == "address_overflow");
  CHECK(remark_names(look({.data = ~Address{0} - 7})) == "address_overflow");
  CHECK(remark_names(look({.shape = Numbers{2}, .strides = Numbers{-((std::int64_t{1} << 57))}})) == "address_overflow");
  CHECK(remark_names(look({.data = ~Address{0}, .device_type = kDLMetal, .byte_offset = 5})) == "byte_offset_used");  // a handle
}

TEST_CASE("NULL data of a tensor with elements is a problem and touches no byte", "[tensor]") {
  for (const auto kind : kBothKinds) {
    const TensorDesc desc = look({.data = 0}, kind);
    CHECK(remark_names(desc) == "data_null");
    CHECK(desc.has_layout);
    CHECK(desc.bounds.elements == 6);
    CHECK(desc.extent == ByteRange{});
  }
  CHECK(remark_names(look({.data = 0, .byte_offset = 64})) == "byte_offset_used data_null");
  CHECK(remark_names(look({.data = 0, .device_type = kDLCUDA})) == "data_null");
}

TEST_CASE("devices nobody knows are noted and keep their numbers", "[tensor]") {
  for (const std::int32_t type : {0, 5, 99, -1, std::numeric_limits<std::int32_t>::min()}) {
    const TensorDesc desc = look({.device_type = type, .device_id = -3});
    CHECK(remark_names(desc) == "device_unknown");
    CHECK(desc.device == DeviceId{type, -3});
    CHECK(desc.has_layout);
  }
}

TEST_CASE("garbage pointers in place of a struct are survived", "[tensor]") {
  const AddressMap map = AddressMap::load(0).value();
  const GuardedMemory guarded(1);
  for (const Address wild : {Address{0}, Address{1}, Address{8}, guarded.guard_address(), guarded.guard_address() - 8,
                             Address{0x0000'8000'0000'0000}, Address{0xffff'ffff'8000'0000}, ~Address{0}, ~Address{0} - 63}) {
    for (const auto kind : kBothKinds) {
      CAPTURE(wild);
      const TensorDesc desc = look_checked(wild, kind, &map);
      CHECK(remark_names(desc) == "struct_unreadable");
      CHECK_FALSE(desc.has_metadata);
    }
  }
}

TEST_CASE("memory that was unmapped is unreadable", "[tensor]") {
  Address gone = 0;
  {
    FakeProducer producer(Placement::guarded);
    gone = producer.write({}, kVersioned);
  }
  CHECK(remark_names(look_checked(gone, kVersioned)) == "struct_unreadable");
}

TEST_CASE("code taken for a struct says something and does no harm", "[tensor]") {
  const AddressMap map = AddressMap::load(0).value();
  const Address code = reinterpret_cast<Address>(&never_called);
  int described = 0;
  for (Address at = code & ~Address{4095}; at < (code & ~Address{4095}) + 2048; ++at) {
    for (const auto kind : kBothKinds) described += look_checked(at, kind, &map).remarks.empty() ? 0 : 1;
  }
  CHECK(described > 4000);  // hardly any run of code looks like a tensor
}

TEST_CASE("a Python object taken for a struct is not a tensor", "[tensor]") {
  // {refcount, type, size, hash, ...} as CPython lays a bytes object out: addresses and small numbers.
  FakeProducer producer(Placement::plain);
  const std::uint64_t type = producer.store(std::vector<std::byte>(256));
  for (const std::uint64_t refcount : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{0xffff'ffff}}) {
    const std::uint64_t object[] = {refcount, type, 5, ~std::uint64_t{0}, 0x6f6c6c6568, 0, 0, 0, 0, 0, 0, 0};
    const Address at = producer.store(std::as_bytes(std::span(object)));
    for (const auto kind : kBothKinds) CHECK_FALSE(look_checked(at, kind).has_layout);
  }
}

}  // namespace
}  // namespace dlscope::core
