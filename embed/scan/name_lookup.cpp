#include "embed/scan/name_lookup.h"

#include <fmt/format.h>

#include <string>

#include "embed/scan/container_entries.h"
#include "embed/scan/namespace_scan.h"

namespace dlscope::embed {
namespace {

constexpr int kDeepest = 64;
constexpr std::size_t kLongestPath = 64 * 1024;
constexpr std::uint64_t kMaxEntries = ScanOptions{}.max_entries;  // looked at in one search

class Search {
 public:
  explicit Search(TypeTable& types) : types_(types) {}

  [[nodiscard]] PyRef from_root(const ScanRoot& root, std::string_view path) {
    const auto spelled = [&](const Entry& entry) { return root.spelled(text_of(entry.key.get())); };
    return among(entries_of_namespace(root.names.get(), types_), path, 0, nullptr, spelled);
  }

  [[nodiscard]] bool is_over() const { return looked_at_ > kMaxEntries; }

 private:
  // One name may be a prefix of another ("a" and "ab", "d['x']" and "d['x'].y"), so every entry that fits is tried.
  template <class Suffix>
  [[nodiscard]] PyRef among(const Entries& entries, std::string_view rest, int depth, PyObject* holder, Suffix suffix_of_entry) {
    looked_at_ += entries.looked_at;
    if (is_over()) return {};
    for (const Entry& entry : entries.items) {
      const std::string suffix = suffix_of_entry(entry);
      if (suffix.empty() || !rest.starts_with(suffix)) continue;
      const std::string_view behind = rest.substr(suffix.size());
      if (!behind.empty() && behind[0] != '.' && behind[0] != '[' && behind[0] != '<') continue;
      PyRef found = below(entry.value, behind, depth);
      if (found || PyErr_Occurred() != nullptr) return found;
    }
    for (const Part& part : entries.parts) {
      if (!rest.starts_with(part.suffix)) continue;
      if (part.value.get() == holder && part.suffix.empty()) continue;
      PyRef found = below(part.value, rest.substr(part.suffix.size()), depth);
      if (found || PyErr_Occurred() != nullptr) return found;
    }
    return {};
  }

  [[nodiscard]] PyRef below(const PyRef& object, std::string_view rest, int depth) {
    TypeFacts& facts = types_.facts_of(object.get());
    const Role role = facts.role;
    if (rest.empty() && role != Role::parts) return object;
    if (depth >= kDeepest) return {};
    const Entries entries = entries_of_container(object.get(), facts, types_);
    if (PyErr_Occurred() != nullptr) return {};
    const auto suffix = [role](const Entry& entry) { return suffix_of(entry, role); };
    PyRef found = among(entries, rest, depth + 1, object.get(), suffix);
    if (!found && PyErr_Occurred() == nullptr && has_attributes(facts)) found = in_classes_of(object.get(), rest, depth + 1);
    return found;
  }

  [[nodiscard]] PyRef in_classes_of(PyObject* object, std::string_view rest, int depth) {
    const PyRef mro = type_attribute(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__mro__");
    for (Py_ssize_t i = 0; mro && PyTuple_Check(mro.get()) && i < PyTuple_Size(mro.get()); ++i) {
      const PyRef base = PyRef::share(PyTuple_GetItem(mro.get(), i));
      if (!types_.user_code().owns_class(base.get())) continue;
      PyRef found = below(base, rest, depth);
      if (found || PyErr_Occurred() != nullptr) return found;
    }
    return {};
  }

  TypeTable& types_;
  std::uint64_t looked_at_ = 0;
};

}  // namespace

NamedObject object_named(const ScanPlace& place, std::string_view path, TypeTable& types) {
  if (path.empty() || path.size() > kLongestPath) return {};
  Search search(types);
  for (const ScanRoot& root : place.roots()) {
    PyRef found = search.from_root(root, path);
    if (found || PyErr_Occurred() != nullptr) return {std::move(found), {}};
    if (search.is_over())
      return {{}, fmt::format("more than {} entries of containers lie on the way to {}: it was not looked for further", kMaxEntries,
                              path)};
  }
  return {};
}

}  // namespace dlscope::embed
