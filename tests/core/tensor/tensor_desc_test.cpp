#include "core/tensor/tensor_desc.h"

#include <catch2/catch_test_macros.hpp>
#include <string_view>

namespace dlscope::core {
namespace {

TEST_CASE("the names of protocols, capsules and ways of reading are the report's words", "[tensor]") {
  CHECK(std::string_view(protocol_name(Protocol::dlpack)) == "dlpack");
  CHECK(std::string_view(protocol_name(Protocol::buffer)) == "buffer");
  CHECK(std::string_view(protocol_name(Protocol::array_interface)) == "array_interface");
  CHECK(std::string_view(protocol_name(Protocol::cuda_array_interface)) == "cuda_array_interface");
  CHECK(std::string_view(protocol_name(Protocol::none)).empty());
  CHECK(std::string_view(capsule_kind_name(CapsuleKind::dltensor)) == "dltensor");
  CHECK(std::string_view(capsule_kind_name(CapsuleKind::dltensor_versioned)) == "dltensor_versioned");
  CHECK(std::string_view(read_by_name(ReadBy::checked)) == "checked");
  CHECK(std::string_view(read_by_name(ReadBy::mapped)) == "mapped");
  CHECK(std::string_view(given_by_name(GivenBy::dlpack_method)) == "__dlpack__");
  CHECK(std::string_view(given_by_name(GivenBy::exchange_table)) == "__dlpack_c_exchange_api__");
  CHECK(std::string_view(given_by_name(GivenBy::held_capsule)) == "capsule");
}

TEST_CASE("packed sub-byte elements lie bit by bit, padded ones byte by byte", "[tensor]") {
  TensorDesc desc;
  desc.dtype = {0, 4, 1};
  CHECK(desc.item_bits() == 4);
  desc.subbyte_padded = Tri::no;
  CHECK(desc.item_bits() == 4);
  desc.subbyte_padded = Tri::yes;
  CHECK(desc.item_bits() == 8);
  desc.dtype = {15, 6, 3};
  CHECK(desc.item_bits() == 24);
  desc.dtype = {2, 32, 1};
  CHECK(desc.item_bits() == 32);
}

TEST_CASE("clearing a description leaves nothing of the tensor before", "[tensor]") {
  TensorDesc desc;
  desc.protocol = Protocol::dlpack;
  desc.capsule = CapsuleKind::dltensor;
  desc.read_by = ReadBy::mapped;
  desc.given_by = GivenBy::exchange_table;
  desc.read_only = desc.is_copied = desc.subbyte_padded = Tri::yes;
  desc.strides_implied = desc.has_claimed_device = desc.has_metadata = desc.has_layout = true;
  desc.version_major = desc.version_minor = 1;
  desc.dtype = {1, 2, 3};
  desc.device = desc.claimed_device = {1, 2};
  desc.data = desc.byte_offset = desc.struct_address = desc.manager = desc.deleter = 1;
  desc.rank = 5;
  desc.bounds = {1, 2, 3};
  desc.extent = {1, 2};
  desc.remark(RemarkCode::unaligned, "x");
  desc.clear();
  TensorDesc fresh;
  CHECK(desc.protocol == fresh.protocol);
  CHECK(desc.capsule == fresh.capsule);
  CHECK(desc.read_by == fresh.read_by);
  CHECK(desc.given_by == fresh.given_by);
  CHECK(desc.read_only == Tri::unknown);
  CHECK(desc.is_copied == Tri::unknown);
  CHECK(desc.subbyte_padded == Tri::unknown);
  CHECK_FALSE((desc.strides_implied || desc.has_claimed_device || desc.has_metadata || desc.has_layout));
  CHECK(desc.version_major + desc.version_minor == 0);
  CHECK(desc.dtype == fresh.dtype);
  CHECK(desc.device == fresh.device);
  CHECK(desc.claimed_device == fresh.claimed_device);
  CHECK((desc.data | desc.byte_offset | desc.struct_address | desc.manager | desc.deleter) == 0);
  CHECK(desc.rank == 0);
  CHECK(desc.bounds == fresh.bounds);
  CHECK(desc.extent == fresh.extent);
  CHECK(desc.remarks.empty());
}

}  // namespace
}  // namespace dlscope::core
