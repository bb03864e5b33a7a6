#include "app/cli/headless_verdicts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "app/cli/expectation.h"
#include "app/cli/moment_text.h"
#include "app/cli/standard_streams.h"
#include "core/wire/work.h"

namespace dlscope::app {

bool expectations_hold(const Options& options, const RunReport& found) {
  const std::string why_not = why_not_of_the_end(found);
  bool all = true;
  for (const Expectation& expectation : options.expectations) {
    const Verdict verdict = why_not.empty() ? judge(expectation, found.snapshot.get()) : Verdict{false, why_not};
    if (verdict.holds) continue;
    all = false;
    say(fmt::format("--expect \"{}\" does not hold: {}", expectation.text, verdict.evidence));
  }
  return all;
}

std::optional<ProofRequest> choose_proof(const Options& options, const core::Snapshot& snapshot,
                                         std::string& unproved) {
  ProofRequest request;
  if (options.chain.empty()) {
    for (const core::PairRecord& pair : snapshot.pairs) {
      if (request.pairs.size() * 2 >= core::wire::kMaxProved) {
        say(fmt::format("--prove: the first {} pairs that share bytes are probed; of the others PAIR.proof is null",
                        request.pairs.size()));
        break;
      }
      if (pair.shared_bytes > 0 && pair.relation != core::Relation::unknown) request.pairs.push_back({pair.a, pair.b});
    }
    return request;
  }
  std::vector<std::uint32_t> ids;
  for (const std::string& name : options.chain) {
    const core::TensorRecord* tensor = snapshot.find(name);
    if (tensor == nullptr) tensor = snapshot.find(with_pythons_quotes(name));
    if (tensor == nullptr) {
      unproved = fmt::format("no tensor is named {}", name);
      return std::nullopt;
    }
    ids.push_back(static_cast<std::uint32_t>(tensor - snapshot.tensors.data()));
  }
  for (std::size_t i = 0; i + 1 < ids.size(); ++i) request.pairs.push_back({ids[i], ids[i + 1]});
  return request;
}

bool proof_holds(const Options& options, const RunReport& found, std::string unproved) {
  if (!options.prove) return true;
  const std::string what = options.chain.empty() ? "--prove" : fmt::format("--prove {}", fmt::join(options.chain, " "));
  if (unproved.empty()) unproved = found.proof_problem;
  if (!found.proof && unproved.empty()) unproved = why_not_of_the_end(found);
  if (!unproved.empty()) {
    say(fmt::format("{}: not proved: {}", what, unproved));
    return false;
  }
  if (!found.proof) return true;
  bool all = true;
  for (const core::ProofStep& step : found.proof->steps) {
    const bool holds = options.chain.empty() || step.verdict == core::HandOver::shared;
    if (holds && step.probe != core::Probe::contradicted) continue;
    all = false;
    say(fmt::format("{}: {} to {} is {}: {}", what, step.from, step.to, core::hand_over_name(step.verdict), step.why));
  }
  return all;
}

}  // namespace dlscope::app
