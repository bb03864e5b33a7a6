// dlscope-host: finds the chosen interpreter's libpython, initialises it as that interpreter would, and hands the
// process's main thread to python/dlscope/_host_boot.py. Compiled once for every CPython from 3.9 on: no Python.h, no link
// to libpython, every function found by name.
//
//   dlscope-host --libpython PATH --python EXECUTABLE --package-dir DIR --region-fd N
//
// Interpreters without libpython are started by the viewer directly, with the same boot file (core/wire/host_launch.h).
// Exit code 3 with one line on standard error: this host cannot serve. Everything later is decided in Python.

#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/wire/host_launch.h"

namespace {

struct Arguments {
  std::string libpython, python, package_dir, region_fd;
};

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "dlscope-host: %s\n", why.c_str());
  std::exit(dlscope::core::wire::kHostCannotServe);
}

Arguments parse(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--libpython")
      out.libpython = argv[i + 1];
    else if (name == "--python")
      out.python = argv[i + 1];
    else if (name == "--package-dir")
      out.package_dir = argv[i + 1];
    else if (name == "--region-fd")
      out.region_fd = argv[i + 1];
    else
      refuse("unknown option " + name);
  }
  if (argc % 2 == 0 || out.libpython.empty() || out.python.empty() || out.package_dir.empty() || out.region_fd.empty()) {
    refuse(
        "this program is started by dlscope, not by hand: --libpython PATH --python EXECUTABLE --package-dir DIR --region-fd N");
  }
  return out;
}

template <class Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

// RTLD_GLOBAL: extension modules are not linked to libpython and take its symbols from the process.
void* open_libpython(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) refuse("libpython cannot be loaded: " + std::string(dlerror()));
  const auto version = find<const char* (*)()>(library, "Py_GetVersion");
  if (version == nullptr) refuse(path + " is not a libpython: Py_GetVersion is missing");
  const std::string text = version();
  int major = 0;
  int minor = 0;
  if (std::sscanf(text.c_str(), "%d.%d", &major, &minor) != 2 || major != 3 || minor < 9) {
    refuse("Python " + text.substr(0, text.find(' ')) + " (" + path + ") is too old: dlscope needs CPython 3.9 or newer");
  }
  if (text.find("free-threading") != std::string::npos) {
    refuse("free-threaded builds of Python are not supported yet (" + path + "): choose the ordinary build with --python");
  }
  return library;
}

// PyStatus of CPython 3.8 to 3.14, returned by value; the same 32 bytes in all of them.
struct PyStatus {
  int type;  // 0: fine, 1: error, 2: exit asked for
  const char* function;
  const char* message;
  int exit_code;
};

[[noreturn]] void refuse_initialisation(const Arguments& arguments, const char* message) {
  refuse("Python could not be initialised: " + std::string(message != nullptr ? message : "no reason was given") +
         " (interpreter " + arguments.python + ", library " + arguments.libpython +
         "). Check that the interpreter runs by itself, and PYTHONHOME and PYTHONPATH.");
}

// PEP 587 through an opaque buffer: only the pointer is passed, the struct measured at most 448 bytes (3.8 to 3.13).
// Returns false when this libpython lacks one of the functions.
bool initialise_with_config(void* library, const Arguments& arguments, std::vector<char*>& argv) {
  const auto init_python = find<void (*)(void*)>(library, "PyConfig_InitPythonConfig");
  const auto set_argv = find<PyStatus (*)(void*, std::ptrdiff_t, char* const*)>(library, "PyConfig_SetBytesArgv");
  const auto initialise = find<PyStatus (*)(const void*)>(library, "Py_InitializeFromConfig");
  const auto clear = find<void (*)(void*)>(library, "PyConfig_Clear");
  if (init_python == nullptr || set_argv == nullptr || initialise == nullptr || clear == nullptr) return false;

  alignas(std::max_align_t) static std::byte config[64 * 1024];
  init_python(config);
  PyStatus status = set_argv(config, static_cast<std::ptrdiff_t>(argv.size()), argv.data());
  if (status.type == 0) status = initialise(config);
  if (status.type != 0) refuse_initialisation(arguments, status.message);
  clear(config);
  return true;
}

// PEP 741 (3.14+), for the day the functions above are gone. Its defaults are the isolated ones: set back to what the
// `python` program uses.
bool initialise_with_init_config(void* library, const Arguments& arguments, std::vector<char*>& argv) {
  const auto create = find<void* (*)()>(library, "PyInitConfig_Create");
  const auto set_int = find<int (*)(void*, const char*, std::int64_t)>(library, "PyInitConfig_SetInt");
  const auto set_list = find<int (*)(void*, const char*, std::size_t, char* const*)>(library, "PyInitConfig_SetStrList");
  const auto get_error = find<int (*)(void*, const char**)>(library, "PyInitConfig_GetError");
  const auto initialise = find<int (*)(void*)>(library, "Py_InitializeFromInitConfig");
  if (create == nullptr || set_int == nullptr || set_list == nullptr || get_error == nullptr || initialise == nullptr)
    return false;

  void* config = create();
  if (config == nullptr) refuse_initialisation(arguments, "out of memory");
  struct Setting {
    const char* name;
    std::int64_t value;
  };
  static constexpr Setting kAsTheProgram[] = {{"isolated", 0},   {"use_environment", 1},         {"user_site_directory", 1},
                                              {"safe_path", 0},  {"configure_locale", 1},        {"configure_c_stdio", 1},
                                              {"parse_argv", 1}, {"install_signal_handlers", 1}, {"pathconfig_warnings", 1}};
  bool ok = true;
  for (const Setting& setting : kAsTheProgram) ok = ok && set_int(config, setting.name, setting.value) == 0;
  ok = ok && set_list(config, "argv", argv.size(), argv.data()) == 0 && initialise(config) == 0;
  if (!ok) {
    const char* message = nullptr;
    get_error(config, &message);
    refuse_initialisation(arguments, message);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments = parse(argc, argv);
  void* library = open_libpython(arguments.libpython);
  const auto run_main = find<int (*)()>(library, "Py_RunMain");
  if (run_main == nullptr) refuse(arguments.libpython + " lacks Py_RunMain");

  const std::string boot_file = dlscope::core::wire::host_boot_file(arguments.package_dir);
  if (access(boot_file.c_str(), R_OK) != 0)
    refuse("the package in " + arguments.package_dir + " cannot be loaded: " + boot_file + " is missing");
  // The command line of a static interpreter that is its own host: from here on both are the same.
  std::string argv_texts[] = {arguments.python,      boot_file,     "--package-dir",
                              arguments.package_dir, "--region-fd", arguments.region_fd};
  std::vector<char*> python_argv;
  for (std::string& text : argv_texts) python_argv.push_back(text.data());
  if (!initialise_with_config(library, arguments, python_argv) && !initialise_with_init_config(library, arguments, python_argv)) {
    refuse(arguments.libpython + " cannot be started in any way that dlscope knows");
  }
  return run_main();  // does not return: the boot file ends the process (host_exit)
}
