// Classes with attributes that a scan visits by name: they are stored values, so reading them runs no code.
#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "embed/libraries/library.h"
#include "embed/stored.h"

namespace dlscope::embed {
namespace {

struct Row {
  std::string_view module;  // of the class; ending with a dot: a prefix
  std::string_view name;    // of the class; "": every class of the module
  std::span<const char* const> attributes;
};

constexpr std::array kSparse{"data", "indices", "indptr", "row", "col", "coords", "offsets", "rows"};
constexpr std::array kLayout{"_layout"};
constexpr std::array kContents{"_data", "_content", "_contents", "_offsets", "_starts", "_stops", "_index", "_tags", "_mask"};
constexpr std::array kIndex{"_data"};
constexpr std::array kResult{"_result"};
constexpr std::array kTask{"_coro", "_result"};
constexpr std::array kPartial{"func", "args", "keywords"};
constexpr std::array kQueue{"queue"};
constexpr std::array kAsyncioQueue{"_queue"};
constexpr std::array kWrapped{"__wrapped__"};
constexpr std::array kUserDict{"data"};
constexpr std::array kChainMap{"maps"};
constexpr std::array kSharedMemory{"_buf"};
constexpr std::array kSynchronized{"_obj"};

constexpr std::array kRows{
    Row{"scipy.sparse.", "", kSparse},
    Row{"awkward.highlevel", "", kLayout},
    Row{"awkward.contents.", "", kContents},
    Row{"awkward.index", "", kIndex},
    Row{"functools", "partial", kPartial},
    Row{"concurrent.futures._base", "Future", kResult},
    Row{"asyncio.futures", "Future", kResult},
    Row{"_asyncio", "Task", kTask},
    Row{"_asyncio", "Future", kResult},
    Row{"functools", "_lru_cache_wrapper", kWrapped},
    Row{"queue", "Queue", kQueue},
    Row{"asyncio.queues", "Queue", kAsyncioQueue},
    Row{"collections", "UserDict", kUserDict},
    Row{"collections", "UserList", kUserDict},
    Row{"collections", "ChainMap", kChainMap},
    Row{"multiprocessing.shared_memory", "SharedMemory", kSharedMemory},
    Row{"multiprocessing.sharedctypes", "SynchronizedArray", kSynchronized},
};

bool covers(const Row& row, std::string_view module, std::string_view name) {
  const bool of_module = row.module.ends_with('.') ? module.starts_with(row.module) : module == row.module;
  return of_module && (row.name.empty() || row.name == name);
}

const Row* row_of(PyTypeObject* type) {
  const PyRef mro = type_attribute(reinterpret_cast<PyObject*>(type), "__mro__");
  for (Py_ssize_t i = 0; mro && PyTuple_Check(mro.get()) && i < PyTuple_Size(mro.get()); ++i) {
    PyObject* const base = PyTuple_GetItem(mro.get(), i);
    const std::string module = text_of(type_attribute(base, "__module__").get());
    const std::string name = text_of(type_attribute(base, "__name__").get());
    const auto* const row = std::ranges::find_if(kRows, [&](const Row& r) { return covers(r, module, name); });
    if (row != kRows.end()) return row;
  }
  return nullptr;
}

// threading.local itself: reading its names runs no code, as it would in a subclass with an __init__. They are those of the
// thread that looks.
bool is_thread_local(PyTypeObject* type) {
  PyObject* const object = reinterpret_cast<PyObject*>(type);
  return text_of(type_attribute(object, "__module__").get()) == "_thread" &&
         text_of(type_attribute(object, "__name__").get()) == "_local";
}

void names_of_thread(PyObject* local, Parts& out) {
  const PyRef names = PyRef::steal(PyObject_GetAttrString(local, "__dict__"));
  if (!names) {
    clear_unless_interrupt();
    return;
  }
  PyObject *name = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Check(names.get()) && PyDict_Next(names.get(), &position, &name, &value) != 0) {
    if (PyUnicode_Check(name) && out.wanted(value)) out.add(PyRef::share(value), "." + text_of(name));
  }
}

class HeldAttributesSession final : public LibrarySession {
 public:
  [[nodiscard]] Habits habits(PyTypeObject* type) override {
    return {.holds = row_of(type) != nullptr || is_thread_local(type) ? Holds::parts : Holds::nothing};
  }
  void parts(PyObject* object, Parts& out) override {
    if (is_thread_local(Py_TYPE(object))) return names_of_thread(object, out);
    const Row* const row = row_of(Py_TYPE(object));
    if (row == nullptr) return;
    for (const char* const attribute : row->attributes)
      out.add(stored_attribute(object, attribute), std::string(".") + attribute);
  }
};

}  // namespace

std::unique_ptr<LibrarySession> open_held_attributes() { return std::make_unique<HeldAttributesSession>(); }

}  // namespace dlscope::embed
