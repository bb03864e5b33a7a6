#include "core/inventory/record.h"

namespace dlscope::core {

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
    case Scanned::earlier:
    case Scanned::request:
      return "earlier";  // asked for before the run ended
  }
  return "";
}

}  // namespace dlscope::core
