// What dlscope knows about a library that no protocol tells: one row each. What must not be called, what is immutable
// by contract, whose code its deleters are. A type's row is found through its method resolution order.
// Behaviour that needs a look at the object itself lives in a LibrarySession, made once per scan.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/inventory/snapshot_builder.h"
#include "core/tensor/device_id.h"
#include "embed/libraries/part.h"
#include "embed/look.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// May a tensor's protocols be called? A scan asks nothing the user did not ask for; `describe` is the user asking.
enum class Caution : std::uint8_t {
  call,
  on_request,  // calling changes something (materialises, computes, copies): only when asked by name
  never,       // calling ends the process
};

struct CautionWords {
  Caution caution = Caution::call;
  std::string reason;  // one sentence, when it is not `call`
};

// Whether an object holds others that a scan should enter (LibrarySession::parts).
enum class Holds : std::uint8_t {
  nothing,
  parts,         // a DataFrame, a sparse matrix, an optimizer
  when_refused,  // a tensor: asked where DLPack said no (sparse, with a gradient, of Python objects)
};

// Whether a type's exchange table may be used in place of __dlpack__. A table skips what a library checks in Python, so it is used only
// for types whose checks are known and made up for.
enum class TableUse : std::uint8_t {
  never,
  checked,  // where also_by_method() says so
  always,   // the table's function checks all that __dlpack__ does
};

inline constexpr unsigned kAskDlpack = 1, kAskArrayInterface = 2, kAskCudaArrayInterface = 4, kAskBuffer = 8;
inline constexpr unsigned kAskAll = 15;

// dtype: a dtype of DLPack's, which describes the memory as it is. Without one `name` is what the raw bytes are called; "": nothing known.
struct NamedElements {
  std::optional<core::DType> dtype;
  std::string name;
};

// A library's per-scan knowledge. thread: GIL held. No member leaves an exception set unless it is KeyboardInterrupt, which
// foreign code inside may raise: look for it after each.
class LibrarySession {
 public:
  virtual ~LibrarySession() = default;
  // What holds for every instance of a type, asked once per type and scan.
  struct Habits {
    bool before_may_object = true;      // else before() is not asked
    bool after_may_add = true;          // else after() is not called
    bool cpu_claim_is_certain = false;  // if the capsule turns out to say "cpu", __dlpack_device__ would say the same: not asked
    Holds holds = Holds::nothing;
    bool names_come_last = false;  // what it holds is somebody else's and has a better name there: an optimizer's parameters
    TableUse table = TableUse::never;
    unsigned protocols = kAskAll;  // of the library's, those that answer for the object itself and not for a copy of it
  };
  [[nodiscard]] virtual Habits habits(PyTypeObject*) { return {}; }
  // Before any protocol is called.
  [[nodiscard]] virtual CautionWords before(PyObject*) { return {}; }
  // Whether __dlpack__ would give the tensor too that the exchange table gave with this dtype: whether the checks of __dlpack__
  // itself hold.
  [[nodiscard]] virtual bool also_by_method(PyObject*, core::DType) { return false; }
  // After `dlpack` said no, or where it is not offered: another object over the very same memory which may be described in its place (a view; nothing
  // is copied), with the reason as a remark. Empty: none.
  [[nodiscard]] virtual PyRef stand_in(PyObject*, Look&) { return {}; }
  // What the elements of an array are whose own `typestr` does not say it, where the library knows better (ml_dtypes).
  [[nodiscard]] virtual NamedElements elements_behind(PyObject*) { return {}; }
  // What the object holds, in order. Nothing is copied, computed or read from a file. Asked where habits() say so.
  virtual void parts(PyObject*, Parts&) {}
  // After a successful look: facts the struct cannot carry.
  virtual void after(PyObject*, Look&) {}
};

struct Library {
  std::string_view module;                         // its import name, and how the report calls it
  std::span<const std::string_view> type_modules;  // top-level modules its types come from, when not only `module`
  std::span<const std::string_view> code;          // parts of file names whose code its deleters are
  unsigned protocols = kAskAll;                    // those a look may use; the others copy, wait, or never lead anywhere
  bool immutable = false;                          // by contract, whatever a legacy capsule cannot say
  // Passed to __dlpack__ when __dlpack_device__ says CUDA or ROCm: -1 is "do not synchronise", and only libraries that
  // are known to take it are told so. 0: pass none, the producer orders itself after its default stream.
  int looking_stream = 0;
  std::unique_ptr<LibrarySession> (*open)() = nullptr;
  bool listed = true;  // appears among the report's libraries when imported
};

[[nodiscard]] std::span<const Library> libraries();

// The row that covers types of this top-level module; nullptr: unknown.
[[nodiscard]] const Library* library_of_module(std::string_view top_level_module);

// Whether a file's code belongs to a known library: the condition for reading its structs with plain loads.
[[nodiscard]] bool is_known_library_code(std::string_view file);

// Name and version of every known library that is imported. Looks into sys.modules only; runs nothing of theirs.
void add_imported_libraries(core::SnapshotBuilder& builder);

// An attribute of an imported module by dotted path below it ("cuda.is_initialized"), taken from the modules' own
// dictionaries: imports nothing, runs no module __getattr__. Empty when there is none.
[[nodiscard]] PyRef imported_attribute(const char* module, std::span<const char* const> path);

// Whether the type or one it derives from is that class of a library, by the beginning of its module's name; name "": any
// class there.
[[nodiscard]] bool derives_from(PyTypeObject* type, std::string_view module, std::string_view name);

// callable() or object.method(): truth of the answer; false, with no error left unless it is KeyboardInterrupt, when it fails.
[[nodiscard]] bool call_truth(PyObject* callable);
[[nodiscard]] bool call_method_truth(PyObject* object, PyObject* method_name);

// How the libraries with behaviour of their own begin a scan.
[[nodiscard]] std::unique_ptr<LibrarySession> open_numpy();
[[nodiscard]] std::unique_ptr<LibrarySession> open_torch();
[[nodiscard]] std::unique_ptr<LibrarySession> open_tensorflow();
[[nodiscard]] std::unique_ptr<LibrarySession> open_paddle();
[[nodiscard]] std::unique_ptr<LibrarySession> open_pillow();
[[nodiscard]] std::unique_ptr<LibrarySession> open_mlx();
[[nodiscard]] std::unique_ptr<LibrarySession> open_pandas();
[[nodiscard]] std::unique_ptr<LibrarySession> open_polars();
[[nodiscard]] std::unique_ptr<LibrarySession> open_xarray();
[[nodiscard]] std::unique_ptr<LibrarySession> open_pyarrow();
[[nodiscard]] std::unique_ptr<LibrarySession> open_held_attributes();
[[nodiscard]] std::unique_ptr<LibrarySession> open_own();

}  // namespace dlscope::embed
