// What a headless run was asked to judge: --expect and --prove. What does not hold is said.
#pragma once

#include <optional>
#include <string>

#include "app/cli/options.h"
#include "app/cli/supervised_run.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

// None holds where what was scanned is neither the end nor a moment that was asked for: the script went on after it.
[[nodiscard]] bool expectations_hold(const Options& options, const RunReport& found);

// The chain that was named, or all pairs that share bytes, up to the number one request may hold. nullopt: nothing can be proved,
// and `unproved` says why.
[[nodiscard]] std::optional<ProofRequest> choose_proof(const Options& options, const core::Snapshot& snapshot,
                                                       std::string& unproved);

// A probe that contradicts a verdict is a failure with or without a chain: one of the two is wrong. unproved: as choose_proof()
// wrote it.
[[nodiscard]] bool proof_holds(const Options& options, const RunReport& found, std::string unproved);

}  // namespace dlscope::app
