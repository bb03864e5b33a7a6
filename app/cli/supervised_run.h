// SupervisedRun: one headless run from start to end. The time limit, the interruption and the verdict about the host
// are decided here, in the viewer, whatever the host does.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/host/device_reader.h"
#include "app/host/host_client.h"
#include "core/inventory/proof.h"
#include "core/report/report.h"

namespace dlscope::app {

// Signals that ask us to stop: blocked for the whole process, taken one by one.
class InterruptWatch {
 public:
  InterruptWatch();  // before any thread is started
  // SIGINT, SIGTERM or SIGHUP when one arrived since the last call.
  [[nodiscard]] std::optional<int> take();
  // The run is over: from here on they end us as they end any program.
  void release();
};

// How the scan after the script ended.
enum class ScanEnd : std::uint8_t {
  complete,     // or there was none to be had: the script's process did not live to its end
  interrupted,  // of a script that had ended by itself: tensors are missing
  failed,       // without a result, in a process that lives on: no memory was left for it, mostly
  lost,         // a producer ended the process
};

struct RunReport {
  core::RunOutcome outcome;
  core::SnapshotPtr snapshot;  // of the last scan; null: none
  core::Scanned scanned = core::Scanned::none;
  ScanEnd scan_end = ScanEnd::complete;
  std::optional<core::PythonFacts> python;  // from the host's greeting
  std::vector<std::string> events;          // what the host did not live to tell, for the report's list
  std::optional<core::Proof> proof;         // of RunLimits::prove's answer: the pairs or the chain, in their order
  std::vector<core::ProofPair> proved;      // whose steps those are, by number in the snapshot
  std::string proof_problem;                // why there is none though it was asked for
  std::string not_started;                  // words, when the script never ran
};

struct RunLimits {
  std::optional<std::chrono::milliseconds> timeout;  // from the moment the script starts
};

// What to prove of the tensors that were found, in the process while it still stands; nullopt: nothing.
struct ProofRequest {
  std::vector<core::ProofPair> pairs;
  bool probe = true;
};
using ChooseProof = std::function<std::optional<ProofRequest>(const core::Snapshot&)>;

// Called once when the script ended by itself and was scanned, before its process is asked to leave: its memory still
// stands and nothing runs in it. The report is what is known then; `devices` reads the memory of its devices, as long as this lasts.
using BeforeLeaving = std::function<void(const RunReport&, pid_t host, const DeviceReader::Ask& devices)>;

// Blocks until the host is gone. Prints what has to be known meanwhile to standard error.
[[nodiscard]] RunReport run_supervised(const HostLaunch& launch, core::wire::Run request, const RunLimits& limits,
                                       InterruptWatch& interrupts, const ChooseProof& choose_proof = {},
                                       const BeforeLeaving& before_leaving = {});

}  // namespace dlscope::app
