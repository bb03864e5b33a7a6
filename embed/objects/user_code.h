// UserCode: decides which files, modules, classes and functions are the user's own, as opposed to libraries and Python. A scan
// visits instances and functions of user code only; those of libraries are the libraries' own business.
// thread: GIL held. Runs no user code: reads the dictionaries of modules and types.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "embed/objects/pointer_table.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// True for a file that is not Python's, not installed (site-packages, dist-packages) and not ours. Code that was typed or made by
// exec is the user's, too.
[[nodiscard]] bool is_users_file(std::string_view file);
// The same of a code object, except that what dataclasses and namedtuples make by exec is not the user's.
[[nodiscard]] bool is_users_code(PyObject* code);

class UserCode {
 public:
  UserCode();

  [[nodiscard]] static bool is_ours(std::string_view file);  // dlscope's own Python
  // A class defined in such a file.
  [[nodiscard]] bool owns_class(PyObject* type);
  // A function whose code is in such a file.
  [[nodiscard]] static bool owns_function(PyObject* function);
  // A module beside or below the script: its names belong to the user like the script's. Not the script itself.
  [[nodiscard]] bool owns_namespace(PyObject* module) const;

  struct Module {
    PyRef module;
    std::string name;  // its import name: "package.part"
  };
  // All imported modules of this kind, in the order of import.
  [[nodiscard]] std::vector<Module> namespaces() const;

 private:
  [[nodiscard]] bool owns_module_named(const std::string& name);

  std::string script_folder_;
  PyRef main_;
  std::map<std::string, bool, std::less<>> modules_;
  PointerTable classes_;  // cached answers; the scan's TypeTable and names keep the classes alive
};

// The __file__ of a module; "": none.
[[nodiscard]] std::string file_of_module(PyObject* module);

}  // namespace dlscope::embed
