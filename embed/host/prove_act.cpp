#include <fmt/format.h>

#include <map>
#include <vector>

#include "core/memory/address_map.h"
#include "embed/host/acts.h"
#include "embed/host/found_tensor.h"
#include "embed/module/prove.h"
#include "embed/module/subjects.h"
#include "embed/tensors/memory_of_others.h"

namespace dlscope::embed {
namespace {

using core::ErrorKind;
using core::fail;
using core::ProofPair;

// Two by two, or each with the next: as numbers of `work.tensors`.
std::vector<ProofPair> asked_pairs(const core::wire::Prove& work) {
  const auto count = static_cast<std::uint32_t>(work.tensors.size());
  if (!work.pairs) return core::chain_of(count);
  std::vector<ProofPair> pairs;
  for (std::uint32_t i = 0; i + 1 < count; i += 2) pairs.push_back({i, i + 1});
  return pairs;
}

}  // namespace

// The objects are held until the end: nothing that is written into can be freed meanwhile.
core::Result<ActDone> carry_out(const core::wire::Prove& work, const ActContext& context) {
  const ScanPlace place = ScanPlace::of_program(context.names);
  TensorFinder finder(place);
  Subjects subjects(Export::keep);
  std::vector<PyRef> objects;
  std::vector<core::NeverWritten::Owner> shown;
  std::map<std::uint32_t, std::uint32_t> known;  // their number among the subjects, by their number in the snapshot
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < work.tensors.size(); ++i) {
    const std::uint32_t id = work.tensors[i];
    if (id >= context.snapshot.tensors.size()) return fail(ErrorKind::invalid, "there is no tensor with this number");
    // A tensor after itself is a step like any other, and needs a record of its own.
    const bool after_itself = i > 0 && work.tensors[i - 1] == id;
    if (const auto found = known.find(id); found != known.end() && !after_itself) {
      numbers.push_back(found->second);
      continue;
    }
    FoundTensor found = finder.find(context.snapshot, id);
    if (PyErr_Occurred() != nullptr) return fail(ErrorKind::cancelled, "interrupted");
    if (!found.object) return fail(ErrorKind::not_found, look_again_text(found.why_not));
    if (!subjects.add(found.object.get(), context.snapshot.name(context.snapshot.tensors[id]))) {
      if (interrupt_pending()) return fail(ErrorKind::cancelled, "interrupted");
      return fail(ErrorKind::unsupported, take_error().message);
    }
    shown.push_back(work.probe ? owner_of_others_memory(found.object.get()) : core::NeverWritten::Owner{});
    if (interrupt_pending()) return fail(ErrorKind::cancelled, "interrupted");
    const auto number = static_cast<std::uint32_t>(objects.size());
    objects.push_back(std::move(found.object));
    known[id] = number;
    numbers.push_back(number);
  }
  const std::shared_ptr<core::Snapshot> described = subjects.finish();
  std::vector<ProofPair> pairs = asked_pairs(work);
  for (ProofPair& pair : pairs) {
    const std::uint32_t from = numbers[pair.from], to = numbers[pair.to];
    pair = {from, to, objects[from].get() == objects[to].get()};
  }
  const auto map = work.probe ? core::AddressMap::load(0) : core::Result<core::AddressMap>();
  if (work.probe) wait_for_probed_pages(*described, pairs);
  return ActDone{{}, core::prove(*described, pairs, work.probe && map ? &*map : nullptr, &context.snapshot, shown)};
}

}  // namespace dlscope::embed
