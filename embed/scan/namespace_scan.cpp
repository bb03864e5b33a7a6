#include "embed/scan/namespace_scan.h"

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "embed/interrupts.h"
#include "embed/libraries/kept_gradients.h"
#include "embed/objects/describer.h"
#include "embed/objects/type_table.h"
#include "embed/runtime.h"
#include "embed/scan/container_entries.h"
#include "embed/stored.h"

namespace dlscope::embed {
namespace {

class NamespaceScan {
 public:
  NamespaceScan(core::SnapshotBuilder& builder, const ScanOptions& options)
      : builder_(builder), options_(options), types_(builder), describer_(Runtime::get().reader(), options.checked_only) {}

  void run(const ScanPlace& place) {
    static_cast<void>(take_forbidden_look());  // of acts and questions since the last scan
    for (const ScanRoot& root : place.roots()) {
      if (should_stop()) break;
      if (!begin(root)) continue;
      const Entries names = entries_of_namespace(root.names.get(), types_);
      entries_seen_ += names.looked_at;
      for (const Entry& entry : names.items) {
        if (should_stop()) break;
        visit(entry.value, kNoParent, [&] { return root.spelled(text_of(entry.key.get())); });
      }
    }
    while (!should_stop() && (!queue_.empty() || !deferred_.empty())) {
      std::deque<std::uint32_t>& queue = queue_.empty() ? deferred_ : queue_;
      const std::uint32_t node = queue.front();
      queue.pop_front();
      enter(node);
    }
    report_limits();
    // paths_reached_ does not count: a container with too many names was entered under the first ones.
    const std::string forbidden = take_forbidden_look();
    if (!forbidden.empty()) {
      Runtime::get().note(core::EventKind::script,
                          "Python code raised when a stored value was read, as an audit hook of the script's own can "
                          "(sys.addaudithook), so names and tensors may be missing: " +
                              forbidden);
    }
    if (!stopped_ && !depth_reached_ && forbidden.empty()) builder_.set_complete();
    if (options_.held != nullptr) find_held(*options_.held);
    types_.report_not_entered(builder_);
  }

 private:
  // A container under one of its names.
  struct Node {
    PyRef container;
    Role role;
    std::string path;
    std::uint32_t parent;
    int depth;
    std::uint16_t frame;  // whose local its path begins with
    std::vector<core::Remark> remarks = {};  // that hold for its parts
  };
  static constexpr std::uint32_t kNoParent = ~std::uint32_t{0};

  // False: the namespace has been entered under this very name.
  [[nodiscard]] bool begin(const ScanRoot& root) {
    frame_ = core::kNone16;
    if (root.is_local) frame_ = builder_.add_frame(root.frame.function, root.frame.file, root.frame.line, root.depth);
    if (!root.module) return true;
    return count_path(root.module.get()) == 1;
  }

  // make_path() builds the name; called only for values that need one.
  template <class MakePath>
  void visit(const PyRef& value, std::uint32_t parent, MakePath make_path) {
    TypeFacts& facts = types_.facts_of(value.get());
    switch (facts.role) {
      case Role::nothing:
        ++facts.met;
        if (PyErr_Occurred() != nullptr) interrupt();  // while the type was looked up, which is done once
        return;
      case Role::tensor:
        if (!facts.direct_values_only || parent == kNoParent) {
          tensor(value, facts, parent, make_path());
        } else if (has_attributes(facts)) {
          queue_container(value, facts.role, parent, make_path);
        }
        return;
      case Role::capsule:
        tensor(value, facts, parent, make_path());
        return;
      case Role::type_object:
        if (types_.user_code().owns_class(value.get())) queue_container(value, facts.role, parent, make_path);
        return;
      case Role::module:
        // Entered once: under another name it would give the same tensors longer names.
        if (container_index_.find(value.get()) == PointerTable::kAbsent && types_.user_code().owns_namespace(value.get()))
          queue_container(value, facts.role, parent, make_path);
        return;
      default:
        if (has_attributes(facts) || !is_empty(value.get(), facts.role)) queue_container(value, facts.role, parent, make_path);
        return;
    }
  }

  void tensor(const PyRef& value, TypeFacts& facts, std::uint32_t parent, const std::string& path) {
    const std::uint32_t seen = tensor_index_.find(value.get());
    if (seen != PointerTable::kAbsent) {
      if (has_attributes(facts) && is_inside_itself(value, parent)) return;
      if (seen != kNotATensor) builder_.add_name(seen, builder_.add_text(path));
      if (has_attributes(facts)) queue_container(value, facts.role, parent, [&] { return path; });
      return;
    }
    if (builder_.tensor_count() >= options_.max_tensors) {
      tensors_reached_ = stopped_ = true;
      return;
    }
    const bool counts = describe(value, facts);
    if (PyErr_Occurred() != nullptr) {
      interrupt();
      return;
    }
    tensor_index_.insert(value.get(), counts ? add(facts, path) : kNotATensor);
    exporters_.push_back(value);
    const bool has_parts = holds_parts(value, facts);
    if (PyErr_Occurred() != nullptr) return interrupt();
    if (has_parts || has_attributes(facts)) queue_container(value, facts.role, parent, [&] { return path; });
  }

  // Of the tensor that was just described. One of a class of the user's is entered for its attributes anyway.
  [[nodiscard]] bool holds_parts(const PyRef& value, const TypeFacts& facts) {
    if (facts.habits.holds != Holds::when_refused) return facts.habits.holds == Holds::parts;
    if (!description_.refusals.empty()) return true;
    if (facts.session == nullptr || facts.of_user) return false;
    if (facts.session != asked_) {
      asked_ = facts.session;
      kept_gradients_ = dynamic_cast<KeptGradients*>(asked_);
    }
    if (kept_gradients_ == nullptr) return false;
    const Quiet quiet = facts.session->quiet(false);
    return PyErr_Occurred() == nullptr && kept_gradients_->keeps_gradient(value.get(), description_.desc.dtype);
  }

  // False: it turned out to be no tensor at all.
  [[nodiscard]] bool describe(const PyRef& value, TypeFacts& facts) {
    if (facts.role == Role::capsule) {
      description_.clear();
      return describer_.dlpack().describe_held_capsule(value.get(), description_);
    }
    describer_.describe(value.get(), facts, AskedBy::scan, description_);
    // A buffer of something else than numbers is no tensor that was refused.
    const bool only_description = description_.desc.protocol == core::Protocol::none && facts.offers == kAskBuffer &&
                                  description_.refusals.size() == 1 && description_.refusals.front().type == kUnsupported;
    return !only_description;
  }

  [[nodiscard]] std::uint32_t add(const TypeFacts& facts, const std::string& path) {
    const TypeFacts& named = owner_facts_ != nullptr ? *owner_facts_ : facts;
    const std::uint32_t id = builder_.add_tensor(description_.desc, named.library_name, named.type_name, builder_.add_text(path));
    builder_.set_frame(id, frame_);
    for (const Refusal& refusal : description_.refusals)
      builder_.add_refusal(id, refusal.protocol, refusal.type, refusal.message);
    for (const core::Remark& remark : description_.remarks) builder_.add_remark(id, remark.code, remark.message);
    for (const core::Remark& remark : part_remarks_) builder_.add_remark(id, remark.code, remark.message);
    return id;
  }

  // Empty containers are not queued: a list may contain millions of them. Attributes of a subclass's object are checked
  // elsewhere.
  [[nodiscard]] static bool is_empty(PyObject* container, Role role) {
    switch (role) {
      case Role::dict:
        return PyDict_Size(container) == 0;
      case Role::list:
        return PyList_Size(container) == 0;
      case Role::tuple:
        return PyTuple_Size(container) == 0;
      case Role::set:
        return PySet_Size(container) == 0;
      default:
        return false;
    }
  }

  template <class MakePath>
  void queue_container(const PyRef& value, Role role, std::uint32_t parent, MakePath make_path) {
    const int depth = parent == kNoParent ? 1 : nodes_[parent].depth + 1;
    if (depth > options_.max_depth) {
      depth_reached_ = true;
      return;
    }
    if (is_inside_itself(value, parent)) return;
    if (count_path(value.get()) > options_.max_paths) {
      paths_reached_ = true;
      return;
    }
    const bool plain = role == Role::dict || role == Role::list || role == Role::tuple || role == Role::set;
    const bool is_deferred = !plain && types_.facts_of(value.get()).habits.names_come_last;
    (is_deferred ? deferred_ : queue_).push_back(static_cast<std::uint32_t>(nodes_.size()));
    nodes_.push_back({value, role, make_path(), parent, depth, frame_});
    if (role == Role::parts) nodes_.back().remarks = part_remarks_;
  }

  // A container inside itself is not entered again: its names would go on for ever.
  [[nodiscard]] bool is_inside_itself(const PyRef& value, std::uint32_t parent) const {
    for (std::uint32_t up = parent; up != kNoParent; up = nodes_[up].parent) {
      if (nodes_[up].container.get() == value.get()) return true;
    }
    return false;
  }

  // Under how many names the container has been met, this one included.
  int count_path(PyObject* container) {
    std::uint32_t known = container_index_.find(container);
    if (known == PointerTable::kAbsent) {
      known = static_cast<std::uint32_t>(paths_of_container_.size());
      container_index_.insert(container, known);
      paths_of_container_.push_back(0);
    }
    return paths_of_container_[known] > options_.max_paths ? paths_of_container_[known] : ++paths_of_container_[known];
  }

  void enter(std::uint32_t index) {
    const PyRef container = nodes_[index].container;
    TypeFacts& facts = types_.facts_of(container.get());
    frame_ = nodes_[index].frame;
    const Entries entries = entries_of_container(container.get(), facts, types_);
    if (PyErr_Occurred() != nullptr) return interrupt();
    entries_seen_ += entries.looked_at;
    if (entries_seen_ > options_.max_entries) entries_reached_ = stopped_ = true;
    for (const Entry& entry : entries.items) {
      if (should_stop()) return;
      visit(entry.value, index, [&] { return nodes_[index].path + suffix_of(entry, nodes_[index].role); });
    }
    for (const Part& part : entries.parts) {
      if (should_stop()) return;
      visit_part(part, index);
    }
    if (PyErr_Occurred() != nullptr) return interrupt();
    if (has_attributes(facts)) enter_classes_of(container.get(), index);
  }

  void visit_part(const Part& part, std::uint32_t index) {
    part_remarks_ = nodes_[index].remarks;
    part_remarks_.insert(part_remarks_.end(), part.remarks.begin(), part.remarks.end());
    if (part.owner) {
      owner_facts_ = &types_.facts_of(part.owner.get());
      types_.name_library(*owner_facts_);
    }
    // Bytes are text inside a container, but not where a library says they are memory.
    if (!part.why_not.empty())
      add_undescribed(nodes_[index].path + part.suffix, part.why_not);
    else
      visit(part.value, part.owner ? kNoParent : index, [&] { return nodes_[index].path + part.suffix; });
    owner_facts_ = nullptr;
    part_remarks_.clear();
    if (PyErr_Occurred() != nullptr) interrupt();
  }

  void add_undescribed(const std::string& path, const std::string& why_not) {
    if (builder_.tensor_count() >= options_.max_tensors) {
      tensors_reached_ = stopped_ = true;
      return;
    }
    description_.clear();
    description_.refusals.push_back({core::Protocol::none, kUnsupported, why_not});
    static_cast<void>(add(*owner_facts_, path));
  }

  // The class attributes of an object, once for each class, where the class has no name of its own.
  void enter_classes_of(PyObject* object, std::uint32_t index) {
    const PyRef mro = type_attribute(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__mro__");
    for (Py_ssize_t i = 0; mro && PyTuple_Check(mro.get()) && i < PyTuple_Size(mro.get()); ++i) {
      const PyRef base = PyRef::share(PyTuple_GetItem(mro.get(), i));
      if (container_index_.find(base.get()) != PointerTable::kAbsent || !types_.user_code().owns_class(base.get())) continue;
      queue_container(base, Role::type_object, index, [&] { return nodes_[index].path; });
    }
  }

  void find_held(std::vector<HeldObject>& held) {
    for (HeldObject& object : held) {
      const std::uint32_t id = tensor_index_.find(object.object);
      if (id != PointerTable::kAbsent && id != kNotATensor) object.tensor = id;
    }
  }

  // Checked before every step. Our loops run no bytecode, so Python's signal handlers are run here; an exception of theirs ends
  // the scan.
  [[nodiscard]] bool should_stop() {
    if (stopped_) return true;
    if (++steps_ % kStepsBetweenSignals == 0 && PyErr_CheckSignals() != 0) {
      interrupt();
    } else if (InterruptScope::stop_requested()) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
      interrupt();
    }
    return stopped_;
  }

  // Ends the scan by the pending KeyboardInterrupt. It is kept outside of Python's error indicator, because releasing our
  // references may run destructors of the user's, which must not find it pending.
  void interrupt() {
    PyErr_Fetch(&error_type_, &error_value_, &error_traceback_);
    stopped_ = true;
  }

  void report_limits() {
    builder_.add_limit("tensors", options_.max_tensors, tensors_reached_);
    builder_.add_limit("container entries", options_.max_entries, entries_reached_);
    builder_.add_limit("container depth", static_cast<std::uint64_t>(options_.max_depth), depth_reached_);
    builder_.add_limit("names of one container", static_cast<std::uint64_t>(options_.max_paths), paths_reached_);
  }

  static constexpr std::uint32_t kNotATensor = PointerTable::kAbsent - 1;
  static constexpr std::uint64_t kStepsBetweenSignals = 1024;

 public:
  // The interrupt that ended the walk, handed to the caller once everything else is gone.
  PyObject *error_type_ = nullptr, *error_value_ = nullptr, *error_traceback_ = nullptr;

 private:
  core::SnapshotBuilder& builder_;
  const ScanOptions& options_;
  TypeTable types_;
  Describer describer_;
  Description description_;
  PointerTable tensor_index_, container_index_;
  std::vector<PyRef> exporters_;  // alive until the end: an address is an identity only while its object lives
  std::vector<int> paths_of_container_;
  std::deque<Node> nodes_;
  std::deque<std::uint32_t> queue_;
  std::deque<std::uint32_t> deferred_;  // containers whose names are less useful: entered when queue_ is empty
  std::uint64_t entries_seen_ = 0, steps_ = 0;
  std::uint16_t frame_ = core::kNone16;  // of the names that are walked
  LibrarySession* asked_ = nullptr;  // whether it knows of kept gradients
  KeptGradients* kept_gradients_ = nullptr;
  TypeFacts* owner_facts_ = nullptr;     // as what the present part counts, when not as itself
  std::vector<core::Remark> part_remarks_;  // that its holders have on the present part
  bool stopped_ = false;
  bool tensors_reached_ = false, entries_reached_ = false, depth_reached_ = false, paths_reached_ = false;
};

}  // namespace

core::SnapshotBuilder scan_names(const ScanPlace& place, const ScanOptions& options) {
  core::SnapshotBuilder builder;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  {
    NamespaceScan scan(builder, options);
    scan.run(place);
    type = scan.error_type_;
    value = scan.error_value_;
    traceback = scan.error_traceback_;
  }
  if (type != nullptr) PyErr_Restore(type, value, traceback);
  return builder;
}

}  // namespace dlscope::embed
