// SupervisedRun: one headless run from start to end. Time limit, interruption and the outcome of the host are decided here in the
// viewer, whatever the host does.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/interrupt_watch.h"
#include "app/host/device_reader.h"
#include "app/host/host_client.h"
#include "core/inventory/proof.h"
#include "core/report/report.h"

namespace dlscope::app {

// How the scan after the script ended.
enum class ScanEnd : std::uint8_t {
  complete,     // or none was possible: the script's process ended before it
  interrupted,  // of a script that had ended by itself: tensors are missing
  failed,       // no result, but the process lives on: mostly it had no memory left
  lost,         // a tensor's producer ended the process
};

struct RunReport {
  core::RunOutcome outcome;
  core::SnapshotPtr snapshot;  // of the last scan; null: none
  core::Scanned scanned = core::Scanned::none;
  ScanEnd scan_end = ScanEnd::complete;
  std::optional<core::PythonFacts> python;  // from the host's greeting
  std::vector<std::string> events;          // what the host ended too early to report, for the report's list
  std::optional<core::Proof> proof;         // of RunLimits::prove's answer: the pairs or the chain, in their order
  std::vector<core::ProofPair> proved;      // the steps of the proof, by tensor number in the snapshot
  std::string proof_problem;                // why there is no proof though it was asked for
  std::string why_no_end;                   // why the end was not scanned: the process left by itself, a file does not answer
  std::string not_started;                  // why the script never ran; "": it did
};

struct RunLimits {
  std::optional<std::chrono::milliseconds> timeout;  // from the moment the script starts
};

// Chooses what to prove about the found tensors; called while the process still exists. nullopt: nothing.
struct ProofRequest {
  std::vector<core::ProofPair> pairs;
  bool probe = true;
};
using ChooseProof = std::function<std::optional<ProofRequest>(const core::Snapshot&)>;

// Called once when the script ended by itself and was scanned, before its process is asked to exit: its memory still exists and
// nothing runs in it. The report holds what is known then. `devices` reads device memory, during this call only.
using BeforeLeaving = std::function<void(const RunReport&, pid_t host, const DeviceReader::Ask& devices)>;

// Blocks until the host is gone. Prints urgent messages to standard error meanwhile.
[[nodiscard]] RunReport run_supervised(const HostLaunch& launch, core::wire::Run request, const RunLimits& limits,
                                       InterruptWatch& interrupts, const ChooseProof& choose_proof = {},
                                       const BeforeLeaving& before_leaving = {});

}  // namespace dlscope::app
