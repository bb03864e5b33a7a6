#include "tests/support/sample_snapshot.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/inventory/snapshot_builder.h"

namespace dlscope::tests {
namespace {

using core::RemarkCode;
using core::Tri;

constexpr core::Address kBase = 0x55812e404a80;
constexpr core::Address kFar = 0x7f3a10200000;

// Bytes that are all zero and always there.
class ZeroReader final : public core::MemoryReader {
 public:
  std::size_t read(core::Address, std::span<std::byte> out) const override {
    std::ranges::fill(out, std::byte{0});
    return out.size();
  }
};

core::TensorDesc describe(const SampleTensor& sample) {
  core::TensorDesc desc;
  desc.clear();
  desc.protocol = sample.capsule == core::CapsuleKind::none ? core::Protocol::buffer : core::Protocol::dlpack;
  desc.capsule = sample.capsule;
  desc.read_by = core::ReadBy::mapped;
  if (sample.capsule != core::CapsuleKind::dltensor) {
    desc.read_only = sample.read_only;
    desc.is_copied = sample.is_copied;
    desc.subbyte_padded = Tri::no;
  }
  if (sample.capsule == core::CapsuleKind::dltensor_versioned) desc.version_major = 1;
  desc.has_metadata = true;
  desc.dtype = core::dtype_from_name(sample.dtype).value_or(core::DType{17, 3, 1});
  desc.device = sample.device;
  desc.data = sample.address;
  desc.struct_address = 0x5581300010c0;
  desc.manager = 0x558130002480;
  desc.rank = static_cast<std::int32_t>(sample.shape.size());
  const auto item = static_cast<std::int64_t>(desc.dtype.item_bits());
  const core::Layout layout =
      sample.strides.empty() ? core::Layout::c_order(sample.shape, static_cast<std::uint32_t>(item))
                             : core::Layout::from_element_strides(sample.shape, sample.strides, static_cast<std::uint32_t>(item));
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    desc.shape[d] = layout.shape[d];
    desc.stride_bits[d] = layout.stride_bits[d];
  }
  desc.remarks = sample.remarks;
  desc.allocation = sample.allocation;
  desc.allocation_source = sample.allocation_source;
  if (const auto bounds = core::validate(desc.layout())) {
    desc.bounds = *bounds;
    desc.has_layout = true;
    const bool null = sample.address == 0 && bounds->elements > 0;
    if (null)
      desc.extent = {};
    else
      desc.extent = core::extent_of(*bounds, sample.address).value_or(core::ByteRange{});
  }
  return desc;
}

void add(core::SnapshotBuilder& builder, const SampleTensor& sample) {
  const core::TensorDesc desc = describe(sample);
  const std::uint32_t id =
      builder.add_tensor(desc, builder.intern(sample.library), builder.intern(sample.type), builder.add_text(sample.name));
  for (const std::string& name : sample.more_names) builder.add_name(id, builder.add_text(name));
}

void add_refused(core::SnapshotBuilder& builder, const std::string& name, const std::string& library, const std::string& type,
                 const std::string& exception, const std::string& message) {
  core::TensorDesc desc;
  desc.clear();
  const std::uint32_t id = builder.add_tensor(desc, builder.intern(library), builder.intern(type), builder.add_text(name));
  builder.add_refusal(id, core::Protocol::dlpack, exception, message);
  builder.add_refusal(id, core::Protocol::buffer, "TypeError", "a bytes-like object is required, not '" + type + "'");
}

core::SnapshotPtr finish(core::SnapshotBuilder& builder, std::uint64_t run, const core::SharingLimits& limits = {}) {
  builder.info().run = run;
  builder.info().revision = run;
  builder.info().scanned = core::Scanned::end;
  builder.info().python_version = builder.intern("3.11.7");
  // A made-up address map: everything the samples use counts as readable heap.
  const core::AddressMap map = core::AddressMap::parse(
      "558120000000-5581f0000000 rw-p 00000000 00:00 0 [heap]\n7f3a00000000-7f3b00000000 rw-p 00000000 00:00 0 \n");
  core::AnalyseOptions options;
  options.sharing = limits;
  options.map = &map;
  const ZeroReader reader;
  options.reader = &reader;
  builder.analyse(options);
  return builder.finish();
}

}  // namespace

core::SnapshotPtr snapshot_of(const std::vector<SampleTensor>& tensors, std::uint64_t run, const core::SharingLimits& limits) {
  core::SnapshotBuilder builder;
  for (const SampleTensor& tensor : tensors) add(builder, tensor);
  return finish(builder, run, limits);
}

core::SharingLimits stopped_limits() {
  std::stop_source stop;
  stop.request_stop();
  core::SharingLimits limits;
  limits.stop = limits.budget.stop = stop.get_token();
  return limits;
}

core::SnapshotPtr tour_snapshot() {
  core::SnapshotBuilder builder;
  builder.add_library("numpy", "2.4.6");
  builder.add_library("torch", "2.13.0");
  builder.add_library("jax", "0.10.2");
  add(builder, {.name = "x", .shape = {3, 4}, .more_names = {"arrays['x']"}});
  add(builder, {.name = "y", .shape = {4, 3}, .strides = {1, 4}});
  add(builder, {.name = "t", .library = "torch", .type = "torch.Tensor", .shape = {3, 4}});
  add(builder, {.name = "w", .address = kBase + 0x21a400, .shape = {4, 5}, .strides = {0, 1}});
  add(builder, {.name = "mask",
                .dtype = "bool",
                .address = kBase + 0x21a480,
                .shape = {64},
                .capsule = core::CapsuleKind::none,
                .read_only = Tri::yes});
  add(builder, {.name = "table[:, 0::2]", .dtype = "float64", .address = kFar, .shape = {8, 4}, .strides = {8, 2}});
  add(builder, {.name = "table[:, 1::2]", .dtype = "float64", .address = kFar + 8, .shape = {8, 4}, .strides = {8, 2}});
  add(builder, {.name = "j",
                .library = "jax",
                .type = "jaxlib._jax.ArrayImpl",
                .address = kFar + 0x40000,
                .shape = {12},
                .capsule = core::CapsuleKind::dltensor,
                .remarks = {{RemarkCode::immutable_by_contract, "jax arrays are never written to"}}});
  add(builder, {.name = "x[::-1]",
                .address = kBase + 32,
                .shape = {3, 4},
                .strides = {-4, 1},
                .remarks = {{RemarkCode::negative_stride, "axis 0 steps -16 bytes"}}});
  add(builder, {.name = "weights",
                .library = "torch",
                .type = "torch.Tensor",
                .dtype = "bfloat16",
                .address = kFar + 0x1000000,
                .shape = {2048, 1024}});
  add_refused(builder, "grad", "torch", "torch.Tensor", "BufferError",
              "Can't export tensors that require gradient, use tensor.detach()");
  return finish(builder, 1);
}

const char* tour_script() {
  return "import numpy as np\n"
         "import torch\n"
         "\n"
         "# One piece of memory, three names.\n"
         "x = np.arange(12, dtype=np.float32).reshape(3, 4)\n"
         "y = x.T                      # a view: rows and columns swapped\n"
         "t = torch.from_dlpack(x)     # another library, the same bytes\n"
         "\n"
         "w = np.broadcast_to(np.arange(5, dtype=np.float32), (4, 5))\n"
         "mask = memoryview(bytes(64))\n"
         "\n"
         "def share(a, b):\n"
         "    \"\"\"True when a write to one shows in the other.\"\"\"\n"
         "    return np.shares_memory(a, b)\n"
         "\n"
         "print('x and y share:', share(x, y))\n";
}

core::SnapshotPtr empty_snapshot() {
  core::SnapshotBuilder builder;
  return finish(builder, 1);
}

core::SnapshotPtr scalar_snapshot() { return snapshot_of({{.name = "only", .dtype = "float64", .shape = {}}}); }

core::SnapshotPtr many_snapshot(std::uint32_t count) {
  core::SnapshotBuilder builder;
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool view = i % 10 == 9;
    const core::Address at = kFar + std::uint64_t{view ? i - 1 : i} * 4096;
    add(builder, {.name = "data[" + std::to_string(i) + "]",
                  .library = i % 3 == 0 ? "torch" : "numpy",
                  .dtype = i % 2 == 0 ? "float32" : "int64",
                  .address = at,
                  .shape = {static_cast<std::int64_t>(1 + i % 7), 8}});
  }
  return finish(builder, 1);
}

core::SnapshotPtr broken_snapshot() {
  core::SnapshotBuilder builder;
  add(builder, {.name = "null",
                .library = "paddle",
                .type = "paddle.Tensor",
                .address = 0,
                .shape = {3, 4},
                .remarks = {{RemarkCode::data_null, "data is NULL although there are 12 elements"}}});
  core::TensorDesc negative = describe({.name = "", .shape = {}});
  negative.rank = 2;
  negative.shape[0] = -3;
  negative.shape[1] = 4;
  negative.stride_bits[0] = negative.stride_bits[1] = 0;
  negative.has_layout = false;
  negative.remark(RemarkCode::negative_dimension, "shape[0] is -3");
  builder.add_tensor(negative, builder.intern("evil"), builder.intern("evil.Producer"), builder.add_text("negative"));
  core::TensorDesc absurd;
  absurd.clear();
  absurd.protocol = core::Protocol::dlpack;
  absurd.capsule = core::CapsuleKind::dltensor;
  absurd.read_by = core::ReadBy::checked;
  absurd.remark(RemarkCode::ndim_out_of_range, "ndim is 2147483647");
  builder.add_tensor(absurd, builder.intern("evil"), builder.intern("evil.Producer"), builder.add_text("absurd_rank"));
  add(builder, {.name = "unreadable",
                .library = "evil",
                .type = "evil.Producer",
                .address = 0xdead0000,
                .shape = {1000},
                .remarks = {{RemarkCode::extent_unreadable, "0xdead0000 is not mapped"}}});
  add(builder, {.name = "rank6", .dtype = "int8", .address = kFar, .shape = {2, 1, 3, 1, 2, 4}, .strides = {24, 24, 8, 8, 4, 1}});
  add(builder, {.name = "nothing", .address = kFar + 0x1000, .shape = {0, 5}});
  add(builder, {.name = "unknown_dtype",
                .dtype = "no such dtype",
                .address = kFar + 0x2000,
                .shape = {16},
                .remarks = {{RemarkCode::dtype_unknown, "dtype code 17 with 3 bits"}}});
  add(builder, {.name = "model.encoder.layers[11].attention.self.query.weight_with_a_rather_long_name_of_its_own",
                .library = "torch",
                .type = "torch.nn.Parameter",
                .address = kFar + 0x3000,
                .shape = {768, 768}});
  add(builder, {.name = "claims_cuda",
                .address = kFar + 0x300000,
                .shape = {8},
                .remarks = {{RemarkCode::device_mismatch, "__dlpack_device__ says cuda:0, the capsule says cpu"}}});
  add_refused(builder, "strings", "tensorflow", "tensorflow.python.framework.ops.EagerTensor", "TypeError",
              "DLPack does not know string tensors\nTraceback: none");
  return finish(builder, 1);
}

}  // namespace dlscope::tests
