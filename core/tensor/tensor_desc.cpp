#include "core/tensor/tensor_desc.h"

namespace dlscope::core {

const char* allocation_source_name(AllocationSource source) {
  switch (source) {
    case AllocationSource::storage:
      return "storage";
    case AllocationSource::base:
      return "base";
    case AllocationSource::exporter:
      return "exporter";
    case AllocationSource::mapping:
      return "mapping";
    case AllocationSource::driver:
      return "driver";
  }
  return "";
}

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
    case Protocol::file:
      return "file";
    case Protocol::attributes:
      return "attributes";
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

const char* given_by_name(GivenBy given_by) {
  switch (given_by) {
    case GivenBy::none:
      return "";
    case GivenBy::dlpack_method:
      return "__dlpack__";
    case GivenBy::exchange_table:
      return "__dlpack_c_exchange_api__";
    case GivenBy::held_capsule:
      return "capsule";
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

}  // namespace dlscope::core
