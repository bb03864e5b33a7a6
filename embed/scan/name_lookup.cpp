#include "embed/scan/name_lookup.h"

#include <string>

#include "embed/scan/container_entries.h"

namespace dlscope::embed {
namespace {

constexpr int kDeepest = 64;
constexpr std::size_t kLongestPath = 64 * 1024;
constexpr std::uint64_t kMostEntries = 2'000'000;  // looked at in one search

class Search {
 public:
  explicit Search(TypeTable& types) : types_(types) {}

  [[nodiscard]] PyRef from_namespace(PyObject* globals, std::string_view path) {
    return among(entries_of_namespace(globals, types_), path, 0, [](const Entry& entry) { return text_of(entry.key.get()); });
  }

 private:
  // A name may be the beginning of another one ("a" and "ab", "d['x']" and "d['x'].y"): what fits is tried in turn.
  template <class Suffix>
  [[nodiscard]] PyRef among(const Entries& entries, std::string_view rest, int depth, Suffix suffix_of_entry) {
    looked_at_ += entries.looked_at;
    if (looked_at_ > kMostEntries) return {};
    for (const Entry& entry : entries.items) {
      const std::string suffix = suffix_of_entry(entry);
      if (suffix.empty() || !rest.starts_with(suffix)) continue;
      const std::string_view behind = rest.substr(suffix.size());
      if (!behind.empty() && behind[0] != '.' && behind[0] != '[' && behind[0] != '<') continue;
      PyRef found = below(entry.value, behind, depth);
      if (found || PyErr_Occurred() != nullptr) return found;
    }
    return {};
  }

  [[nodiscard]] PyRef below(const PyRef& object, std::string_view rest, int depth) {
    if (rest.empty()) return object;
    if (depth >= kDeepest) return {};
    const Role role = types_.facts_of(object.get()).role;
    const Entries entries = entries_of_container(object.get(), role, types_);
    if (PyErr_Occurred() != nullptr) return {};
    return among(entries, rest, depth + 1, [role](const Entry& entry) { return suffix_of(entry, role); });
  }

  TypeTable& types_;
  std::uint64_t looked_at_ = 0;
};

}  // namespace

PyRef object_named(PyObject* globals, std::string_view path, TypeTable& types) {
  if (path.empty() || path.size() > kLongestPath || !PyDict_Check(globals)) return {};
  return Search(types).from_namespace(globals, path);
}

}  // namespace dlscope::embed
