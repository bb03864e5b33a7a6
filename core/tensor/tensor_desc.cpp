#include "core/tensor/tensor_desc.h"

namespace dlscope::core {

const char* protocol_name(Protocol protocol) {
  switch (protocol) {
    case Protocol::none:
      return "";
    case Protocol::dlpack:
      return "dlpack";
    case Protocol::buffer:
      return "buffer";
    case Protocol::array_interface:
      return "array_interface";
    case Protocol::cuda_array_interface:
      return "cuda_array_interface";
  }
  return "";
}

const char* capsule_kind_name(CapsuleKind kind) {
  switch (kind) {
    case CapsuleKind::none:
      return "";
    case CapsuleKind::dltensor:
      return "dltensor";
    case CapsuleKind::dltensor_versioned:
      return "dltensor_versioned";
  }
  return "";
}

const char* read_by_name(ReadBy read_by) {
  switch (read_by) {
    case ReadBy::none:
      return "";
    case ReadBy::checked:
      return "checked";
    case ReadBy::mapped:
      return "mapped";
  }
  return "";
}

std::uint32_t TensorDesc::item_bits() const {
  const std::uint32_t bits = dtype.item_bits();
  return subbyte_padded == Tri::yes ? (bits + 7) / 8 * 8 : bits;
}

void TensorDesc::clear() {
  protocol = Protocol::none;
  capsule = CapsuleKind::none;
  read_by = ReadBy::none;
  read_only = is_copied = subbyte_padded = Tri::unknown;
  strides_implied = has_claimed_device = has_metadata = has_layout = false;
  version_major = version_minor = 0;
  dtype = {};
  device = claimed_device = {};
  data = struct_address = manager = deleter = 0;
  byte_offset = 0;
  rank = 0;
  bounds = {};
  extent = {};
  remarks.clear();
}

}  // namespace dlscope::core
