// One scan of a host: tensors are described, analysed and published to the viewer; bytes that it wants remembered are copied.
#pragma once

#include <stop_token>
#include <string>

#include "core/inventory/snapshot.h"
#include "core/wire/messages.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// Where the code stands that a scan at a stop shows. hit: how often the line was reached.
struct StopLocation {
  PyRef frame;
  std::string thread;
  unsigned line = 0, hit = 1;
};

struct HostScan {
  PyObject* names = nullptr;   // borrowed: the dict of the script's names
  PyObject* frames = nullptr;  // borrowed: tracebacks, innermost first, a frame or None
  core::Scanned scanned = core::Scanned::request;
  StopLocation moment = {};  // with Scanned::stop
  std::stop_token stop = {};
  bool in_run = false;  // in the middle of a headless run, of which nobody needs an unfinished snapshot
};

// However it ends, the result says so, in words where it failed; no Python error is left. The caller sends it to the viewer.
// thread: GIL held; given up while the snapshot is analysed and published.
[[nodiscard]] core::wire::ScanFinished scan_and_publish(const HostScan& scan);

// callable: from the script's names it finds the function that the script calls last: "main", or "". Kept for the process's life.
void set_last_function_lookup(PyObject* callable);

}  // namespace dlscope::embed
