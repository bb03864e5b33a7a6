#include "embed/objects/user_code.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/wire/script_file.h"
#include "embed/stored.h"

namespace dlscope::embed {
namespace {

PyObject* modules_dict() {
  PyObject* const modules = PySys_GetObject("modules");  // borrowed
  return modules != nullptr && PyDict_Check(modules) ? modules : nullptr;
}

PyRef module_named(const char* name) {
  PyObject* const modules = modules_dict();
  PyObject* const found = modules != nullptr ? PyDict_GetItemString(modules, name) : nullptr;
  return found != nullptr && PyModule_Check(found) ? PyRef::share(found) : PyRef{};
}

std::string folder_of(const std::string& file) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(file, error);
  return error || file.empty() ? std::string{} : path.parent_path().lexically_normal().string();
}

bool lies_in(std::string_view file, std::string_view folder) {
  return !folder.empty() && file.size() > folder.size() && file.starts_with(folder) && file[folder.size()] == '/';
}

bool is_installed(std::string_view file) {
  return file.find("/site-packages/") != std::string_view::npos || file.find("/dist-packages/") != std::string_view::npos;
}

// The source of a compiled module, whose frames have no locals and cannot be stopped in: Cython names it in the code objects that it
// makes for tracebacks, relative to where the module was built.
bool is_compiled_source(std::string_view file) {
  static constexpr std::string_view kEndings[] = {".pyx", ".pxd", ".pxi", ".pyx.in", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".rs"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return file.ends_with(ending); });
}

// "numpy/random/mtrand.py": below a package that is installed. A compiled module names its Python source so (mypyc).
bool is_below_installed_package(std::string_view file) {
  const std::size_t slash = file.find('/');
  if (slash == 0 || slash == std::string_view::npos) return false;
  const PyRef package = module_named(std::string(file.substr(0, slash)).c_str());
  if (!package) return false;
  std::error_code error;
  return is_installed(file_of_module(package.get())) && !std::filesystem::exists(file, error);
}

// Of Python and of dlscope. They stay where they are, and are asked for with every code object that starts while a breakpoint is
// set.
struct Folders {
  std::string standard_library, own_package;
};

const Folders& folders() {
  static Folders known;
  const auto find = [](std::string& folder, const char* module_name) {
    const PyRef module = folder.empty() ? module_named(module_name) : PyRef{};
    if (module) folder = folder_of(file_of_module(module.get()));
  };
  find(known.standard_library, "os");
  find(known.own_package, "dlscope");
  return known;
}

constexpr long kNested = 0x10;       // CO_NESTED
constexpr long kLineOfGenerated = 2;  // of the text of dataclasses: the first is that of the function around it

long number_of(PyObject* code, const char* attribute) {
  const PyRef value = stored_attribute(code, attribute);
  return value ? PyLong_AsLong(value.get()) : 0;
}

// The methods that dataclasses write, and the constructor of a namedtuple: text that a library runs under the name that code has
// which the user runs from text.
bool is_generated(PyObject* code) {
  const std::string name = text_of(stored_attribute(code, "co_name").get());
  if (name == "<lambda>") {
    const PyRef variables = stored_attribute(code, "co_varnames");
    return variables && PyTuple_Check(variables.get()) && PyTuple_Size(variables.get()) > 0 &&
           text_of(PyTuple_GetItem(variables.get(), 0)) == "_cls";
  }
  if (!name.starts_with("__") || !name.ends_with("__")) return false;
  if (name == "__create_fn__") return true;
  if (const PyRef qualified = stored_attribute(code, "co_qualname"))
    return text_of(qualified.get()).starts_with("__create_fn__.");
  // Before 3.11. A method of a class that a function of the user's defines is nested, too, but further down.
  return (number_of(code, "co_flags") & kNested) != 0 && number_of(code, "co_firstlineno") == kLineOfGenerated;
}

}  // namespace

std::string file_of_module(PyObject* module) {
  return text_of(PyDict_GetItemString(PyModule_GetDict(module), "__file__"));  // does not raise for a str key
}

bool is_users_file(std::string_view file) {
  if (file.empty()) return false;
  if (file[0] == '<')
    return file == core::wire::kUnsavedScriptFile || file == "<string>" || file == "<stdin>" || file.starts_with("<input") ||
           file.starts_with("<ipython");
  if (is_compiled_source(file) || is_below_installed_package(file)) return false;
  return !is_installed(file) && !lies_in(file, folders().standard_library) && !lies_in(file, folders().own_package);
}

bool is_users_code(PyObject* code) {
  const std::string file = text_of(stored_attribute(code, "co_filename").get());
  return is_users_file(file) && (file != "<string>" || !is_generated(code));
}

UserCode::UserCode() : main_(module_named("__main__")) {
  const std::string script = main_ ? file_of_module(main_.get()) : std::string{};
  if (!script.empty() && is_users_file(script)) {
    script_folder_ = folder_of(script);
  } else {
    std::error_code error;
    script_folder_ = std::filesystem::current_path(error).string();
  }
}

bool UserCode::is_ours(std::string_view file) { return lies_in(file, folders().own_package); }

bool UserCode::owns_module_named(const std::string& name) {
  if (name.empty() || name == "builtins") return false;
  if (const auto known = modules_.find(name); known != modules_.end()) return known->second;
  const PyRef module = module_named(name.c_str());
  // Not imported: created by exec or by hand. The script itself may have no file.
  bool users = !module;
  if (module) {
    const std::string file = file_of_module(module.get());
    users = is_users_file(file) || (file.empty() && (name == "__main__" || name == "__mp_main__"));
  }
  modules_.emplace(name, users);
  return users;
}

bool UserCode::owns_class(PyObject* type) {
  if (const std::uint32_t known = classes_.find(type); known != PointerTable::kAbsent) return known != 0;
  // Static types are written in C.
  const bool is_heap_type = (PyType_GetFlags(reinterpret_cast<PyTypeObject*>(type)) & Py_TPFLAGS_HEAPTYPE) != 0;
  const bool users = is_heap_type && owns_module_named(text_of(stored_in_dict_of(type, "__module__").get()));
  if (classes_.find(type) == PointerTable::kAbsent) classes_.insert(type, users ? 1 : 0);
  return users;
}

bool UserCode::owns_function(PyObject* function) {
  const PyRef code = stored_attribute(function, "__code__");
  return code && is_users_file(text_of(stored_attribute(code.get(), "co_filename").get()));
}

bool UserCode::owns_namespace(PyObject* module) const {
  if (module == main_.get()) return false;
  const std::string file = file_of_module(module);
  if (file.empty() || !is_users_file(file)) return false;
  std::error_code error;
  const std::string whole = std::filesystem::absolute(file, error).lexically_normal().string();
  return !error && lies_in(whole, script_folder_);
}

std::vector<UserCode::Module> UserCode::namespaces() const {
  std::vector<Module> out;
  PyObject* const modules = modules_dict();
  if (modules == nullptr) return out;
  PyObject *name = nullptr, *module = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(modules, &position, &name, &module) != 0) {
    if (!PyUnicode_Check(name) || !PyModule_Check(module) || !owns_namespace(module)) continue;
    std::string text = text_of(name);
    if (text != "__mp_main__") out.push_back({PyRef::share(module), std::move(text)});
  }
  return out;
}

}  // namespace dlscope::embed
