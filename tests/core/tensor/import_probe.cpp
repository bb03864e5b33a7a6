#include "tests/core/tensor/import_probe.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/asked_memory.h"

namespace dlscope::tests {
namespace {

using core::Address;
using core::CapsuleKind;
using core::ReadBy;
using core::TensorDesc;

const core::MemoryReader& own_reader() {
  static const auto reader = core::process_reader(0).value();
  return *reader;
}

// The struct's address and how it was read differ between the ways, and so may the addresses in messages.
void require_same(const TensorDesc& a, const TensorDesc& b) {
  REQUIRE(remark_names(a) == remark_names(b));
  REQUIRE(a.has_metadata == b.has_metadata);
  REQUIRE(a.has_layout == b.has_layout);
  REQUIRE(a.read_only == b.read_only);
  REQUIRE(a.is_copied == b.is_copied);
  REQUIRE(a.subbyte_padded == b.subbyte_padded);
  REQUIRE(a.version_major == b.version_major);
  REQUIRE(a.version_minor == b.version_minor);
  REQUIRE(a.dtype == b.dtype);
  REQUIRE(a.device == b.device);
  REQUIRE(a.data == b.data);
  REQUIRE(a.byte_offset == b.byte_offset);
  REQUIRE(a.manager == b.manager);
  REQUIRE(a.deleter == b.deleter);
  REQUIRE(a.strides_implied == b.strides_implied);
  if (a.has_metadata) REQUIRE(shape_of(a) == shape_of(b));
  if (a.has_layout) {
    REQUIRE(stride_bits_of(a) == stride_bits_of(b));
    REQUIRE(a.bounds == b.bounds);
    REQUIRE(a.extent == b.extent);
  }
}

}  // namespace

TensorDesc look(const Claim& claim, CapsuleKind kind) {
  FakeProducer plain(Placement::plain);
  FakeProducer guarded(Placement::guarded);
  const TensorDesc first = look_checked(guarded.write(claim, kind), kind);
  require_same(first, look_checked(plain.write(claim, kind), kind));
  for (FakeProducer* producer : {&plain, &guarded}) {
    TensorDesc mapped;
    const Address managed = producer->write(claim, kind);
    AskedMemory everything;
    const bool described = core::describe_managed_mapped(managed, kind, everything, mapped);
    REQUIRE(described == (claim.deleter != 0));  // nobody vouches for a struct that belongs to nobody
    if (!described) continue;
    REQUIRE(mapped.read_by == ReadBy::mapped);
    REQUIRE(mapped.struct_address == managed);
    require_sane(mapped);
    require_same(first, mapped);
  }
  return first;
}

TensorDesc look_checked(Address managed, CapsuleKind kind, const core::AddressMap* map) {
  TensorDesc desc;
  desc.remark(core::RemarkCode::masked, "of the tensor before");
  core::describe_managed_checked(managed, kind, own_reader(), map, desc);
  REQUIRE(desc.read_by == ReadBy::checked);
  REQUIRE(desc.protocol == core::Protocol::dlpack);
  REQUIRE(desc.capsule == kind);
  REQUIRE(desc.struct_address == managed);
  require_sane(desc);
  return desc;
}

std::string remark_names(const TensorDesc& desc) {
  std::string names;
  for (const core::Remark& remark : desc.remarks) {
    if (!names.empty()) names += ' ';
    names += core::remark_code_name(remark.code);
  }
  return names;
}

std::vector<std::int64_t> shape_of(const TensorDesc& desc) { return {desc.shape.begin(), desc.shape.begin() + desc.rank}; }
std::vector<std::int64_t> stride_bits_of(const TensorDesc& desc) {
  return {desc.stride_bits.begin(), desc.stride_bits.begin() + desc.rank};
}

void require_sane(const TensorDesc& desc) {
  bool has_problem = false;
  for (const core::Remark& remark : desc.remarks) {
    REQUIRE_FALSE(remark.message.empty());
    REQUIRE(remark.message.size() < 4096);
    REQUIRE(remark.code != core::RemarkCode::masked);  // cleared
    has_problem |= core::remark_kind(remark.code) == core::RemarkKind::problem;
  }
  REQUIRE((desc.rank >= 0 && desc.rank <= core::kMaxRank));
  if (!desc.has_metadata) REQUIRE_FALSE(desc.has_layout);
  if (!desc.has_layout) {
    REQUIRE(has_problem);  // nothing is left out without a word
    REQUIRE(desc.extent.empty());
    return;
  }
  core::LayoutBounds bounds;
  REQUIRE(core::check_layout(desc.layout(), bounds) == core::LayoutFault::none);
  REQUIRE(bounds == desc.bounds);
  REQUIRE(desc.extent.begin <= desc.extent.end);
  const bool placed = desc.data != 0 && bounds.elements > 0 && core::device_memory(desc.device) != core::DeviceMemory::handle;
  REQUIRE(desc.extent.empty() == !placed);
  if (placed) REQUIRE(desc.extent.contains(desc.address()));
}

}  // namespace dlscope::tests
