#include "embed/scan/scan_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "embed/stored.h"

namespace dlscope::embed {
namespace {

constexpr std::size_t kMaxFrames = 1000;  // looked into, counted from the innermost

ScanRoot root_of(PyObject* names) {
  ScanRoot root;
  root.names = PyRef::share(names);
  return root;
}

// Every name counts, not only those of tensors: a local number hides a global array.
void add_names(PyObject* dict, std::unordered_set<std::string>& out) {
  PyObject *name = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict, &position, &name, &value) != 0) {
    if (PyUnicode_Check(name)) out.insert(text_of(name));
  }
}

bool has_root(const std::vector<ScanRoot>& roots, PyObject* names) {
  return std::ranges::any_of(roots, [&](const ScanRoot& root) { return root.names.get() == names; });
}

}  // namespace

ScanPlace ScanPlace::of_namespace(PyObject* names) {
  ScanPlace place;
  place.roots_.push_back(root_of(names));
  return place;
}

ScanPlace ScanPlace::of_program(const ProgramNames& names) {
  ScanPlace place = of_namespace(names.script);
  const UserCode user_code;
  for (UserCode::Module& module : user_code.namespaces()) {
    PyObject* const module_names = PyModule_GetDict(module.module.get());
    if (has_root(place.roots_, module_names)) continue;
    ScanRoot root = root_of(module_names);
    root.prefix = module.name + ".";
    root.module = std::move(module.module);
    place.roots_.push_back(std::move(root));
  }
  if (names.frames == nullptr || names.frames == Py_None) return place;
  if (PyList_Check(names.frames))
    place.add_tracebacks(names.frames);
  else
    place.add_callers(names.frames);
  return place;
}

bool ScanPlace::defines_functions() const {
  for (const ScanRoot& root : roots_) {
    PyObject *name = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(root.names.get(), &position, &name, &value) != 0) {
      const bool is_function =
          text_of(type_attribute(reinterpret_cast<PyObject*>(Py_TYPE(value)), "__name__").get()) == "function";
      if (is_function && UserCode::owns_function(value)) return true;
    }
  }
  return false;
}

void ScanPlace::add_callers(PyObject* innermost) {
  std::vector<Place> places;
  PyRef frame = PyRef::share(innermost);
  while (frame && frame.get() != Py_None) {
    PyRef caller = stored_attribute(frame.get(), "f_back");
    places.push_back({std::move(frame), 0});
    frame = std::move(caller);
  }
  add_frames(places);
}

void ScanPlace::add_tracebacks(PyObject* innermost_first) {
  std::vector<Place> places;
  for (Py_ssize_t i = 0; i < PyList_Size(innermost_first); ++i) {
    PyObject* const entry = PyList_GetItem(innermost_first, i);
    const PyRef line = stored_attribute(entry, "tb_lineno");
    const bool known = line && PyLong_Check(line.get());
    if (PyRef frame = stored_attribute(entry, "tb_frame"))
      places.push_back({std::move(frame), known ? static_cast<unsigned>(PyLong_AsUnsignedLongMask(line.get())) : 0});
  }
  add_frames(places);
}

void ScanPlace::add_frames(const std::vector<Place>& innermost_first) {
  std::size_t own = 0;  // frames of ours in front: the stop itself
  while (own < innermost_first.size() && UserCode::is_ours(facts_of_frame(innermost_first[own].frame.get()).file)) ++own;
  std::vector<ScanRoot> locals;
  std::map<std::string, int> met;  // by qualified name: which frame of a recursion it is
  PyRef innermost;
  for (std::size_t depth = own; depth < innermost_first.size() && locals.size() < kMaxFrames; ++depth) {
    PyObject* const frame = innermost_first[depth].frame.get();
    if (!frame_is_users(frame)) continue;
    const bool is_first = !innermost;
    if (is_first) innermost = innermost_first[depth].frame;
    if (is_module_frame(frame)) continue;
    ScanRoot root;
    root.frame = facts_of_frame(frame);
    if (innermost_first[depth].line != 0) root.frame.line = innermost_first[depth].line;
    root.names = as_dict(locals_of_frame(frame));
    if (!root.names) {
      clear_unless_interrupt();
      return;
    }
    root.depth = static_cast<std::uint32_t>(depth - own);
    root.is_local = true;
    const int number = ++met[root.frame.function];
    if (!is_first) root.prefix = root.frame.function + (number == 1 ? "()." : fmt::format("()#{}.", number));
    locals.push_back(std::move(root));
  }
  if (innermost) add_module_of(innermost.get());
  if (!locals.empty() && locals.front().prefix.empty()) {
    for (ScanRoot& root : roots_) {
      if (root.prefix.empty()) add_names(locals.front().names.get(), root.hidden);
    }
  }
  roots_.insert(roots_.begin(), std::make_move_iterator(locals.begin()), std::make_move_iterator(locals.end()));
}

// Adds the globals of the frame's module, which a statement in the frame sees without a prefix, in front of the script's names.
void ScanPlace::add_module_of(PyObject* frame) {
  const PyRef globals = stored_attribute(frame, "f_globals");
  if (!globals || !PyDict_Check(globals.get())) return;
  const auto known = std::ranges::find(roots_, globals.get(), [](const ScanRoot& root) { return root.names.get(); });
  for (ScanRoot& root : roots_) {
    root.hidden_prefix = root.names.get() == globals.get() ? "globals()['" : "__main__.";
    root.hidden_suffix = root.names.get() == globals.get() ? "']" : "";
  }
  if (known != roots_.end() && known->prefix.empty()) return;
  if (known != roots_.end()) roots_.erase(known);
  ScanRoot root = root_of(globals.get());
  root.hidden_prefix = "globals()['";
  root.hidden_suffix = "']";
  for (ScanRoot& other : roots_) {
    if (other.prefix.empty()) add_names(globals.get(), other.hidden);
  }
  roots_.insert(roots_.begin(), std::move(root));
}

}  // namespace dlscope::embed
