// ScanPlace: where a scan begins: the locals of the user's frames, innermost first, then the globals of the innermost one's
// module, then the script's, then the modules the user wrote. Each namespace says how its names are spelled.
// thread: GIL held. Holds the frames' values alive for as long as it lives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/inventory/snapshot_builder.h"
#include "embed/objects/user_code.h"
#include "embed/py_ref.h"
#include "embed/scan/frame_locals.h"

namespace dlscope::embed {

// One namespace whose names are tensors' names.
struct ScanRoot {
  PyRef names;                               // a dict: the live one, or a frame's locals copied out
  std::string prefix, suffix;                // "main()." and ""; "globals()['" and "']"
  std::string hidden_prefix, hidden_suffix;  // the same for the names in `hidden`
  std::unordered_set<std::string> hidden;    // names that an inner namespace has, too, so that they need another spelling
  FrameFacts frame;                          // whose locals they are
  std::uint32_t depth = 0;
  bool is_local = false;
  PyRef module;  // set where it is entered as a container of its own, once

  [[nodiscard]] std::string spelled(const std::string& name) const {
    return hidden.contains(name) ? hidden_prefix + name + hidden_suffix : prefix + name + suffix;
  }
};

// Where the names of a program are: in the script's namespace, and in frames (of a stop, or of the exception that ended the script).
// Borrowed references.
struct ProgramNames {
  PyObject* script = nullptr;
  PyObject* frames = nullptr;  // a list of tracebacks, innermost first; or the innermost frame; null or None: none
};

class ScanPlace {
 public:
  // A dict of names and nothing else.
  [[nodiscard]] static ScanPlace of_namespace(PyObject* names);
  // The whole program: its script's names and the modules the user wrote. Frames may be put in front of it.
  [[nodiscard]] static ScanPlace of_program(const ProgramNames& names);

  // innermost: a frame and what called it, f_back by f_back. frames of libraries count in the depth and are not looked into.
  void add_callers(PyObject* innermost);
  // The frame of each entry of a list of tracebacks, with the line that it had when the exception left it.
  void add_tracebacks(PyObject* innermost_first);

  [[nodiscard]] const std::vector<ScanRoot>& roots() const { return roots_; }
  // Whether the script defines functions, whose locals are gone when they have returned.
  [[nodiscard]] bool defines_functions() const;

 private:
  struct Place {
    PyRef frame;
    unsigned line = 0;  // 0: the frame's own
  };
  void add_frames(const std::vector<Place>& innermost_first);
  void add_module_of(PyObject* frame);

  std::vector<ScanRoot> roots_;
};

}  // namespace dlscope::embed
