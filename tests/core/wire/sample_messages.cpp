#include "tests/core/wire/sample_messages.h"

#include <optional>

#include "tests/support/sample_answers.h"

namespace dlscope::core::wire {

Run sample_run() {
  return {.run = 7,
          .path = "/tmp/my \xff script.py",
          .source = "x = 1\n",
          .arguments = {"", "--fast", "ü"},
          .working_folder = "/in/a \xff folder",
          .module = "pkg.train",
          .fresh_namespace = false,
          .scan_after = true,
          .echo = true,
          .statistics = StatisticsMethod::exact,
          .stop_at = "model.py:12#3",
          .interactive_stops = true,
          .stop = 5,
          .frame = 2};
}

RunFinished sample_finish() {
  RunFinished message{.run = 9, .outcome = {}};
  message.outcome.outcome = Outcome::raised;
  message.outcome.script_path = "tour.py";
  message.outcome.error = ScriptError{"ValueError", "no", 12, "Traceback ...\nValueError: no\n"};
  message.outcome.exit_code = -3;
  message.outcome.signal = 11;
  return message;
}

ProofSide sample_side() {
  return {.library = "numpy",
          .version = "2.4.6",
          .dtype = "float32",
          .protocol = Protocol::dlpack,
          .capsule = CapsuleKind::dltensor_versioned,
          .given_by = GivenBy::exchange_table,
          .version_major = 1,
          .version_minor = 3,
          .extent = ByteRange{0x1000, 0x1010},
          .read_only = Tri::no,
          .is_copied = Tri::yes,
          .subbyte_padded = Tri::no,
          .unknown_flags = 0x100,
          .hash_before = 1,
          .hash_after = 2};
}

Proof sample_proof() {
  const ProofStep step{"x",  "y",  HandOver::partly_shared, Relation::overlaps, 12, 0x1000, std::nullopt, Probe::confirmed, "yes",
                       "no", "why", sample_side(), {}};
  return {HandOver::partly_shared, {step, ProofStep{}}};
}

HandedOver sample_hand_over() {
  HandedOver done;
  done.verdict = "REFUSED";
  done.step = sample_proof().steps[0];
  done.calls = {{"x.__dlpack__()", "capsule", false}, {"f(x)", "ValueError: no", true}};
  done.line = "y = f(x)";
  done.name = "y";
  done.type = "torch.Tensor";
  done.error_type = "ValueError";
  done.error = "no";
  done.read_only = "kept";
  done.owner = "x";
  done.values = "equal";
  return done;
}

Statistics some_statistics() {
  Statistics out;
  out.summary.method = StatisticsMethod::exact;
  out.summary.count = out.summary.seen = 100;
  out.summary.nan = 1;
  out.summary.negative = 40;
  out.summary.first_special = {17, ValueClass::nan};
  out.summary.min = {ValueKind::real, 0, 0, -2.5};
  out.summary.max = {ValueKind::real, 0, 0, 1e300};
  out.summary.mean = 0.25;
  out.histogram.valid = true;
  out.histogram.low = -2.5;
  out.histogram.high = 2.5;
  out.histogram.width = 5.0 / 256;
  out.histogram.above = 1;
  out.histogram.bins[255] = 98;
  out.quantiles.method = StatisticsMethod::sample;
  out.quantiles.values[4] = 0.125;
  return out;
}

std::vector<ToHost> all_to_host() {
  return {sample_run(),
          Run{},
          Scan{5},
          Interrupt{2, 7, 0, 0},
          Shutdown{},
          Ask{6, "complete", R"({"text":"é"})"},
          Start{7, FindValue{{3, 4}, SearchedValue::equal, "0.5", 99}},
          Start{10, CompareTensors{{3, 4}, {3, 5}, {0.5, 1e-6}, true}},
          Start{8, Hold{{3, 4}, true}},
          Start{9, Release{8}},
          Start{10, ComputeStatistics{{3, 4}}},
          Start{11, SurveyTensors{3}},
          Start{12, Prove{3, {4, 5, 6, 4}, true, true}},
          Start{13, HandTo{{3, 4}, "torch", "cpu", CopyPolicy::never, "y", "-1", {{0, 1, 2, 1}, {2, 5, 1, 0}}}},
          Start{14, CopyTensor{{3, 4}, true, "float16", "jax", "y", "cuda:0", {{1, 3, 2, -2}}}},
          Start{15, ReduceTensor{{3, 4}, {{0}, {2, 1}, {}, CellValue::mean, {0, 0, 0}}, {1, 2, 3, 4, 5, 6}, 7}},
          Start{17,
                SubtractTensors{
                    {3, 4}, {3, 5}, {{0}, {1}, {}, CellValue::mean, {0, 0}}, {1, 2, 3, 4, 5, 6}, DifferenceKind::relative, 7}},
          Start{16, WriteBytes{{3, 4}, 0x1000, {std::byte{1}, std::byte{2}}, {std::byte{3}, std::byte{4}}}},
          Cancel{7},
          SetBreakpoints{{{1, "/tmp/é.py", 12, "x > 3", 2, "x is {x}", false}, {2, "<string>", 1, "", 1, "", true}}, true, false},
          Pause{},
          Resume{3, ResumeKind::run_to, "/tmp/é.py", 14}};
}

Texels some_texels() {
  Texels texels;
  texels.resize({1, 2, 2, 3});
  texels.method = TexelMethod::exact;
  texels.repeats_down = true;
  for (std::size_t i = 0; i < 6; ++i) {
    texels.min[i] = -1.5 * static_cast<double>(i);
    texels.max[i] = static_cast<double>(i);
    texels.mean[i] = 0.25;
    texels.flags[i] = static_cast<std::uint8_t>(i);
  }
  return texels;
}

Texels some_channels() {
  Texels texels;
  texels.resize({0, 0, 1, 4}, 3);
  texels.method = TexelMethod::exact;
  for (std::size_t i = 0; i < texels.size(); ++i) {
    texels.mean[i] = static_cast<double>(i) / 8;
    texels.flags[i] = static_cast<std::uint8_t>(i % 3);
  }
  return texels;
}

const Comparison& sample_comparison() {
  static const Comparison compared{.same_dtype = true,
                                   .lanes = 2,
                                   .values = 12,
                                   .different = 3,
                                   .different_bits = 4,
                                   .both_nan = 1,
                                   .one_nan = 2,
                                   .outside = 2,
                                   .first = 5,
                                   .first_bits = 1,
                                   .absolute = {0.25, 5},
                                   .relative = {0.5, 7},
                                   .ulps = {},
                                   .hash_a = 99,
                                   .hash_b = {}};
  return compared;
}

std::vector<ToViewer> all_to_viewer() {
  return {Hello{"0.1.0-abc", 4711, "3.11.7", "/usr/bin/python3", "/usr", "/usr"},
          RunStarted{3},
          sample_finish(),
          RunFinished{},
          SnapshotReady{4, 5, Scanned::interrupt},
          Notice{"something was cut"},
          Answer{6, "complete", R"({"from":0})", ""},
          Answer{7, "struct", "", kAnswerBusy},
          Answer{8, "struct", encode(tests::sample_struct_answer()), ""},
          Answer{9, "protocols", encode(tests::sample_protocols_answer()), ""},
          Answer{10, "remember", encode(tests::sample_waiting_copies()), ""},
          ScanFinished{5, ScanResult::failed, "no memory"},
          Progress{7, 10, 20, ProgressUnit::elements},
          Part{7, ValueFound{5}},
          WorkEnded{7, WorkOutcome::done, "words", ValueMatches{2, 1, std::nullopt, 100, 3}},
          WorkEnded{10, WorkOutcome::done, "", sample_comparison()},
          WorkEnded{8, WorkOutcome::cancelled, "", NoResult{}},
          WorkEnded{10, WorkOutcome::done, "", sample_proof()},
          WorkEnded{11, WorkOutcome::done, "", sample_hand_over()},
          WorkEnded{12, WorkOutcome::done, "",
                    Copied{10, 20, true, "y", "torch.Tensor", "y = copy(x)", 15, "cpu -> cpu", "packed"}},
          WorkEnded{13, WorkOutcome::done, "", BytesWritten{{std::byte{3}, std::byte{4}}}},
          Part{10, some_statistics()},
          WorkEnded{10, WorkOutcome::done, "", some_statistics()},
          Part{11, Summaries{{{3, some_statistics().summary}, {4, {}}}}},
          Part{15, some_texels()},
          Part{15, some_channels()},
          LeaseChanged{8, LeaseState::waiting, true, {3, 4}, "why"},
          BreakpointsChanged{{{1, 13, 4, "why"}, {2, 0, 0, ""}}},
          Stopped{3,
                  StopReason::raised,
                  "MainThread",
                  "ValueError: no",
                  1,
                  {{"Job.two", "/tmp/a.py", 4, true}, {"run", "b.py", 9, false}}},
          Resumed{3}};
}

}  // namespace dlscope::core::wire
