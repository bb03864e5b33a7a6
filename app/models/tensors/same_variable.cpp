#include "app/models/tensors/same_variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "app/models/tensors/same_tensor.h"

namespace dlscope::app {
namespace {

using core::FrameRecord;
using core::Snapshot;
using core::TensorRecord;

constexpr std::uint32_t kStopEvery = 4096;
constexpr std::string_view kGlobals = "globals()['", kGlobalsEnd = "']", kScripts = "__main__.";

// A name path taken apart: the frame whose local it begins with, and the rest.
struct Spelled {
  std::uint16_t frame = core::kNone16;  // into Snapshot::frames; kNone16: it begins with a module's name
  std::string path;
};

// How one snapshot spells names (embed/scan/scan_place.h): a local of an outer frame is "step().x" or "step()#2.x". One of the
// innermost frame is plain, unless that frame is a module's.
class Spelling {
 public:
  explicit Spelling(const Snapshot& snapshot) : snapshot_(snapshot) {
    std::unordered_map<std::string_view, int> met;
    for (std::uint16_t i = 0; i < snapshot.frames.size(); ++i) {
      const std::string_view function = snapshot.str(snapshot.frames[i].function);
      const int number = ++met[function];
      frames_.emplace(number == 1 ? fmt::format("{}().", function) : fmt::format("{}()#{}.", function, number), i);
    }
    for (const TensorRecord& tensor : snapshot.tensors) {
      for (const core::TextRef name : Snapshot::slice(snapshot.names, tensor.names)) {
        if (const auto global = hidden_global(snapshot.str(name))) hidden_.insert(*global);
      }
    }
    inner_is_plain_ = std::ranges::any_of(snapshot.tensors, [&](const TensorRecord& tensor) {
      return tensor.frame == 0 && tensor.names.count != 0 && !outer(first_name(tensor));
    });
  }

  // Locals are visited first, so a plain name after the first one may be a local's or, unless a local has that name, a global's.
  [[nodiscard]] bool may_be_global(const TensorRecord& tensor, std::string_view name) const {
    return tensor.frame == 0 && inner_is_plain_ && name.data() != first_name(tensor).data() && !outer(name) &&
           !name.starts_with(kGlobals) && !name.starts_with(kScripts) &&
           !hidden_.contains(name.substr(0, name.find_first_of(".[")));
  }
  [[nodiscard]] Spelled take_apart(const TensorRecord& tensor, std::string_view name) const {
    if (const auto local = outer(name)) return {local->frame, local->path};
    if (const auto global = hidden_global(name))
      return {core::kNone16, std::string(*global).append(name.substr(kGlobals.size() + global->size() + kGlobalsEnd.size()))};
    const bool is_local = tensor.frame == 0 && inner_is_plain_ && !name.starts_with(kScripts);
    return {is_local ? std::uint16_t{0} : core::kNone16, std::string(name)};
  }

  // The file whose globals are spelled plainly; "": not known.
  [[nodiscard]] std::string_view module() const {
    return snapshot_.str(inner_is_plain_ ? snapshot_.frames.front().file : snapshot_.info.stop.file);
  }

 private:
  // Of "globals()['x'].grad": "x".
  static std::optional<std::string_view> hidden_global(std::string_view name) {
    if (!name.starts_with(kGlobals)) return std::nullopt;
    const auto end = name.find(kGlobalsEnd, kGlobals.size());
    if (end == std::string_view::npos) return std::nullopt;
    return name.substr(kGlobals.size(), end - kGlobals.size());
  }
  [[nodiscard]] std::string_view first_name(const TensorRecord& tensor) const {
    return snapshot_.str(Snapshot::slice(snapshot_.names, tensor.names).front());
  }
  [[nodiscard]] std::optional<Spelled> outer(std::string_view name) const {
    const auto call = name.find("()");
    const auto dot = call == std::string_view::npos ? call : name.find('.', call);
    if (dot == std::string_view::npos) return std::nullopt;
    const auto found = frames_.find(std::string(name.substr(0, dot + 1)));
    if (found == frames_.end()) return std::nullopt;
    return Spelled{found->second, std::string(name.substr(dot + 1))};
  }

  const Snapshot& snapshot_;
  std::unordered_map<std::string, std::uint16_t> frames_;  // by what their locals' names begin with
  std::unordered_set<std::string_view> hidden_;  // globals whose name a local has
  bool inner_is_plain_ = false;
};

// By frame of `other`: the frame of `snapshot` that it is, counted from the outermost on; kNone16: it is none of them.
std::vector<std::uint16_t> frames_in(const Snapshot& snapshot, const Snapshot& other) {
  std::vector<std::uint16_t> out(other.frames.size(), core::kNone16);
  for (std::size_t i = 1; i <= std::min(snapshot.frames.size(), other.frames.size()); ++i) {
    const FrameRecord& one = snapshot.frames[snapshot.frames.size() - i];
    const FrameRecord& its = other.frames[other.frames.size() - i];
    if (snapshot.str(one.function) != other.str(its.function) || snapshot.str(one.file) != other.str(its.file)) break;
    out[other.frames.size() - i] = static_cast<std::uint16_t>(snapshot.frames.size() - i);
  }
  return out;
}

// Names with the frame they are of, numbered as in the later snapshot: equal for equal variables.
class Variables {
 public:
  Variables(const Snapshot& before, const Snapshot& now)
      : before_(before), now_(now), then_spelled_(before), now_spelled_(now), same_frame_(frames_in(now, before)) {
    const std::string_view then_module = then_spelled_.module(), module = now_spelled_.module();
    same_module_ = then_module.empty() || module.empty() || then_module == module;
    same_thread_ = before.str(before.info.stop.thread) == now.str(now.info.stop.thread);
  }

  // nullopt: it cannot be in the other snapshot, as its function did not run there, or it cannot be compared.
  [[nodiscard]] std::optional<std::string> of_before(const TensorRecord& tensor, std::string_view name) const {
    Spelled spelled = then_spelled_.take_apart(tensor, name);
    if (spelled.frame == core::kNone16) return global(std::move(spelled));
    spelled.frame = same_thread_ ? same_frame_[spelled.frame] : core::kNone16;
    if (spelled.frame == core::kNone16) return std::nullopt;
    return key(spelled);
  }
  [[nodiscard]] std::optional<std::string> of_now(const TensorRecord& tensor, std::string_view name) const {
    Spelled spelled = now_spelled_.take_apart(tensor, name);
    if (spelled.frame == core::kNone16) return global(std::move(spelled));
    return same_thread_ ? std::optional(key(spelled)) : std::nullopt;
  }
  // The global that the name may be as well; nullopt: it is none, or it cannot be compared.
  [[nodiscard]] std::optional<std::string> global_of_before(const TensorRecord& tensor, std::string_view name) const {
    return then_spelled_.may_be_global(tensor, name) ? global({core::kNone16, std::string(name)}) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::string> global_of_now(const TensorRecord& tensor, std::string_view name) const {
    return now_spelled_.may_be_global(tensor, name) ? global({core::kNone16, std::string(name)}) : std::nullopt;
  }
  [[nodiscard]] bool is_comparable(const TensorRecord& tensor) const {
    return tensor.frame == core::kNone16 ? same_module_ : same_thread_;
  }

 private:
  [[nodiscard]] std::optional<std::string> global(Spelled spelled) const {
    return same_module_ ? std::optional(key(spelled)) : std::nullopt;
  }
  static std::string key(const Spelled& spelled) { return fmt::format("{}:{}", spelled.frame, spelled.path); }

  const Snapshot &before_, &now_;
  Spelling then_spelled_, now_spelled_;
  std::vector<std::uint16_t> same_frame_;
  bool same_module_ = true, same_thread_ = true;
};

using IdByVariable = std::unordered_map<std::string, std::uint32_t>;

// Adds the variables of a snapshot's names. What is there already stays.
template <class KeyOf>
void add_ids(IdByVariable& out, const Snapshot& snapshot, KeyOf key_of) {
  for (std::uint32_t id = 0; id < snapshot.tensors.size(); ++id) {
    for (const core::TextRef name : Snapshot::slice(snapshot.names, snapshot.tensors[id].names)) {
      if (auto key = key_of(snapshot.tensors[id], snapshot.str(name))) out.emplace(std::move(*key), id);
    }
  }
}

// Fills what is still kNone32 in `out`.
template <class KeyOf>
void find_in(const IdByVariable& others, const Snapshot& snapshot, KeyOf key_of, const std::stop_token& stop,
             std::vector<std::uint32_t>& out) {
  for (std::uint32_t id = 0; id < out.size(); ++id) {
    if (id % kStopEvery == 0 && stop.stop_requested()) break;
    if (out[id] != core::kNone32) continue;
    for (const core::TextRef name : Snapshot::slice(snapshot.names, snapshot.tensors[id].names)) {
      const auto key = key_of(snapshot.tensors[id], snapshot.str(name));
      const auto found = key ? others.find(*key) : others.end();
      if (found == others.end()) continue;
      out[id] = found->second;
      break;
    }
  }
}

// Without frames a name is the same variable wherever it stands.
VariableMatches match_names(const Snapshot& before, const Snapshot& now, const std::stop_token& stop) {
  VariableMatches out;
  TensorMatches matches = match_tensors(before, now, false, stop);
  out.was = std::move(matches.was);
  out.became = std::move(matches.became);
  out.now_unknown.resize(now.tensors.size());
  out.before_unknown.resize(before.tensors.size());
  return out;
}

}  // namespace

VariableMatches match_variables(const Snapshot& before, const Snapshot& now, const std::stop_token& stop) {
  if (before.frames.empty() && now.frames.empty()) return match_names(before, now, stop);
  const Variables variables(before, now);
  const auto of_before = [&](const TensorRecord& tensor, std::string_view name) { return variables.of_before(tensor, name); };
  const auto of_now = [&](const TensorRecord& tensor, std::string_view name) { return variables.of_now(tensor, name); };
  const auto global_of_before = [&](const TensorRecord& tensor, std::string_view name) {
    return variables.global_of_before(tensor, name);
  };
  const auto global_of_now = [&](const TensorRecord& tensor, std::string_view name) {
    return variables.global_of_now(tensor, name);
  };
  const auto is_unknown = [&](const TensorRecord& tensor) { return !variables.is_comparable(tensor); };
  VariableMatches out;
  IdByVariable in_before, in_now;
  add_ids(in_before, before, of_before);
  add_ids(in_before, before, global_of_before);
  add_ids(in_now, now, of_now);
  add_ids(in_now, now, global_of_now);
  out.was.assign(now.tensors.size(), core::kNone32);
  find_in(in_before, now, of_now, stop, out.was);
  find_in(in_before, now, global_of_now, stop, out.was);
  out.became.assign(before.tensors.size(), core::kNone32);
  find_in(in_now, before, of_before, stop, out.became);
  find_in(in_now, before, global_of_before, stop, out.became);
  for (const TensorRecord& tensor : now.tensors) out.now_unknown.push_back(is_unknown(tensor));
  for (const TensorRecord& tensor : before.tensors) out.before_unknown.push_back(is_unknown(tensor));
  return out;
}

}  // namespace dlscope::app
