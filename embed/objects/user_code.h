// UserCode: which files, modules, classes and functions are the user's own, as against the libraries' and Python's. A scan looks
// into instances and functions of the user's only: those of libraries hold what the libraries think is theirs.
// thread: GIL held. Runs no code of the user's: modules' and types' own dictionaries are read.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "embed/objects/pointer_table.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

class UserCode {
 public:
  UserCode();

  // A file that is neither Python's own nor installed (site-packages, dist-packages) nor ours; what was typed in or made by exec
  // is the user's too.
  [[nodiscard]] bool owns_file(std::string_view file) const;
  [[nodiscard]] bool is_ours(std::string_view file) const;  // dlscope's own Python
  // A class that such a file defines.
  [[nodiscard]] bool owns_class(PyObject* type);
  // A function whose code such a file holds.
  [[nodiscard]] bool owns_function(PyObject* function) const;
  // A module beside or below the script: its names are the user's as the script's are. Not the script itself.
  [[nodiscard]] bool owns_namespace(PyObject* module) const;

  struct Module {
    PyRef module;
    std::string name;  // as it is imported: "package.part"
  };
  // All of these that are imported, in the order of their import.
  [[nodiscard]] std::vector<Module> namespaces() const;

 private:
  [[nodiscard]] bool owns_module_named(const std::string& name);

  std::string standard_library_, own_package_, script_folder_;
  PyRef main_;
  std::map<std::string, bool, std::less<>> modules_;
  PointerTable classes_;  // answers; the scan's TypeTable and names keep the classes alive
};

// The file a module says it comes from; "" for none.
[[nodiscard]] std::string file_of_module(PyObject* module);

}  // namespace dlscope::embed
