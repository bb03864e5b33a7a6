#include "app/models/inspector/struct_as_c.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

using core::Tri;

constexpr std::array<const char*, 18> kDeviceNames{
    "",       "kDLCPU",  "kDLCUDA",     "kDLCUDAHost", "kDLOpenCL",      "",          "",          "kDLVulkan",  "kDLMetal",
    "kDLVPI", "kDLROCM", "kDLROCMHost", "kDLExtDev",   "kDLCUDAManaged", "kDLOneAPI", "kDLWebGPU", "kDLHexagon", "kDLMAIA"};
constexpr std::array<const char*, 7> kCodeNames{"kDLInt",    "kDLUInt",    "kDLFloat", "kDLOpaqueHandle",
                                                "kDLBfloat", "kDLComplex", "kDLBool"};

template <std::size_t N>
std::string name_in(const std::array<const char*, N>& names, std::int64_t number) {
  const bool known = number >= 0 && number < static_cast<std::int64_t>(N) && *names[static_cast<std::size_t>(number)] != 0;
  return known ? names[static_cast<std::size_t>(number)] : fmt::format("{}", number);
}

std::string pointer(const char* type, core::Address address) {
  return address == 0 ? "NULL" : fmt::format("({}){}", type, plain_address(address));
}

template <class Values>
std::string numbers(const Values& values) {
  if (values.empty()) return "NULL";
  return fmt::format("(int64_t[]){{{}}}", fmt::join(values, ", "));
}

std::string strides(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  if (tensor.strides_implied || tensor.rank == 0) return "NULL";
  if (!tensor.has_layout || tensor.item_bits == 0) return "NULL /* unusable */";
  const core::LayoutView layout = snapshot.layout(tensor);
  std::vector<std::string> elements;
  for (const std::int64_t bits : layout.stride_bits) {
    const char* const capped = bits > 0 ? "INT64_MAX /* or more */" : "INT64_MIN /* or less */";
    elements.push_back(core::is_capped(bits) ? capped : fmt::to_string(bits / static_cast<std::int64_t>(tensor.item_bits)));
  }
  return numbers(elements);
}

std::string flags(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  std::string text;
  const auto add = [&text](Tri flag, const char* name) {
    if (flag == Tri::yes) text += std::string(text.empty() ? "" : " | ") + "DLPACK_FLAG_BITMASK_" + name;
  };
  add(tensor.read_only, "READ_ONLY");
  add(struct_says_copied(snapshot, tensor), "IS_COPIED");
  add(tensor.subbyte_padded, "IS_SUBBYTE_TYPE_PADDED");
  return text.empty() ? "0" : text;
}

}  // namespace

core::Tri struct_says_copied(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  const bool seen_otherwise = std::ranges::any_of(core::Snapshot::slice(snapshot.remarks, tensor.remarks), [&](const auto& remark) {
    return remark.code == core::RemarkCode::copied_for_export && !snapshot.str(remark.message).contains("IS_COPIED");
  });
  return seen_otherwise && tensor.protocol == core::Protocol::dlpack ? Tri::no : tensor.is_copied;
}

std::string struct_as_c(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  if (tensor.protocol != core::Protocol::dlpack || !tensor.has_metadata) return {};
  const bool versioned = tensor.capsule == core::CapsuleKind::dltensor_versioned;
  const char* const type = versioned ? "DLManagedTensorVersioned" : "DLManagedTensor";
  const core::Address deleter = tensor.deleter == core::kNone32 ? 0 : snapshot.deleters[tensor.deleter].address;
  const std::string owner =
      fmt::format("    .manager_ctx = {},\n    .deleter = {},\n", pointer("void*", tensor.manager),
                  pointer(versioned ? "void (*)(DLManagedTensorVersioned*)" : "void (*)(DLManagedTensor*)", deleter));
  std::string text = fmt::format("// capsule \"{}\"\n{} managed = {{\n", core::capsule_kind_name(tensor.capsule), type);
  if (versioned) {
    text += fmt::format("    .version = {{{}, {}}},\n{}    .flags = {},\n", tensor.version_major, tensor.version_minor, owner,
                        flags(snapshot, tensor));
  }
  text += fmt::format(
      "    .dl_tensor = {{\n        .data = {},\n        .device = {{{}, {}}},\n        .ndim = {},\n"
      "        .dtype = {{{}, {}, {}}},\n        .shape = {},\n        .strides = {},\n        .byte_offset = {},\n    }},\n",
      pointer("void*", tensor.data), name_in(kDeviceNames, tensor.device.type), tensor.device.id, tensor.rank,
      name_in(kCodeNames, tensor.dtype.code), tensor.dtype.bits, tensor.dtype.lanes, numbers(snapshot.shape(tensor)),
      strides(snapshot, tensor), tensor.byte_offset);
  if (!versioned) text += owner;
  return text + "};\n";
}

}  // namespace dlscope::app
