// What the whole program's names lead to, as dlscope.report() finds them.
// thread: GIL held; foreign code runs inside.
#pragma once

#include <memory>

#include "core/inventory/snapshot_builder.h"
#include "embed/python_api.h"

namespace dlscope::embed {

// One scan at a time: a producer may call report() or prove() while it is asked for its tensor.
class Scanning {
 public:
  Scanning();  // with a Python error set where it is false
  ~Scanning();
  Scanning(const Scanning&) = delete;
  Scanning& operator=(const Scanning&) = delete;
  explicit operator bool() const { return started_; }

 private:
  bool started_;
};

// The globals of `__main__`, borrowed; else the caller's.
[[nodiscard]] PyObject* script_names(PyObject* callers);

// The caller's locals, its callers' and the globals. A KeyboardInterrupt is left set. Needs a Scanning.
[[nodiscard]] core::SnapshotBuilder scan_program(PyObject* callers_globals);

}  // namespace dlscope::embed
