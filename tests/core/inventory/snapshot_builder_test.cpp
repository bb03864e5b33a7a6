#include "core/inventory/snapshot_builder.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/core/inventory/sample_snapshot.h"

namespace dlscope::core {
namespace {

using testing::array_desc;
using testing::capsule_desc;

std::vector<std::string> names_of(const Snapshot& s, std::uint32_t id) {
  std::vector<std::string> names;
  for (const TextRef ref : Snapshot::slice(s.names, s.tensors[id].names)) names.emplace_back(s.str(ref));
  return names;
}

TEST_CASE("a builder with nothing makes a snapshot with the two fixed spaces", "[core][inventory]") {
  SnapshotBuilder builder;
  const auto s = builder.finish();
  CHECK(s->tensors.empty());
  REQUIRE(s->spaces.size() == 2);
  CHECK(s->str(s->spaces[kHostSpace].name) == "host");
  CHECK(s->find("x") == nullptr);
}

TEST_CASE("a description becomes a record with every number", "[core][inventory]") {
  SnapshotBuilder builder;
  TensorDesc desc = capsule_desc(0x4000, {3, 5});
  desc.byte_offset = 8;
  desc.read_only = Tri::yes;
  builder.add_tensor(desc, builder.intern("torch"), builder.intern("torch.Tensor"), builder.add_text("w"));
  const auto s = builder.finish();
  const TensorRecord& t = s->tensors.at(0);
  CHECK(s->name(t) == "w");
  CHECK(s->str(t.library) == "torch");
  CHECK(s->str(t.type) == "torch.Tensor");
  CHECK(t.protocol == Protocol::dlpack);
  CHECK(t.capsule == CapsuleKind::dltensor_versioned);
  CHECK(t.read_by == ReadBy::checked);
  CHECK(t.version_major == 1);
  CHECK(t.version_minor == 3);
  CHECK(t.data == 0x4000);
  CHECK(t.address == 0x4008);
  CHECK(t.extent == desc.extent);
  CHECK(t.elements == 15);
  CHECK(t.nbytes == 60);
  CHECK(t.item_bits == 32);
  CHECK(t.struct_address == 0x5000);
  CHECK(t.manager == 0x6000);
  CHECK(s->deleters.at(t.deleter).address == 0x7010);
  CHECK(t.read_only == Tri::yes);
  CHECK(t.is_copied == Tri::no);
  CHECK(t.has_claimed_device);
  CHECK(t.claimed_device == kCpuDevice);
  CHECK(std::vector(s->shape(t).begin(), s->shape(t).end()) == std::vector<std::int64_t>{3, 5});
  CHECK(std::vector(s->stride_bits(t).begin(), s->stride_bits(t).end()) == std::vector<std::int64_t>{160, 32});
}

TEST_CASE("bytes of packed types are rounded up once over the whole tensor", "[core][inventory]") {
  SnapshotBuilder builder;
  builder.add_tensor(array_desc(0x1000, {3, 3}, {}, testing::kInt4), {}, {}, {});
  CHECK(builder.finish()->tensors[0].nbytes == 5);
}

TEST_CASE("numbers the producer did not give are not left over from the tensor before", "[core][inventory]") {
  SnapshotBuilder builder;
  TensorDesc desc = array_desc(0x1000, {7, 7});
  builder.add_tensor(desc, {}, {}, {});
  desc.has_layout = false;
  builder.add_tensor(desc, {}, {}, {});
  desc.has_metadata = false;
  builder.add_tensor(desc, {}, {}, {});
  const auto s = builder.finish();
  CHECK(s->stride_bits(s->tensors[1])[0] == 0);
  CHECK(s->tensors[1].elements == kUnknown64);
  CHECK(s->tensors[1].extent.empty());
  CHECK(s->tensors[2].rank == 0);
  CHECK(s->tensors[2].data == 0);
  CHECK(s->tensors[2].dtype == DType{});
}

TEST_CASE("equal text is interned once, other text is not looked up", "[core][inventory]") {
  SnapshotBuilder builder;
  const TextRef a = builder.intern("numpy.ndarray"), b = builder.intern("numpy.ndarray"), c = builder.add_text("numpy.ndarray");
  CHECK(a.offset == b.offset);
  CHECK(a.offset != c.offset);
  CHECK(builder.intern("numpy").offset != a.offset);
  CHECK(builder.intern("").length == 0);
}

TEST_CASE("names, refusals and remarks may come in any order", "[core][inventory]") {
  SnapshotBuilder builder;
  TensorDesc desc = array_desc(0x1000, {2});
  desc.remark(RemarkCode::unaligned, "first");
  for (const char* name : {"a", "b", ""}) builder.add_tensor(desc, {}, {}, builder.add_text(name));
  builder.add_name(2, builder.add_text("late"));
  builder.add_name(0, builder.add_text("a2"));
  builder.add_name(1, builder.add_text("b2"));
  builder.add_name(0, builder.add_text("a3"));
  builder.add_remark(1, RemarkCode::masked, "second");
  builder.add_refusal(2, Protocol::dlpack, "TypeError", "no");
  builder.add_refusal(0, Protocol::buffer, "BufferError", "not\nnow");
  builder.add_refusal(2, Protocol::buffer, "TypeError", "never");
  const auto s = builder.finish();
  CHECK(names_of(*s, 0) == std::vector<std::string>{"a", "a2", "a3"});
  CHECK(names_of(*s, 1) == std::vector<std::string>{"b", "b2"});
  CHECK(names_of(*s, 2) == std::vector<std::string>{"late"});
  CHECK(s->find("b2") == &s->tensors[1]);
  CHECK(s->find("late") == &s->tensors[2]);
  REQUIRE(s->tensors[1].remarks.count == 2);
  const auto remarks = Snapshot::slice(s->remarks, s->tensors[1].remarks);
  CHECK(remarks[0].code == RemarkCode::unaligned);
  CHECK(s->str(remarks[1].message) == "second");
  REQUIRE(s->tensors[2].refusals.count == 2);
  CHECK(s->str(Snapshot::slice(s->refusals, s->tensors[2].refusals)[1].message) == "never");
  CHECK(s->str(Snapshot::slice(s->refusals, s->tensors[0].refusals)[0].message) == "not\nnow");
}

TEST_CASE("a message that repeats takes its text once", "[core][inventory]") {
  SnapshotBuilder builder;
  TensorDesc desc = array_desc(0x1000, {2});
  desc.remark(RemarkCode::unaligned, "address is 4 past a multiple of 64");
  for (int i = 0; i < 1000; ++i) builder.add_tensor(desc, {}, {}, {});
  const auto s = builder.finish();
  CHECK(s->remarks.size() == 1000);
  CHECK(s->text.size() < 100);
}

TEST_CASE("deleters are kept once each", "[core][inventory]") {
  SnapshotBuilder builder;
  for (int i = 0; i < 10; ++i) {
    TensorDesc desc = capsule_desc(0x1000, {2});
    desc.deleter = i % 3 == 2 ? 0 : 0x7000 + static_cast<Address>(i % 3);
    builder.add_tensor(desc, {}, {}, {});
  }
  const auto s = builder.finish();
  CHECK(s->deleters.size() == 2);
  CHECK(s->tensors[0].deleter == s->tensors[3].deleter);
  CHECK(s->tensors[0].deleter != s->tensors[1].deleter);
  CHECK(s->tensors[2].deleter == kNone32);
}

TEST_CASE("a builder can be used again after finish", "[core][inventory]") {
  SnapshotBuilder builder;
  builder.add_tensor(array_desc(0x1000, {2}), builder.intern("numpy"), {}, builder.add_text("x"));
  (void)builder.finish();
  CHECK(builder.tensor_count() == 0);
  builder.add_tensor(array_desc(0x1000, {2}), builder.intern("numpy"), {}, builder.add_text("y"));
  const auto s = builder.finish();
  CHECK(s->tensors.size() == 1);
  CHECK(s->str(s->tensors[0].library) == "numpy");
  CHECK(s->name(s->tensors[0]) == "y");
}

}  // namespace
}  // namespace dlscope::core
