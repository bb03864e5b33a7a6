// What dlscope knows about a library beyond the protocols, one row each: what must not be called, what is immutable by contract,
// whose code its deleters are. A type's row is found through its method resolution order. Behaviour that must examine the object
// itself is in a LibrarySession, made once per scan.
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
#include "embed/libraries/quiet.h"
#include "embed/description.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// May a tensor's protocols be called? A scan calls nothing that waits or has side effects; `describe` is a request by the user.
enum class Caution : std::uint8_t {
  call,
  waits,       // calling waits for a computation: only when the user names the object
  on_request,  // calling has side effects (computes, copies): only when the user names the object
  on_consent,  // calling changes the object itself (a copy-on-write tensor makes its copy): only to take it, or when the user was
               // told what it does; a description has the object's attributes (describe_by_attributes)
  never,       // calling ends the process
};

struct CautionWords {
  Caution caution = Caution::call;
  std::string reason;  // one sentence, when it is not `call`
};

// Whether an object holds others that a scan should visit (LibrarySession::parts).
enum class Holds : std::uint8_t {
  nothing,
  parts,         // a DataFrame, a sparse matrix, an optimizer
  when_refused,  // a tensor: its parts are visited when DLPack refuses it (sparse, with a gradient, of Python objects)
};

// Whether a type's exchange table may be used in place of __dlpack__. A table skips what a library checks in Python, so it is
// used only for types whose checks are known and repeated here.
enum class TableUse : std::uint8_t {
  never,
  checked,  // only if also_by_method() returns true
  always,   // the table's function checks everything that __dlpack__ checks
};

inline constexpr unsigned kAskDlpack = 1, kAskArrayInterface = 2, kAskCudaArrayInterface = 4, kAskBuffer = 8;
inline constexpr unsigned kAskAll = 15;

// A library's knowledge for one scan. thread: GIL held. No function leaves an exception set except KeyboardInterrupt, which
// foreign code may raise: check for it after each call.
class LibrarySession {
 public:
  virtual ~LibrarySession() = default;
  // Facts that hold for every instance of a type; asked once per type and scan.
  struct Habits {
    bool before_may_object = true;      // false: before() need not be called
    bool after_may_add = true;          // false: after() need not be called
    bool cpu_claim_is_certain = false;  // when the capsule says "cpu", so would __dlpack_device__: not called
    Holds holds = Holds::nothing;
    bool immutable = false;        // its instances never change by contract, though other tensors of the library may
    bool names_come_last = false;  // its parts belong to others and have better names there: an optimizer's parameters
    TableUse table = TableUse::never;
    unsigned protocols = kAskAll;  // protocols of the library's types that describe the object itself and not a copy of it
    bool stand_in_may_be_copy = false;  // stand_in() does not always give the object's own memory
    bool attributes_describe = false;  // when before() forbids the protocols, describe_by_attributes() may be asked
  };
  [[nodiscard]] virtual Habits habits(PyTypeObject*) { return {}; }
  // Held while an object is looked at, of a class of the user's or not: keeps code of the user's from running then. Empty where none
  // could.
  [[nodiscard]] virtual Quiet quiet(bool /*of_user*/) { return {}; }
  // Called before any protocol is.
  [[nodiscard]] virtual CautionWords before(PyObject*) { return {}; }
  // Where the protocols must not be called: describes it from attributes that change nothing. claimed: what __dlpack_device__
  // says. False: they do not say enough, and the description is as it was.
  [[nodiscard]] virtual bool describe_by_attributes(PyObject*, core::DeviceId /*claimed*/, Description&) { return false; }
  // For a tensor with this dtype, given by the exchange table: whether __dlpack__ would give it, too, that is, whether its checks
  // pass.
  [[nodiscard]] virtual bool also_by_method(PyObject*, core::DType) { return false; }
  // When DLPack refused or is not offered: another object over the same memory that may be described in its place (a view;
  // nothing is copied), with the reason as a remark. Empty: none.
  [[nodiscard]] virtual PyRef stand_in(PyObject*, Description&) { return {}; }
  // The elements of an array whose own `typestr` does not describe them, when the library knows (ml_dtypes). One of fewer than 8 bits
  // takes a whole byte.
  [[nodiscard]] virtual std::optional<core::DType> elements_behind(PyObject*) { return {}; }
  // The objects that this one holds, in order. Copies, computes and reads from files nothing. Called where habits() say so.
  virtual void parts(PyObject*, Parts&) {}
  // The address of its storage, found without changing it, for a tensor that Caution::on_consent protects: another one after it
  // was taken means that it was copied. 0: not known.
  [[nodiscard]] virtual core::Address storage_address(PyObject*) { return 0; }
  // Called after a tensor was described: adds facts that the struct cannot express.
  virtual void after(PyObject*, Description&) {}
};

struct Library {
  std::string_view module;                         // its import name, also used in the report
  std::span<const std::string_view> type_modules;  // top-level modules of its types, when not only `module`
  std::span<const std::string_view> code;          // substrings of file names that contain its deleters' code
  unsigned protocols = kAskAll;                    // protocols that may be used; the others copy, wait, or never succeed
  bool immutable = false;                          // by contract, even where a legacy capsule cannot express it
  // Passed to __dlpack__ when __dlpack_device__ says CUDA or ROCm. -1 means "do not synchronise", passed only to libraries that
  // are known to accept it. 0: pass no stream; the producer then orders itself after its default stream.
  int looking_stream = 0;
  std::unique_ptr<LibrarySession> (*open)() = nullptr;
  bool listed = true;  // listed in the report when imported
};

[[nodiscard]] std::span<const Library> libraries();

// The row for types of this top-level module; nullptr: unknown.
[[nodiscard]] const Library* library_of_module(std::string_view top_level_module);

// Whether this file has code of a known library: the condition for reading its structs with plain loads.
[[nodiscard]] bool is_known_library_code(std::string_view file);

// Names and versions of the known libraries that are imported. Reads sys.modules only; runs none of their code.
void add_imported_libraries(core::SnapshotBuilder& builder);

// An attribute of an imported module by its path ("cuda.is_initialized"), read from the modules' dictionaries: imports nothing,
// runs no module __getattr__. Empty: there is none.
[[nodiscard]] PyRef imported_attribute(const char* module, std::span<const char* const> path);

// Whether the type is, or derives from, the class `name` of a module whose name begins with `module`; name "": any class there.
[[nodiscard]] bool derives_from(PyTypeObject* type, std::string_view module, std::string_view name);

// An attribute as the library's class defines it, whatever a subclass has under that name. No error is left but KeyboardInterrupt;
// with one set, nothing is asked.
[[nodiscard]] PyRef own_attribute(const PyRef& type, PyObject* object, const char* name);
// The same of a method without arguments: what calling it gives.
[[nodiscard]] PyRef call_own_method(const PyRef& type, PyObject* object, const char* name);
// The same of the method that the object itself has: for objects of the library's own classes.
[[nodiscard]] PyRef call_method(PyObject* object, const char* name);
// What PyTorch's and Paddle's tensors that require gradients are described through.
inline constexpr const char* kRequiresGrad =
    "the library refuses to export a tensor that requires gradients; described through detach(), a view of the same memory";

// callable() or object.method() as a bool; false when it fails. No exception is left set except KeyboardInterrupt.
[[nodiscard]] bool call_truth(PyObject* callable);
[[nodiscard]] bool call_method_truth(PyObject* object, PyObject* method_name);

// The note on values some of which are null, as a mask or bitmap beside them says.
[[nodiscard]] core::Remark remark_nulls(std::uint64_t nulls, std::uint64_t values);

// Open the sessions of the libraries that need one.
[[nodiscard]] std::unique_ptr<LibrarySession> open_numpy();
[[nodiscard]] std::unique_ptr<LibrarySession> open_torch();
[[nodiscard]] std::unique_ptr<LibrarySession> open_jax();
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
