#include "core/inventory/record.h"

namespace dlscope::core {

bool has_known_address(const TensorRecord& tensor) {
  return tensor.has_metadata && device_memory(tensor.device) != DeviceMemory::handle && tensor.address >= tensor.data;
}

bool is_copy_for_export(const TensorRecord& tensor) {
  return tensor.is_copied == Tri::yes && tensor.protocol != Protocol::file && tensor.given_by != GivenBy::held_capsule;
}

bool has_known_extent(const TensorRecord& tensor) {
  return tensor.has_layout && has_known_address(tensor) && (!tensor.extent.empty() || tensor.elements == 0);
}

const char* event_kind_name(EventKind kind) {
  switch (kind) {
    case EventKind::export_:
      return "export";
    case EventKind::consume:
      return "consume";
    case EventKind::deleter:
      return "deleter";
    case EventKind::destructor:
      return "destructor";
    case EventKind::refuse:
      return "refuse";
    case EventKind::copy:
      return "copy";
    case EventKind::lease:
      return "lease";
    case EventKind::release:
      return "release";
    case EventKind::device:
      return "device";
    case EventKind::write:
      return "write";
    case EventKind::script:
      return "script";
  }
  return "";
}

const char* scanned_name(Scanned scanned) {
  switch (scanned) {
    case Scanned::none:
      return "none";
    case Scanned::end:
      return "end";
    case Scanned::interrupt:
      return "interrupt";
    case Scanned::stop:
      return "stop";
    case Scanned::raise:
      return "raise";
    case Scanned::earlier:
    case Scanned::request:
      return "earlier";  // requested before the run ended
  }
  return "";
}

}  // namespace dlscope::core
