#include "core/wire/messages.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "tests/core/wire/sample_messages.h"

namespace dlscope::core::wire {
namespace {

TEST_CASE("a Run comes back with every field", "[core][wire]") {
  const auto decoded = decode_to_host(encode(ToHost{sample_run()}));
  REQUIRE(decoded);
  const Run& run = std::get<Run>(*decoded);
  CHECK(run.run == 7);
  CHECK(run.path == "/tmp/my \xff script.py");
  CHECK(run.source == "x = 1\n");
  CHECK(run.arguments == std::vector<std::string>{"", "--fast", "ü"});
  CHECK(run.interactive_stops);
  CHECK(run.stop == 5);
  CHECK(run.frame == 2);
  CHECK_FALSE(run.fresh_namespace);
  CHECK(run.scan_after);
  CHECK(run.statistics == StatisticsMethod::exact);
  CHECK(run.echo);
  CHECK(run.stop_at == "model.py:12#3");
}

TEST_CASE("a RunFinished comes back with every field", "[core][wire]") {
  const auto decoded = decode_to_viewer(encode(ToViewer{sample_finish()}));
  REQUIRE(decoded);
  const RunOutcome& outcome = std::get<RunFinished>(*decoded).outcome;
  CHECK(std::get<RunFinished>(*decoded).run == 9);
  CHECK(outcome.outcome == Outcome::raised);
  CHECK(outcome.script_path == "tour.py");
  REQUIRE(outcome.error);
  CHECK(outcome.error->type == "ValueError");
  CHECK(outcome.error->message == "no");
  CHECK(outcome.error->line == 12);
  CHECK(outcome.error->traceback == "Traceback ...\nValueError: no\n");
  CHECK(outcome.exit_code == -3);
  CHECK(outcome.signal == 11);
}

TEST_CASE("the other messages come back", "[core][wire]") {
  CHECK(std::get<Scan>(decode_to_host(encode(ToHost{Scan{5}})).value()).request == 5);
  const Interrupt interrupt = std::get<Interrupt>(decode_to_host(encode(ToHost{Interrupt{2, 7, 8, 9}})).value());
  CHECK((interrupt.attempt == 2 && interrupt.question == 7 && interrupt.run == 8 && interrupt.scan == 9));
  CHECK(std::holds_alternative<Shutdown>(decode_to_host(encode(ToHost{Shutdown{}})).value()));
  const Hello hello = std::get<Hello>(decode_to_viewer(encode(all_to_viewer()[0])).value());
  CHECK(hello.build_id == "0.1.0-abc");
  CHECK(hello.pid == 4711);
  CHECK(hello.python_version == "3.11.7");
  CHECK(hello.executable == "/usr/bin/python3");
  CHECK(hello.prefix == "/usr");
  CHECK(hello.base_prefix == "/usr");
  CHECK(std::get<RunStarted>(decode_to_viewer(encode(ToViewer{RunStarted{3}})).value()).run == 3);
  const auto ready = std::get<SnapshotReady>(decode_to_viewer(encode(ToViewer{SnapshotReady{4, 5, Scanned::interrupt, false}})).value());
  CHECK(ready.sequence == 4);
  CHECK(ready.run == 5);
  CHECK(ready.scanned == Scanned::interrupt);
  CHECK_FALSE(ready.python_threads);
  CHECK(std::get<Notice>(decode_to_viewer(encode(ToViewer{Notice{"cut"}})).value()).text == "cut");
  const RunFinished empty = std::get<RunFinished>(decode_to_viewer(encode(ToViewer{RunFinished{}})).value());
  CHECK_FALSE(empty.outcome.error);
  CHECK_FALSE(empty.outcome.exit_code);
  CHECK_FALSE(empty.outcome.signal);
}

TEST_CASE("a question and its answer come back with every field", "[core][wire]") {
  const Ask ask = std::get<Ask>(decode_to_host(encode(ToHost{Ask{6, "complete", "{\"text\":\"é\"}"}})).value());
  CHECK(ask.id == 6);
  CHECK(ask.kind == "complete");
  CHECK(ask.text == "{\"text\":\"é\"}");
  const Answer answer = std::get<Answer>(decode_to_viewer(encode(ToViewer{Answer{7, "struct", "{}", "no"}})).value());
  CHECK(answer.id == 7);
  CHECK(answer.kind == "struct");
  CHECK(answer.text == "{}");
  CHECK(answer.error == "no");
}

TEST_CASE("work, its parts and its end come back with every field", "[core][wire]") {
  const Start find =
      std::get<Start>(decode_to_host(encode(ToHost{Start{7, FindValue{{3, 4}, SearchedValue::equal, "0.5", 99}}})).value());
  CHECK(find.id == 7);
  CHECK(std::get<FindValue>(find.work).tensor == TensorRef{3, 4});
  const auto of_field = std::get<Start>(decode_to_host(encode(ToHost{Start{10, ComputeStatistics{{3, 4, 7}}}})).value());
  CHECK(std::get<ComputeStatistics>(of_field.work).tensor == TensorRef{3, 4, 7});
  CHECK(std::get<FindValue>(find.work).sought == SearchedValue::equal);
  CHECK(std::get<FindValue>(find.work).text == "0.5");
  CHECK(std::get<FindValue>(find.work).from == 99);
  const auto compare = [](Tolerance tolerance) {
    return decode_to_host(encode(ToHost{Start{10, CompareTensors{{3, 4}, {3, 5}, tolerance, true}}}));
  };
  const auto compared = std::get<CompareTensors>(std::get<Start>(compare({0.5, 1e-6}).value()).work);
  CHECK(compared.a == TensorRef{3, 4});
  CHECK(compared.b == TensorRef{3, 5});
  CHECK(compared.tolerance == Tolerance{0.5, 1e-6});
  CHECK(compared.broadcast);
  CHECK_FALSE(compare({-1, 0}));
  CHECK_FALSE(compare({0, std::nan("")}));
  const auto compared_end = decode_to_viewer(encode(ToViewer{WorkEnded{10, WorkOutcome::done, "", sample_comparison()}}));
  CHECK(std::get<Comparison>(std::get<WorkEnded>(compared_end.value()).result) == sample_comparison());
  const Start hold = std::get<Start>(decode_to_host(encode(ToHost{Start{8, Hold{{3, 4}, true}}})).value());
  CHECK(std::get<Hold>(hold.work).pinned);
  CHECK(std::get<Release>(std::get<Start>(decode_to_host(encode(ToHost{Start{9, Release{8}}})).value()).work).lease == 8);
  CHECK(std::get<Cancel>(decode_to_host(encode(ToHost{Cancel{7}})).value()).id == 7);

  const auto back = [](ToViewer message) { return decode_to_viewer(encode(message)).value(); };
  const auto scan = std::get<ScanFinished>(back(ScanFinished{5, ScanResult::failed, "no memory"}));
  CHECK((scan.request == 5 && scan.result == ScanResult::failed && scan.message == "no memory"));
  const auto progress = std::get<Progress>(back(Progress{7, 10, 20, ProgressUnit::elements}));
  CHECK((progress.id == 7 && progress.done == 10 && progress.total == 20 && progress.unit == ProgressUnit::elements));
  CHECK(std::get<ValueFound>(std::get<Part>(back(Part{7, ValueFound{5}})).part).element == 5);
  const auto end = std::get<WorkEnded>(back(WorkEnded{7, WorkOutcome::done, "words", ValueMatches{2, 1, std::nullopt, 100, 3}}));
  CHECK((end.id == 7 && end.outcome == WorkOutcome::done && end.message == "words"));
  const auto matches = std::get<ValueMatches>(end.result);
  CHECK((matches.matches == 2 && matches.first == 1 && !matches.next && matches.searched == 100 && matches.unreadable == 3));
  const auto lease = std::get<LeaseChanged>(back(LeaseChanged{8, LeaseState::waiting, true, {3, 4}, "why"}));
  CHECK((lease.lease == 8 && lease.state == LeaseState::waiting && lease.pinned && lease.tensor == TensorRef{3, 4}));
}

TEST_CASE("statistics come back as they were, and impossible ones are refused", "[core][wire]") {
  const auto back = [](const Statistics& sent) -> std::optional<Statistics> {
    const auto decoded = decode_to_viewer(encode(ToViewer{WorkEnded{7, WorkOutcome::done, "", sent}}));
    if (!decoded) return std::nullopt;
    return std::get<Statistics>(std::get<WorkEnded>(*decoded).result);
  };
  const Statistics sent = some_statistics();
  const auto got = back(sent);
  REQUIRE(got);
  CHECK(got->summary.method == StatisticsMethod::exact);
  CHECK((got->summary.count == 100 && got->summary.seen == 100 && got->summary.nan == 1 && got->summary.negative == 40));
  CHECK((got->summary.first_special.index == 17 && got->summary.first_special.kind == ValueClass::nan));
  CHECK(got->summary.last_special.index == kNoIndex);
  CHECK((got->summary.min.as_double() == -2.5 && got->summary.max.as_double() == 1e300 && got->summary.mean == 0.25));
  CHECK(std::isnan(got->summary.std));
  CHECK(
      (got->histogram.bins == sent.histogram.bins && got->histogram.above == 1 && got->histogram.width == sent.histogram.width));
  CHECK((got->quantiles.method == StatisticsMethod::sample && got->quantiles.values == sent.quantiles.values));
  Statistics wrong = sent;
  wrong.histogram.high = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(back(wrong));
  wrong = sent;
  wrong.summary.nan = 101;  // of 100 values
  CHECK_FALSE(back(wrong));
  const Summaries many{std::vector<StatisticsRecord>(kMaxSummaries)};
  const RawMessage full = encode(ToViewer{Part{1, many}});
  CHECK(full.payload.size() < kMaxMessageBytes / 4);
  CHECK(decode_to_viewer(full));
  CHECK_FALSE(decode_to_viewer(encode(ToViewer{Part{1, Summaries{std::vector<StatisticsRecord>(kMaxSummaries + 1)}}})));
}

TEST_CASE("pictures of tensors come back with every field, and wrong ones not", "[core][wire]") {
  const CellAxes axes{{0}, {2, 1}, {{3, CellValue::min}}, CellValue::max, {0, 0, 0, 0, 9}, std::uint8_t{4}};
  const ReduceTensor asked{{3, 4}, axes, {1, 2, 3, 4, 5, 6}, 7};
  const auto there = [](const ReduceTensor& work) { return decode_to_host(encode(ToHost{Start{1, work}})); };
  const auto got = std::get<ReduceTensor>(std::get<Start>(there(asked).value()).work);
  CHECK((got.tensor == asked.tensor && got.axes == asked.axes && got.window == asked.window && got.most_exact == 7));
  ReduceTensor wrong = asked;
  wrong.window.row_step = 0;
  CHECK_FALSE(there(wrong));
  wrong = asked;
  wrong.axes.at.assign(65, 0);
  CHECK_FALSE(there(wrong));
  wrong = asked;
  wrong.axes.reduced[0].value = static_cast<CellValue>(3);
  CHECK_FALSE(there(wrong));

  const auto back = [](const Texels& texels) { return decode_to_viewer(encode(ToViewer{Part{1, texels}})); };
  const Texels sent = some_texels();
  const auto texels = std::get<Texels>(std::get<Part>(back(sent).value()).part);
  CHECK((texels.rect == sent.rect && texels.method == sent.method && texels.repeats_down && !texels.repeats_across));
  CHECK(
      (texels.min == sent.min && texels.max == sent.max && texels.mean == sent.mean && texels.flags == sent.flags));
  Texels bad = sent;
  bad.rect.rows = 3;  // more than there are
  CHECK_FALSE(back(bad));
  bad = sent;
  bad.mean[1] = std::numeric_limits<double>::infinity();
  CHECK_FALSE(back(bad));
  bad = sent;
  bad.channels = 5;
  CHECK_FALSE(back(bad));
  Texels image;
  image.resize({0, 0, 2, 3}, 3);
  image.mean[17] = 4;
  const auto channels = std::get<Texels>(std::get<Part>(back(image).value()).part);
  CHECK((channels.channels == 3 && channels.mean == image.mean && channels.flags == image.flags));
  Texels large;
  large.resize({0, 0, 4, static_cast<std::uint32_t>(kMaxTexelsOneWay)});
  CHECK(large.rect.size() >= kMaxPartTexels);
  CHECK(encode(ToViewer{Part{1, large}}).payload.size() < kMaxMessageBytes / 2);
}

TEST_CASE("Work is a task or an act by the list that names it", "[core][wire]") {
  for (const Work& task : {Work(FindValue{}), Work(ReadDevice{})}) {
    CHECK_FALSE(is_act(task));
    CHECK(std::holds_alternative<TaskWork>(task_or_act(task)));
  }
  for (const Work& act : {Work(Hold{}), Work(WriteBytes{})}) {
    CHECK(is_act(act));
    CHECK(std::holds_alternative<ActWork>(task_or_act(act)));
  }
  const auto release = task_or_act(Release{7});
  CHECK(std::get<Release>(std::get<ActWork>(release)).lease == 7);
}

TEST_CASE("proofs, hand-overs, copies and differences come back with every field", "[core][wire]") {
  const auto there = [](Work work) {
    return std::get<Start>(decode_to_host(encode(ToHost{Start{1, std::move(work)}})).value()).work;
  };
  const auto prove = std::get<Prove>(there(Prove{3, {4, 5, 6, 4}, true, true}));
  CHECK((prove.revision == 3 && prove.tensors == std::vector<std::uint32_t>{4, 5, 6, 4} && prove.pairs && prove.probe));
  const auto hand = std::get<HandTo>(there(HandTo{{3, 4}, "torch", "cpu", CopyPolicy::never, "y", "-1", {{0, 1, 2, 1}}}));
  CHECK((hand.tensor == TensorRef{3, 4} && hand.library == "torch" && hand.device == "cpu" && hand.copy == CopyPolicy::never &&
         hand.name == "y" && hand.stream == "-1" && hand.slice == std::vector{AxisSlice{0, 1, 2, 1}}));
  const auto copy = std::get<CopyTensor>(
      there(CopyTensor{{3, 4}, true, "float16", "jax", "y", "cuda:0", {{2, 3, 2, -2}, {0, 5, 1, 0}}}));
  CHECK((copy.tensor == TensorRef{3, 4} && copy.keep_order && copy.dtype == "float16" && copy.library == "jax" &&
         copy.name == "y" && copy.device == "cuda:0"));
  CHECK(copy.slice == std::vector{AxisSlice{2, 3, 2, -2}, AxisSlice{0, 5, 1, 0}});
  for (const std::vector<AxisSlice>& wrong :
       {std::vector<AxisSlice>(kMaxRank + 1), {{kMaxRank, 0, 1, 1}}, {{0, -1, 1, 1}}, {{0, 0, -1, 1}}})
    CHECK_FALSE(decode_to_host(encode(ToHost{Start{1, CopyTensor{{3, 4}, false, "", "", "", "", wrong}}})));

  const auto write =
      std::get<WriteBytes>(there(WriteBytes{{3, 4}, 0x1000, {std::byte{1}, std::byte{2}}, {std::byte{3}, std::byte{4}}}));
  CHECK((write.tensor == TensorRef{3, 4} && write.address == 0x1000 && write.expected.size() == 2 &&
         write.bytes[1] == std::byte{4}));
  const auto unequal = encode(ToHost{Start{1, WriteBytes{{3, 4}, 0x1000, {std::byte{1}}, {std::byte{3}, std::byte{4}}}}});
  CHECK_FALSE(decode_to_host(unequal));

  const SubtractTensors subtract{
      {3, 4}, {3, 5}, {{0}, {1}, {}, CellValue::mean, {0, 0}}, {1, 2, 3, 4, 5, 6}, DifferenceKind::relative, 7};
  const auto difference = std::get<SubtractTensors>(there(subtract));
  CHECK((difference.a == subtract.a && difference.b == subtract.b && difference.axes == subtract.axes &&
         difference.window == subtract.window));
  CHECK((difference.kind == DifferenceKind::relative && difference.most_exact == 7));

  const auto back = [](WorkResult result) {
    return std::get<WorkEnded>(decode_to_viewer(encode(ToViewer{WorkEnded{1, WorkOutcome::done, "", std::move(result)}})).value())
        .result;
  };
  CHECK(std::get<BytesWritten>(back(BytesWritten{{std::byte{9}}})).now == std::vector{std::byte{9}});
  CHECK(std::get<Proof>(back(sample_proof())) == sample_proof());
  const HandedOver sent = sample_hand_over();
  const auto handed = std::get<HandedOver>(back(sent));
  CHECK((handed.verdict == sent.verdict && handed.step == sent.step && handed.line == sent.line && handed.name == sent.name));
  CHECK((handed.type == sent.type && handed.error_type == sent.error_type && handed.error == sent.error &&
         handed.owner == sent.owner));
  CHECK((handed.read_only == sent.read_only && handed.values == sent.values && handed.calls.size() == 2));
  CHECK((handed.calls[1].what == "f(x)" && handed.calls[1].answer == "ValueError: no" && handed.calls[1].failed));
  const auto copied =
      std::get<Copied>(back(Copied{10, 20, true, "y", "torch.Tensor", "y = copy(x)", 15, "cpu -> cpu", "packed"}));
  CHECK((copied.bytes == 10 && copied.ns == 20 && copied.compared && copied.name == "y" && copied.type == "torch.Tensor"));
  CHECK((copied.line == "y = copy(x)" && copied.plain_ns == 15 && copied.path == "cpu -> cpu" &&
         copied.why_not_compared == "packed"));
}

TEST_CASE("the largest proof fits into one message", "[core][wire]") {
  Proof proof;
  ProofStep step = sample_proof().steps[0];
  step.why = step.from = step.to = std::string(10'000, 'w');
  for (ProofSide* const side : {&step.from_side, &step.to_side}) {
    side->library = side->version = side->dtype = std::string(10'000, 's');
    side->extent = ByteRange{1, 2};
    side->hash_before = side->hash_after = 3;
  }
  proof.steps.assign(kMaxProved, step);
  const RawMessage raw = encode(ToViewer{WorkEnded{1, WorkOutcome::done, "", proof}});
  CHECK(raw.payload.size() <= kMaxMessageBytes);
  CHECK(std::get<Proof>(std::get<WorkEnded>(decode_to_viewer(raw).value()).result).steps.size() == kMaxProved);
}

TEST_CASE("a proof whose byte range ends before it begins is refused", "[core][wire]") {
  Proof proof = sample_proof();
  CHECK(decode_to_viewer(encode(ToViewer{WorkEnded{1, WorkOutcome::done, "", proof}})));
  proof.steps[0].from_side.extent = ByteRange{2, 1};
  CHECK_FALSE(decode_to_viewer(encode(ToViewer{WorkEnded{1, WorkOutcome::done, "", proof}})));
}

TEST_CASE("work that its sender could not mean is refused", "[core][wire]") {
  CHECK_FALSE(
      decode_to_host(encode(ToHost{Start{1, FindValue{{}, SearchedValue::equal, std::string(kMaxValueTextBytes + 1, '1'), 0}}})));
  CHECK_FALSE(decode_to_host(encode(ToHost{Start{1, Prove{1, {1}, false, false}}})));
  CHECK_FALSE(decode_to_host(encode(ToHost{Start{1, Prove{1, {1, 2, 3}, true, false}}})));
  CHECK_FALSE(decode_to_host(encode(ToHost{Start{1, Prove{1, std::vector<std::uint32_t>(kMaxProved + 1), false, false}}})));
  CHECK_FALSE(
      decode_to_host(encode(ToHost{Start{1, HandTo{{}, std::string(kMaxWorkTextBytes + 1, 'l'), "", CopyPolicy::never, ""}}})));
  CHECK_FALSE(decode_to_viewer(encode(ToViewer{Progress{1, 21, 20, ProgressUnit::bytes}})));
  RawMessage unknown = encode(ToHost{Start{1, Release{2}}});
  unknown.payload[2 + 8] = std::byte{200};  // behind the version and the id: which work
  CHECK_FALSE(decode_to_host(unknown));
}

TEST_CASE("a question beyond its bounds is refused, an answer beyond them says so", "[core][wire]") {
  CHECK(decode_to_host(encode(ToHost{Ask{1, std::string(kMaxKindBytes, 'k'), std::string(kMaxQuestionBytes, 'q')}})));
  CHECK_FALSE(decode_to_host(encode(ToHost{Ask{1, std::string(kMaxKindBytes + 1, 'k'), ""}})));
  CHECK_FALSE(decode_to_host(encode(ToHost{Ask{1, "k", std::string(kMaxQuestionBytes + 1, 'q')}})));
  const RawMessage full = encode(ToViewer{Answer{2, "k", std::string(kMaxAnswerBytes, 'a'), ""}});
  CHECK(full.payload.size() <= kMaxMessageBytes);
  CHECK(std::get<Answer>(decode_to_viewer(full).value()).text.size() == kMaxAnswerBytes);
  const Answer cut =
      std::get<Answer>(decode_to_viewer(encode(ToViewer{Answer{2, "k", std::string(kMaxAnswerBytes + 1, 'a'), ""}})).value());
  CHECK(cut.text.empty());
  CHECK(cut.error.find("too large") != std::string::npos);
  const Answer wordy =
      std::get<Answer>(decode_to_viewer(encode(ToViewer{Answer{2, "k", "", std::string(1 << 20, 'e')}})).value());
  CHECK(wordy.error.ends_with(" bytes more)\n"));
}

TEST_CASE("a script's giant error fits into a message, cut at a character, and says so", "[core][wire]") {
  RunFinished message = sample_finish();
  message.outcome.error->type = std::string(1 << 20, 'T');
  message.outcome.error->message = "x";  // so that the cut falls inside a character
  for (int i = 0; i < (1 << 20); ++i) message.outcome.error->message += "é";
  message.outcome.error->traceback = std::string(20 << 20, 't');
  const RawMessage raw = encode(ToViewer{message});
  CHECK(raw.payload.size() <= kMaxMessageBytes);
  const auto decoded = decode_to_viewer(raw);
  REQUIRE(decoded);
  const ScriptError& error = *std::get<RunFinished>(*decoded).outcome.error;
  CHECK(error.message.ends_with(" bytes more)\n"));
  CHECK(error.message.starts_with("xéé"));
  CHECK(error.message.find("\xc3\n") == std::string::npos);
  CHECK(error.traceback.ends_with(" bytes more)\n"));
}

TEST_CASE("a message meant for the other side, of an unknown kind or version is refused", "[core][wire]") {
  CHECK_FALSE(decode_to_viewer(encode(ToHost{Scan{}})));
  CHECK_FALSE(decode_to_host(encode(ToViewer{RunStarted{}})));
  CHECK_FALSE(decode_to_host({0, {}}));
  CHECK_FALSE(decode_to_host({kFirstKindToHost + std::variant_size_v<ToHost>, {}}));
  CHECK_FALSE(decode_to_viewer({0xffff, {}}));
  RawMessage newer = encode(ToHost{Scan{}});
  newer.payload[0] = std::byte{kMessageVersion + 1};
  CHECK_FALSE(decode_to_host(newer));
}

TEST_CASE("a message cut off anywhere, or with bytes to spare, is refused", "[core][wire]") {
  const auto check = [](const RawMessage& raw, auto decode) {
    for (std::size_t length = 0; length < raw.payload.size(); ++length) {
      RawMessage cut{raw.kind, {raw.payload.begin(), raw.payload.begin() + static_cast<std::ptrdiff_t>(length)}};
      CHECK_FALSE(decode(cut));
    }
    RawMessage longer = raw;
    longer.payload.push_back({});
    CHECK_FALSE(decode(longer));
  };
  for (const ToHost& message : all_to_host()) check(encode(message), decode_to_host);
  for (const ToViewer& message : all_to_viewer()) check(encode(message), decode_to_viewer);
}

TEST_CASE("flags, outcomes and counts out of range are refused", "[core][wire]") {
  RawMessage ready = encode(ToViewer{SnapshotReady{}});
  ready.payload.back() = std::byte{static_cast<unsigned char>(Scanned::raise) + 1};
  CHECK_FALSE(decode_to_viewer(ready));
  const RawMessage run = encode(ToHost{Run{}});  // ends with echo, statistics, stop_at, interactive_stops, stop, frame
  const auto with = [&](std::size_t from_end, unsigned char value) {
    RawMessage changed = run;
    changed.payload[changed.payload.size() - from_end] = std::byte{value};
    return decode_to_host(changed);
  };
  CHECK(with(18, 2));  // statistics
  CHECK_FALSE(with(18, 3));
  CHECK(with(19, 1));  // echo
  CHECK_FALSE(with(19, 2));
  CHECK(with(13, 1));  // interactive_stops
  CHECK_FALSE(with(13, 2));
  RawMessage many = encode(ToHost{Run{}});  // version, run, path, no source, argument count, three flags, statistics
  std::fill_n(many.payload.begin() + 2 + 8 + 4 + 1, 4, std::byte{0xff});
  CHECK_FALSE(decode_to_host(many));
}

TEST_CASE("mutated and random messages are decoded or refused, nothing else", "[core][wire][fuzz]") {
  std::mt19937_64 random(20261121);
  const auto mutate = [&](RawMessage raw) {
    if (random() % 8 == 0) raw.kind = static_cast<std::uint16_t>(random());
    for (std::uint64_t n = random() % 6; n > 0 && !raw.payload.empty(); --n) {
      raw.payload[random() % raw.payload.size()] = static_cast<std::byte>(random() % 4 == 0 ? 0xff : random());
    }
    if (random() % 8 == 0) raw.payload.resize(random() % (raw.payload.size() + 8));
    return raw;
  };
  std::size_t accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    for (const ToHost& message : all_to_host()) accepted += decode_to_host(mutate(encode(message))).has_value();
    for (const ToViewer& message : all_to_viewer()) accepted += decode_to_viewer(mutate(encode(message))).has_value();
  }
  CHECK(accepted > 0);
}

}  // namespace
}  // namespace dlscope::core::wire
