#include "embed/scan/name_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "embed/plain_repr.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

std::string key_suffix(PyObject* key, std::size_t index) {
  if (const auto message = plain_repr(key)) return "[" + *message + "]";
  const PendingError pending;
  const PyRef type = PyRef::share(reinterpret_cast<PyObject*>(Py_TYPE(key)));
  return fmt::format("[<{} {}>]", text_of(type_attribute(type.get(), "__name__").get()), index);
}

std::string index_suffix(std::size_t index) { return "[" + fmt::format_int(index).str() + "]"; }
std::string set_suffix(std::size_t index) { return "<" + fmt::format_int(index).str() + ">"; }

std::string attribute_suffix(std::string_view name) {
  const bool digits = !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  if (digits) return fmt::format("[{}]", name);
  return fmt::format(".{}", name);
}

}  // namespace dlscope::embed
