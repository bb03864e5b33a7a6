#include "embed/scan/module_entries.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "embed/scan/name_path.h"
#include "embed/scan/object_entries.h"

namespace dlscope::embed {
namespace {

struct PartDict {
  const char* name;
  const char* kept_in;
};
constexpr std::array<PartDict, 3> kTorchParts{
    {{"_parameters", "._parameters"}, {"_buffers", "._buffers"}, {"_modules", "._modules"}}};
constexpr std::array<PartDict, 3> kPaddleParts{
    {{"_parameters", "._parameters"}, {"_buffers", "._buffers"}, {"_sub_layers", "._sub_layers"}}};

// The libraries' containers of modules and of parameters, and what their [] takes.
struct Container {
  enum class Takes : std::uint8_t { key, number, place };  // place: the number in the dict, whatever the name there
  const char* name;
  Takes takes;
  bool of_modules;
};
constexpr std::array<Container, 7> kContainers{{{"Sequential", Container::Takes::place, true},
                                                {"ModuleList", Container::Takes::number, true},
                                                {"LayerList", Container::Takes::number, true},
                                                {"ModuleDict", Container::Takes::key, true},
                                                {"LayerDict", Container::Takes::key, true},
                                                {"ParameterList", Container::Takes::number, false},
                                                {"ParameterDict", Container::Takes::key, false}}};

const Container* container_of(PyTypeObject* type, bool is_paddle) {
  const std::string_view module = is_paddle ? "paddle.nn." : "torch.nn.modules.container";
  const auto fits = [&](const Container& each) { return derives_from(type, module, each.name); };
  const auto* const found = std::ranges::find_if(kContainers, fits);
  return found == kContainers.end() ? nullptr : found;
}

// Of "0" and "12"; of "01" there is none.
std::optional<std::size_t> number_of(const std::string& name) {
  const bool digits = std::ranges::all_of(name, [](char c) { return '0' <= c && c <= '9'; });
  if (!digits || name.empty() || name.size() > 9 || (name.size() > 1 && name[0] == '0')) return std::nullopt;
  return std::stoul(name);
}

// Gives entries whose names cannot follow a dot, as a Sequential's "0", the form that the container's own [] takes.
class Subscripts {
 public:
  Subscripts(PyTypeObject* type, bool is_paddle) : type_(type), is_paddle_(is_paddle) {}

  // From `from` on they are of this dict of the container; "": its attributes.
  void give(Entries& out, std::size_t from, std::string_view dict) {
    for (std::size_t i = from; i < out.items.size(); ++i) {
      Entry& entry = out.items[i];
      if (!PyUnicode_Check(entry.key.get()) || may_follow_a_dot(entry.key.get())) continue;
      if (const Container* const container = known(); container != nullptr && leads_to(*container, dict)) name(entry, *container);
    }
  }

 private:
  [[nodiscard]] const Container* known() {
    if (!container_) container_ = container_of(type_, is_paddle_);
    return *container_;
  }

  // PyTorch's ParameterDict and ParameterList keep what is no parameter among their attributes.
  [[nodiscard]] bool leads_to(const Container& container, std::string_view dict) const {
    if (container.of_modules) return dict == "_modules" || dict == "_sub_layers";
    return dict == "_parameters" || (dict.empty() && !is_paddle_);
  }

  static void name(Entry& entry, const Container& container) {
    if (container.takes == Container::Takes::key) {
      entry.kept_in = "";
      return;
    }
    const auto number = number_of(text_of(entry.key.get()));
    if (!number || (container.takes == Container::Takes::place && *number != entry.index)) return;
    if (PyRef key = PyRef::steal(PyLong_FromSize_t(*number))) entry.key = std::move(key);
  }

  PyTypeObject* type_;
  bool is_paddle_;
  std::optional<const Container*> container_;
};

}  // namespace

// They are in private dictionaries; their keys are what the user types after the dot.
void collect_torch_module(PyObject* module, TypeTable& types, Entries& out) {
  const PyRef dict = dict_of_instance(module);
  if (!dict) return;
  const bool is_paddle = derives_from(Py_TYPE(module), "paddle.nn.", "Layer");
  const auto& all_parts = is_paddle ? kPaddleParts : kTorchParts;
  Subscripts subscripts(Py_TYPE(module), is_paddle);
  for (const PartDict& part : all_parts) {
    PyObject* const parts = PyDict_GetItemString(dict.get(), part.name);
    if (parts == nullptr || !PyDict_Check(parts)) continue;
    const std::size_t from = out.items.size();
    collect_dict(parts, types, true, out, [](PyObject*) { return true; });
    for (std::size_t i = from; i < out.items.size(); ++i) out.items[i].kept_in = part.kept_in;
    subscripts.give(out, from, part.name);
  }
  const std::size_t from = out.items.size();
  collect_dict(dict.get(), types, true, out, [&](PyObject* name) {
    const auto is_it = [&](const PartDict& part) { return text_of(name) == part.name; };
    return is_users_name(name) && std::ranges::none_of(all_parts, is_it);
  });
  subscripts.give(out, from, {});
}

}  // namespace dlscope::embed
