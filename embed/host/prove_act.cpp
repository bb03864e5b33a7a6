#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
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

constexpr std::uint32_t kMissing = ~std::uint32_t{0};  // among the numbers: its object was not found again

bool has_both(ProofPair pair) { return pair.from != kMissing && pair.to != kMissing; }

// Two by two, or each with the next: as numbers of `work.tensors`.
std::vector<ProofPair> asked_pairs(const core::wire::Prove& work) {
  const auto count = static_cast<std::uint32_t>(work.tensors.size());
  if (!work.pairs) return core::chain_of(count);
  std::vector<ProofPair> pairs;
  for (std::uint32_t i = 0; i + 1 < count; i += 2) pairs.push_back({i, i + 1});
  return pairs;
}

// Puts a step without a verdict in the place of each pair of which an object is missing. why_missing: by number in the snapshot.
void add_missing(core::Proof& proof, const std::vector<ProofPair>& pairs, const core::wire::Prove& work,
                 const ActContext& context, const std::map<std::uint32_t, std::string>& why_missing) {
  const auto name_of = [&](std::uint32_t id) { return std::string(context.snapshot.name(context.snapshot.tensors[id])); };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (has_both(pairs[i])) continue;
    const std::uint32_t from = work.tensors[2 * i], to = work.tensors[2 * i + 1];
    core::ProofStep step;
    step.from = name_of(from);
    step.to = name_of(to);
    step.from_writability = step.to_writability = "unknown";
    step.why = fmt::format("{}; nothing was written", why_missing.at(pairs[i].from == kMissing ? from : to));
    proof.steps.insert(proof.steps.begin() + static_cast<std::ptrdiff_t>(i), std::move(step));
    if (proof.verdict != core::HandOver::copied) proof.verdict = core::HandOver::unknown;
  }
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
  std::map<std::uint32_t, std::string> why_missing;
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
    if (!found.object && !work.pairs) return fail(ErrorKind::not_found, look_again_text(found.why_not));
    if (!found.object) {  // the other pairs do not depend on it
      why_missing[id] = std::move(found.why_not);
      numbers.push_back(kMissing);
      continue;
    }
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
    pair = {numbers[pair.from], numbers[pair.to]};
    pair.same_object = has_both(pair) && objects[pair.from].get() == objects[pair.to].get();
  }
  std::vector<ProofPair> whole;
  std::ranges::copy_if(pairs, std::back_inserter(whole), has_both);
  const auto map = work.probe ? core::AddressMap::load(0) : core::Result<core::AddressMap>();
  if (work.probe) wait_for_probed_pages(*described, whole);
  core::Proof proof = core::prove(*described, whole, work.probe && map ? &*map : nullptr, &context.snapshot, shown);
  add_missing(proof, pairs, work, context, why_missing);
  return ActDone{{}, std::move(proof)};
}

}  // namespace dlscope::embed
