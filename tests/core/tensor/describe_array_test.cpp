// Buffer and array interfaces: the same judgement, byte strides.
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "tests/core/tensor/import_probe.h"

namespace dlscope::core {
namespace {

using namespace dlscope::tests;
using Numbers = std::vector<std::int64_t>;
constexpr DType kInt32{0, 32, 1};
constexpr Address kData = 0x7000'0000'0000;

TensorDesc look_at(const ForeignArray& array) {
  TensorDesc desc;
  desc.remark(RemarkCode::masked, "of the tensor before");
  describe_array(array, desc);
  require_sane(desc);
  CHECK(desc.read_by == ReadBy::none);
  CHECK(desc.capsule == CapsuleKind::none);
  CHECK(desc.protocol == array.protocol);
  return desc;
}

TEST_CASE("a buffer is described by its numbers", "[tensor]") {
  const Numbers shape{2, 3}, strides{12, 4};
  const TensorDesc desc = look_at({.protocol = Protocol::buffer,
                                   .data = kData,
                                   .dtype = kInt32,
                                   .read_only = true,
                                   .shape = shape,
                                   .strides_bytes = strides});
  CHECK(remark_names(desc).empty());
  CHECK(desc.read_only == Tri::yes);
  CHECK(desc.is_copied == Tri::no);
  CHECK(desc.subbyte_padded == Tri::no);
  CHECK(stride_bits_of(desc) == Numbers{96, 32});
  CHECK(desc.extent == ByteRange{kData, kData + 24});
  CHECK_FALSE(desc.strides_implied);
}

TEST_CASE("an array interface without strides is in C order, which is ordinary there", "[tensor]") {
  const Numbers shape{2, 3};
  const TensorDesc desc = look_at({.protocol = Protocol::array_interface, .data = kData, .dtype = kInt32, .shape = shape});
  CHECK(remark_names(desc).empty());
  CHECK(desc.read_only == Tri::no);
  CHECK(desc.strides_implied);
  CHECK(stride_bits_of(desc) == Numbers{96, 32});
}

TEST_CASE("byte strides need not be whole elements", "[tensor]") {
  const Numbers shape{4}, strides{5};  // a field of a packed record
  const TensorDesc desc =
      look_at({.protocol = Protocol::array_interface, .data = kData, .dtype = kInt32, .shape = shape, .strides_bytes = strides});
  CHECK(remark_names(desc) == "unaligned");
  CHECK(stride_bits_of(desc) == Numbers{40});
  CHECK(desc.extent.size() == 19);
}

TEST_CASE("a scalar array has rank 0 and no implied strides", "[tensor]") {
  const TensorDesc desc = look_at({.protocol = Protocol::buffer, .data = kData, .dtype = kInt32});
  CHECK(remark_names(desc).empty());
  CHECK_FALSE(desc.strides_implied);
  CHECK(desc.extent.size() == 4);
}

TEST_CASE("device memory through its array interface keeps its device", "[tensor]") {
  const Numbers shape{8};
  const TensorDesc desc =
      look_at({.protocol = Protocol::cuda_array_interface, .data = kData, .dtype = kInt32, .device = {2, 0}, .shape = shape});
  CHECK(remark_names(desc).empty());
  CHECK(desc.device == DeviceId{2, 0});
}

TEST_CASE("arrays that cannot be are refused as structs are", "[tensor]") {
  const Numbers negative{-2}, one{1}, two{2, 2}, many(65, 1), huge{std::numeric_limits<std::int64_t>::max()};
  const ForeignArray base{.protocol = Protocol::buffer, .data = kData, .dtype = kInt32};
  ForeignArray array = base;
  array.shape = negative;
  CHECK(remark_names(look_at(array)) == "negative_dimension");
  array = base;
  array.shape = two;
  array.strides_bytes = one;
  CHECK(remark_names(look_at(array)) == "strides_unreadable");
  array = base;
  array.strides_bytes = one;
  CHECK(remark_names(look_at(array)) == "strides_unreadable");
  array = base;
  array.shape = many;
  CHECK(remark_names(look_at(array)) == "ndim_out_of_range");
  array = base;
  array.shape = huge;
  CHECK(remark_names(look_at(array)) == "size_overflow");
  array.shape = two;
  array.strides_bytes = Numbers{};
  array.data = 0;
  CHECK(remark_names(look_at(array)) == "data_null");
  array.dtype = {0, 0, 1};
  CHECK(remark_names(look_at(array)) == "bits_zero");
}

TEST_CASE("a byte stride that does not fit bits is refused", "[tensor]") {
  const Numbers shape{2}, strides{std::numeric_limits<std::int64_t>::min()};
  CHECK(remark_names(
            look_at({.protocol = Protocol::buffer, .data = kData, .dtype = kInt32, .shape = shape, .strides_bytes = strides})) ==
        "size_overflow");
}

TEST_CASE("a byte stride of an axis of length 1 or of an empty array may be any number", "[tensor]") {
  const Numbers strides{std::int64_t{1} << 62, 8};
  for (const auto& shape : {Numbers{1, 3}, Numbers{0, 3}, Numbers{5, 0}}) {
    const TensorDesc desc =
        look_at({.protocol = Protocol::buffer, .data = kData, .dtype = kInt32, .shape = shape, .strides_bytes = strides});
    CHECK(desc.has_layout);
    CHECK(remark_names(desc) == "stride_capped");
    CHECK(desc.stride_bits[0] == kCappedStride);
  }
}

}  // namespace
}  // namespace dlscope::core
