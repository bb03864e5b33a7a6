#include "tests/core/inventory/sample_snapshot.h"

#include "core/tensor/dlpack_import.h"

namespace dlscope::core::testing {

TensorDesc array_desc(Address data, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides_bytes,
                      DType dtype) {
  TensorDesc desc;
  describe_array({.protocol = Protocol::buffer,
                  .data = data,
                  .dtype = dtype,
                  .device = kCpuDevice,
                  .read_only = true,
                  .shape = shape,
                  .strides_bytes = strides_bytes},
                 desc);
  return desc;
}

TensorDesc capsule_desc(Address data, const std::vector<std::int64_t>& shape, DeviceId device) {
  TensorDesc desc;
  describe_array({.protocol = Protocol::dlpack,
                  .data = data,
                  .dtype = kFloat32,
                  .device = device,
                  .read_only = false,
                  .shape = shape,
                  .strides_bytes = {}},
                 desc);
  desc.capsule = CapsuleKind::dltensor_versioned;
  desc.read_by = ReadBy::checked;
  desc.version_major = 1;
  desc.version_minor = 3;
  desc.has_claimed_device = true;
  desc.claimed_device = device;
  desc.struct_address = 0x5000;
  desc.manager = 0x6000;
  desc.deleter = 0x7010;
  return desc;
}

std::shared_ptr<Snapshot> full_snapshot() {
  SnapshotBuilder builder;
  SnapshotInfo& info = builder.info();
  info.revision = 3;
  info.run = 2;
  info.taken_ns = 12345;
  info.scanned = Scanned::end;
  info.python_version = builder.intern("3.11.7");
  info.python_executable = builder.intern("/usr/bin/python3");
  info.python_prefix = builder.intern("/usr");
  const TextRef numpy = builder.intern("numpy"), torch = builder.intern("torch");
  builder.add_tensor(array_desc(0x10000, {3, 4}, {16, 4}), numpy, builder.intern("numpy.ndarray"), builder.add_text("x"));
  builder.add_tensor(capsule_desc(0x10010, {4}), torch, builder.intern("torch.Tensor"), builder.add_text("y"));
  TensorDesc refused;
  refused.clear();
  builder.add_tensor(refused, torch, builder.intern("torch.Tensor"), builder.add_text("nothing"));
  builder.add_tensor(capsule_desc(0x10000, {2, 0}, {2, 1}), torch, builder.intern("torch.Tensor"), builder.add_text("on_gpu"));
  builder.add_name(0, builder.add_text("d['x']"));
  builder.add_refusal(2, Protocol::dlpack, "RuntimeError", "Can't export tensors\nthat require gradient");
  builder.add_remark(1, RemarkCode::unaligned, "address is 16 past a multiple of 64");
  builder.add_limit("tensors", 200000, false);
  builder.add_library("numpy", "2.4.0");
  builder.add_device({kCpuDevice, builder.intern("A CPU"), std::uint64_t{1} << 34, kUnknown64});
  builder.add_event({.t_ns = 5, .tensor = 1, .kind = EventKind::export_, .text = builder.add_text("asked for a capsule")});
  builder.add_copy(
      {.bytes = 16, .ns = 900, .from = builder.intern("x"), .to = builder.intern("y"), .why = builder.intern("asked")});
  const TextRef gpu = builder.intern("cuda:1");
  const TextRef deleter_library = builder.intern("/usr/lib/libtorch.so"), deleter_symbol = builder.intern("at::deleter");

  std::shared_ptr<Snapshot> s = builder.finish();
  s->spaces.push_back({{2, 1}, gpu});
  ValueSummary summary;
  summary.method = StatisticsMethod::exact;
  summary.count = summary.seen = 12;
  summary.nan = 1;
  summary.first_special = summary.last_special = {5, ValueClass::nan};
  summary.min = {ValueKind::real, 0, 0, -1};
  summary.max = {ValueKind::real, 0, 0, 2.5};
  summary.mean = 0.125;
  s->statistics.push_back({0, summary});
  s->deleters[0].library = deleter_library;
  s->deleters[0].symbol = deleter_symbol;
  s->deleters[0].library_offset = 0x10;
  s->groups.push_back({.range = {0x10000, 0x10030},
                       .distinct_bytes = 48,
                       .device = kCpuDevice,
                       .members = {0, 2},
                       .libraries = {0, 2},
                       .space = kHostSpace});
  s->group_members = {0, 1};
  s->tensors[1].allocation = 0;
  s->allocations.push_back({.range = {0x10000, 0x20000}, .used_bytes = 48, .source = AllocationSource::base});
  s->group_libraries = {numpy, torch};
  s->pairs.push_back(
      {.shared_bytes = 16, .witness = 0x10010, .a = 0, .b = 1, .relation = Relation::contains, .method = OverlapMethod::layout});
  for (const std::uint32_t id : {0u, 1u}) {
    TensorRecord& t = s->tensors[id];
    t.space = kHostSpace;
    t.group = 0;
    t.distinct_bytes = t.nbytes;
    t.contiguity = Contiguity::c;
    t.alignment = 16;
    t.readable = true;
  }
  s->tensors[3].space = 2;
  return s;
}

std::shared_ptr<Snapshot> large_snapshot(std::uint32_t tensors, std::uint32_t pairs) {
  SnapshotBuilder builder;
  const TextRef library = builder.intern("numpy"), type = builder.intern("numpy.ndarray");
  TensorDesc desc = array_desc(0x10000, {8, 2});
  for (std::uint32_t id = 0; id < tensors; ++id) {
    desc.data += 64;
    desc.extent = {desc.extent.begin + 64, desc.extent.end + 64};
    builder.add_tensor(desc, library, type, builder.add_text("arrays[" + std::to_string(id) + "]"));
  }
  std::shared_ptr<Snapshot> s = builder.finish();
  for (TensorRecord& t : s->tensors) t.space = kHostSpace;
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const std::uint32_t a = i % (tensors - 1);
    s->pairs.push_back({.shared_bytes = 4,
                        .witness = 0x10000,
                        .a = a,
                        .b = a + 1 + (i / (tensors - 1)) % (tensors - 1 - a),
                        .relation = Relation::overlaps,
                        .method = OverlapMethod::bitset});
  }
  return s;
}

}  // namespace dlscope::core::testing
