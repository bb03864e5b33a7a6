#include "core/report/report.h"

#include <dlpack/dlpack.h>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/build_id.h"
#include "tests/core/inventory/sample_snapshot.h"

namespace dlscope::core {
namespace {

using Json = nlohmann::ordered_json;

JsonSink into(std::string& text) {
  return [&text](std::string_view piece) {
    text += piece;
    return true;
  };
}

Json report_of(const ReportInput& input) {
  std::string text;
  REQUIRE(write_report(input, into(text)));
  CHECK(text.ends_with("}\n"));
  return Json::parse(text);
}

Json report_of(const Snapshot& snapshot) {
  return report_of({.snapshot = &snapshot, .run = {}, .scanned = Scanned::end, .python = std::nullopt});
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

// The tensor of a snapshot that holds nothing else.
Json tensor_of(const TensorDesc& desc) {
  SnapshotBuilder builder;
  builder.add_tensor(desc, builder.intern("numpy"), builder.intern("numpy.ndarray"), builder.add_text("x"));
  const auto snapshot = builder.finish();
  std::string text;
  REQUIRE(write_tensor(*snapshot, snapshot->tensors[0], into(text)));
  return Json::parse(text);
}

TEST_CASE("the report has the keys of the format, in its order", "[core][report]") {
  const Json report = report_of(*testing::full_snapshot());
  CHECK(keys_of(report) == std::vector<std::string>{"format", "format_version", "app", "python", "libraries", "script", "scanned",
                                                    "stop", "limits", "not_entered", "missing_pairs", "open_groups", "devices",
                                                    "tensors", "groups", "sharing", "events", "copies"});
  CHECK(keys_of(report["tensors"][0]) == std::vector<std::string>{"id",
                                                                  "space",
                                                                  "name",
                                                                  "names",
                                                                  "library",
                                                                  "type",
                                                                  "protocol",
                                                                  "capsule",
                                                                  "read_by",
                                                                  "given_by",
                                                                  "dlpack_version",
                                                                  "refusals",
                                                                  "dtype",
                                                                  "shape",
                                                                  "strides",
                                                                  "strides_bytes",
                                                                  "strides_implied",
                                                                  "device",
                                                                  "device_claimed",
                                                                  "data",
                                                                  "byte_offset",
                                                                  "address",
                                                                  "extent",
                                                                  "elements",
                                                                  "nbytes",
                                                                  "distinct_bytes",
                                                                  "contiguity",
                                                                  "alignment",
                                                                  "flags",
                                                                  "deleter",
                                                                  "manager",
                                                                  "device_by_driver",
                                                                  "allocation",
                                                                  "scope",
                                                                  "frame",
                                                                  "group",
                                                                  "held_by_dlscope",
                                                                  "readable",
                                                                  "problems",
                                                                  "notes",
                                                                  "stats"});
  CHECK(keys_of(report["groups"][0]) ==
        std::vector<std::string>{"id", "space", "device", "begin", "end", "tensors", "distinct_bytes", "libraries"});
  CHECK(keys_of(report["sharing"][0]) ==
        std::vector<std::string>{"a", "b", "relation", "shared_bytes", "method", "reason", "witness", "proof"});
}

TEST_CASE("the report's frame says what it was told", "[core][report]") {
  RunOutcome run;
  run.outcome = Outcome::raised;
  run.script_path = "dir/tour.py";
  run.error = ScriptError{"ValueError", "a \"bad\" value", 12, "Traceback\n  line\n"};
  run.exit_code = 7;
  const auto snapshot = testing::full_snapshot();
  const Json report = report_of({.snapshot = snapshot.get(), .run = run, .scanned = Scanned::interrupt, .python = std::nullopt});
  CHECK(report["format"] == "dlscope-report");
  CHECK(report["format_version"] == 1);
  CHECK(report["app"]["version"] == version());
  CHECK(report["app"]["dlpack"] == "1.3");
  CHECK(report["python"] == Json({{"version", "3.11.7"}, {"executable", "/usr/bin/python3"}, {"prefix", "/usr"}}));
  CHECK(report["libraries"] == Json::parse(R"([{"name": "numpy", "version": "2.4.0"}])"));
  CHECK(report["script"] == Json::parse(R"({"path": "dir/tour.py", "outcome": "raised",
      "error": {"type": "ValueError", "message": "a \"bad\" value", "line": 12, "traceback": "Traceback\n  line\n"},
      "exit_code": 7, "signal": null})"));
  CHECK(report["scanned"] == "interrupt");
  CHECK(report["limits"] == Json::parse(R"([{"what": "tensors", "limit": 200000, "reached": false}])"));
  CHECK(report["devices"] ==
        Json::parse(R"([{"type": 1, "id": 0, "name": "A CPU", "total_bytes": 17179869184, "free_bytes": null}])"));
  CHECK(report["events"] == Json::parse(R"([{"t_ns": 5, "kind": "export", "tensor": 1, "text": "asked for a capsule"}])"));
  CHECK(report["copies"] ==
        Json::parse(R"([{"from": "x", "to": "y", "bytes": 16, "ns": 900, "why": "asked", "path": null, "plain_ns": null}])"));
}

TEST_CASE("the DLPack version is that of the header", "[core][report]") {
  CHECK(std::string(kDlpackVersion) == std::to_string(DLPACK_MAJOR_VERSION) + "." + std::to_string(DLPACK_MINOR_VERSION));
}

TEST_CASE("a report without a snapshot has empty lists and still says how the run ended", "[core][report]") {
  RunOutcome run;
  run.outcome = Outcome::crashed;
  run.signal = 11;
  Json report = report_of({.snapshot = nullptr, .run = run, .scanned = Scanned::none, .python = std::nullopt});
  CHECK(report["python"].is_null());
  CHECK(report["script"]["path"].is_null());
  CHECK(report["script"]["outcome"] == "crashed");
  CHECK(report["script"]["error"].is_null());
  CHECK(report["script"]["signal"] == 11);
  CHECK(report["scanned"] == "none");
  for (const char* list : {"libraries", "limits", "devices", "tensors", "groups", "sharing", "events", "copies"}) {
    CHECK(report[list] == Json::array());
  }
  report = report_of({.snapshot = nullptr, .run = run, .scanned = Scanned::none, .python = PythonFacts{"3.9.2", "/p", "/q"}});
  CHECK(report["python"] == Json({{"version", "3.9.2"}, {"executable", "/p"}, {"prefix", "/q"}}));
}

TEST_CASE("every outcome and every moment of a scan has its word", "[core][report]") {
  const auto message = [](Outcome outcome, Scanned scanned) {
    RunOutcome run;
    run.outcome = outcome;
    const Json report = report_of({.snapshot = nullptr, .run = run, .scanned = scanned, .python = std::nullopt});
    return report["script"]["outcome"].get<std::string>() + " " + report["scanned"].get<std::string>();
  };
  CHECK(message(Outcome::not_run, Scanned::none) == "not_run none");
  CHECK(message(Outcome::finished, Scanned::end) == "finished end");
  CHECK(message(Outcome::interrupted, Scanned::interrupt) == "interrupted interrupt");
  CHECK(message(Outcome::timeout, Scanned::earlier) == "timeout earlier");
  CHECK(message(Outcome::crashed, Scanned::request) == "crashed earlier");
}

TEST_CASE("a tensor of the buffer protocol, field by field", "[core][report]") {
  const Json tensor = report_of(*testing::full_snapshot())["tensors"][0];
  CHECK(tensor == Json::parse(R"({"id": 0, "space": "host", "name": "x", "names": ["x", "d['x']"], "library": "numpy",
      "type": "numpy.ndarray", "protocol": "buffer", "capsule": null, "read_by": null, "given_by": null, "dlpack_version": null, "refusals": [],
      "dtype": {"code": 2, "bits": 32, "lanes": 1, "name": "float32"}, "shape": [3, 4], "strides": [4, 1],
      "strides_bytes": [16, 4], "strides_implied": false, "device": {"type": 1, "id": 0, "name": "cpu"}, "device_claimed": null,
      "data": "0x10000", "byte_offset": 0, "address": "0x10000", "extent": {"begin": "0x10000", "end": "0x10030"},
      "elements": 12, "nbytes": 48, "distinct_bytes": 48, "contiguity": "c", "alignment": 16,
      "flags": {"read_only": true, "is_copied": false, "subbyte_padded": false}, "deleter": null, "manager": null, "device_by_driver": null,
      "allocation": null, "scope": "module",
      "frame": null, "group": 0, "held_by_dlscope": false, "readable": true, "problems": [], "notes": [],
      "stats": {"method": "exact", "count": 12, "seen": 12, "min": -1.0, "max": 2.5, "mean": 0.125, "mean_error": null, "std": null,
                "std_error": null, "nan": 1, "pos_inf": 0, "neg_inf": 0, "zero": 0, "negative": 0, "subnormal": 0,
                "first_special": {"value": "nan", "index": [1, 1]}, "last_special": {"value": "nan", "index": [1, 1]}}})"));
}

TEST_CASE("a tensor of a versioned capsule, field by field", "[core][report]") {
  const Json tensor = report_of(*testing::full_snapshot())["tensors"][1];
  CHECK(tensor["protocol"] == "dlpack");
  CHECK(tensor["capsule"] == "dltensor_versioned");
  CHECK(tensor["read_by"] == "checked");
  CHECK(tensor["dlpack_version"] == Json::parse("[1, 3]"));
  CHECK(tensor["strides"] == Json::parse("[1]"));
  CHECK(tensor["strides_implied"] == true);
  CHECK(tensor["device_claimed"] == Json({{"type", 1}, {"id", 0}}));
  CHECK(tensor["deleter"] ==
        Json({{"symbol", "at::deleter"}, {"library", "/usr/lib/libtorch.so"}, {"offset", "0x10"}, {"address", "0x7010"}}));
  CHECK(tensor["manager"] == "0x6000");
  CHECK(tensor["allocation"] == Json({{"begin", "0x10000"}, {"end", "0x20000"}, {"source", "base"}}));
  CHECK(tensor["notes"].size() == 1);
  CHECK(tensor["notes"][0] == Json({{"code", "unaligned"}, {"message", "address is 16 past a multiple of 64"}}));
}

TEST_CASE("a tensor that every protocol refused is listed with the refusals and nothing else", "[core][report]") {
  const Json tensor = report_of(*testing::full_snapshot())["tensors"][2];
  CHECK(tensor["name"] == "nothing");
  CHECK(tensor["library"] == "torch");
  CHECK(tensor["refusals"] == Json::parse(R"([{"protocol": "dlpack", "type": "RuntimeError",
      "message": "Can't export tensors\nthat require gradient"}])"));
  for (const char* key :
       {"space",       "protocol", "capsule",       "read_by",         "given_by", "dlpack_version", "dtype",
        "shape",       "strides",  "strides_bytes", "strides_implied", "device",   "device_claimed", "data",
        "byte_offset", "address",  "extent",        "elements",        "nbytes",   "distinct_bytes", "contiguity",
        "alignment",   "deleter",  "manager",       "group",           "stats"}) {
    INFO(key);
    CHECK(tensor[key].is_null());
  }
  CHECK(tensor["flags"] == Json({{"read_only", nullptr}, {"is_copied", nullptr}, {"subbyte_padded", nullptr}}));
  CHECK(tensor["readable"] == false);
}

TEST_CASE("a tensor on another device has its own space", "[core][report]") {
  const Json tensor = report_of(*testing::full_snapshot())["tensors"][3];
  CHECK(tensor["space"] == "cuda:1");
  CHECK(tensor["device"] == Json({{"type", 2}, {"id", 1}, {"name", "cuda:1"}}));
  CHECK(tensor["extent"] == Json({{"begin", "0x10000"}, {"end", "0x10000"}}));
  CHECK(tensor["elements"] == 0);
  CHECK(tensor["group"].is_null());
}

TEST_CASE("strides that are not whole elements or bytes are null", "[core][report]") {
  Json tensor = tensor_of(testing::array_desc(0x1000, {2, 3}, {13, 4}));
  CHECK(tensor["strides"].is_null());
  CHECK(tensor["strides_bytes"] == Json::parse("[13, 4]"));
  tensor = tensor_of(testing::array_desc(0x1000, {2, 3}, {}, testing::kInt4));
  CHECK(tensor["strides"] == Json::parse("[3, 1]"));
  CHECK(tensor["strides_bytes"].is_null());
  CHECK(tensor["nbytes"] == 3);
  tensor = tensor_of(testing::array_desc(0x1000, {2, 3}, {-12, -4}));
  CHECK(tensor["strides"] == Json::parse("[-3, -1]"));
  CHECK(tensor["extent"] == Json({{"begin", "0xfec"}, {"end", "0x1004"}}));
  tensor = tensor_of(testing::array_desc(0x1000, {}));
  CHECK(tensor["strides"] == Json::array());
  CHECK(tensor["shape"] == Json::array());
}

TEST_CASE("a struct that says the impossible keeps what it said and nothing that follows from it", "[core][report]") {
  Json tensor = tensor_of(testing::array_desc(0x1000, {-2, 3}));
  CHECK(tensor["shape"] == Json::parse("[-2, 3]"));
  for (const char* key : {"strides", "strides_bytes", "extent", "elements", "nbytes", "distinct_bytes", "contiguity"}) {
    INFO(key);
    CHECK(tensor[key].is_null());
  }
  CHECK(tensor["problems"][0]["code"] == "negative_dimension");
  tensor = tensor_of(testing::array_desc(0, {2}));
  CHECK(tensor["data"] == "0x0");
  CHECK(tensor["extent"].is_null());
  CHECK(tensor["problems"][0]["code"] == "data_null");
  TensorDesc wrapping = testing::capsule_desc(~Address{0} - 3, {2});
  wrapping.byte_offset = 16;
  CHECK(tensor_of(wrapping)["address"].is_null());
}

TEST_CASE("a handle has no address", "[core][report]") {
  const Json tensor = tensor_of(testing::capsule_desc(0x1000, {2}, {8, 0}));
  CHECK(tensor["device"]["name"] == "metal:0");
  CHECK(tensor["data"] == "0x1000");
  CHECK(tensor["address"].is_null());
  CHECK(tensor["extent"].is_null());
  CHECK(tensor["space"].is_null());
}

TEST_CASE("a group and a pair, field by field", "[core][report]") {
  const auto snapshot = testing::full_snapshot();
  const Json report = report_of(*snapshot);
  CHECK(report["groups"] == Json::parse(R"([{"id": 0, "space": "host", "device": {"type": 1, "id": 0, "name": "cpu"},
      "begin": "0x10000", "end": "0x10030", "tensors": [0, 1], "distinct_bytes": 48, "libraries": ["numpy", "torch"]}])"));
  CHECK(report["sharing"] == Json::parse(R"([{"a": 0, "b": 1, "relation": "contains", "shared_bytes": 16, "method": "layout",
      "reason": null, "witness": {"address": "0x10010", "a_index": [1, 0], "b_index": [0]}, "proof": null}])"));
  std::string pair;
  CHECK(write_pair(*snapshot, snapshot->pairs[0], into(pair)));
  CHECK(Json::parse(pair) == report["sharing"][0]);
}

TEST_CASE("pairs that share nothing or are unknown have no witness", "[core][report]") {
  const auto snapshot = testing::full_snapshot();
  PairRecord& pair = snapshot->pairs[0];
  pair.relation = Relation::interleaved;
  pair.shared_bytes = 0;
  Json json = report_of(*snapshot)["sharing"][0];
  CHECK(json["relation"] == "interleaved");
  CHECK(json["shared_bytes"] == 0);
  CHECK(json["witness"].is_null());
  pair.relation = Relation::unknown;
  pair.why = UnknownWhy::over_budget;
  pair.shared_bytes = kUnknown64;
  json = report_of(*snapshot)["sharing"][0];
  CHECK(json["relation"] == "unknown");
  CHECK(json["reason"] == "over_budget");
  CHECK(json["method"].is_null());
  CHECK(json["shared_bytes"].is_null());
  CHECK(json["witness"].is_null());
}

TEST_CASE("what the analysis left open is told with the reason", "[core][report]") {
  const auto snapshot = testing::full_snapshot();
  Json json = report_of(*snapshot);
  CHECK(json["missing_pairs"].is_null());
  CHECK(json["open_groups"].is_null());
  snapshot->info.missing_pairs = UnknownWhy::pair_bound;
  snapshot->info.open_groups = UnknownWhy::stopped;
  json = report_of(*snapshot);
  CHECK(json["missing_pairs"] == "pair_bound");
  CHECK(json["open_groups"] == "stopped");
}

TEST_CASE("a capped stride is no number", "[core][report]") {
  TensorDesc desc = testing::array_desc(0x10000, {1, 3}, {std::int64_t{1} << 62, 4});
  const Json json = tensor_of(desc);
  CHECK(json["strides"].is_null());
  CHECK(json["strides_bytes"].is_null());
  CHECK(json["nbytes"] == 12);
  CHECK(json["notes"][0]["code"] == "stride_capped");
}

TEST_CASE("hostile names and messages leave the report valid", "[core][report]") {
  const std::vector<std::string> names = {"\"}],",       "\\",       "a\nb",          std::string("nul\0byte", 8),
                                          "\x1b[31mred", "\xff\xfe", "\u202egnp.exe", std::string(100'000, 'x'),
                                          "日本語"};
  SnapshotBuilder builder;
  for (const std::string& name : names) {
    const std::uint32_t id =
        builder.add_tensor(testing::array_desc(0x1000, {2}), builder.intern(name), builder.intern(name), builder.add_text(name));
    builder.add_refusal(id, Protocol::buffer, name, name);
    builder.add_remark(id, RemarkCode::unaligned, name);
  }
  RunOutcome run;
  run.script_path = "\xff.py";
  run.error = ScriptError{names[5], names[4], 0, names[3]};
  const auto snapshot = builder.finish();
  const Json report = report_of({.snapshot = snapshot.get(), .run = run, .scanned = Scanned::end, .python = std::nullopt});
  const auto name_of = [&](std::size_t i) { return report["tensors"][i]["name"].get<std::string>(); };
  CHECK(name_of(0) == "\"}],");
  CHECK(name_of(1) == "\\");
  CHECK(name_of(2) == "a\\nb");
  CHECK(name_of(3) == "nul\\x00byte");
  CHECK(name_of(4) == "\\x1b[31mred");
  CHECK(name_of(5) == "\\xff\\xfe");
  CHECK(name_of(6) == "\\u202egnp.exe");
  CHECK(name_of(7).size() == 4096);
  CHECK(name_of(8) == "日本語");
  CHECK(report["tensors"][2]["refusals"][0]["message"] == "a\nb");
  CHECK(report["script"]["path"] == "\ufffd.py");
  CHECK(report["script"]["error"]["line"].is_null());
}

TEST_CASE("100000 tensors and a million pairs are streamed in small pieces", "[core][report]") {
  const auto snapshot = testing::large_snapshot(100'000, 1'000'000);
  std::size_t largest = 0, total = 0;
  const bool written = write_report({.snapshot = snapshot.get(), .run = {}, .scanned = Scanned::end, .python = std::nullopt},
                                    [&](std::string_view piece) {
                                      largest = std::max(largest, piece.size());
                                      total += piece.size();
                                      return true;
                                    });
  CHECK(written);
  CHECK(total > 150'000'000);
  CHECK(largest < 100'000);
}

TEST_CASE("a full disk ends the report early", "[core][report]") {
  const auto snapshot = testing::large_snapshot(10'000, 10);
  std::size_t total = 0;
  CHECK_FALSE(write_report({.snapshot = snapshot.get(), .run = {}, .scanned = Scanned::end, .python = std::nullopt},
                           [&](std::string_view piece) {
                             total += piece.size();
                             return total < 200'000;
                           }));
  CHECK(total < 400'000);
}

TEST_CASE("addresses are lower-case hexadecimal", "[core][report]") {
  CHECK(hex(0) == "0x0");
  CHECK(hex(0x7fABCDEF0123) == "0x7fabcdef0123");
}

}  // namespace
TEST_CASE("a tensor is held as it was at the scan, unless it is told what is held now", "[core][report]") {
  const auto snapshot = testing::full_snapshot();
  REQUIRE(snapshot->tensors.size() > 1);
  const bool then = snapshot->tensors[1].held;
  ReportInput input{.snapshot = snapshot.get(), .run = {}, .scanned = Scanned::end, .python = std::nullopt};
  CHECK(report_of(input)["tensors"][1]["held_by_dlscope"] == then);
  input.held = {1};
  CHECK(report_of(input)["tensors"][0]["held_by_dlscope"] == false);
  CHECK(report_of(input)["tensors"][1]["held_by_dlscope"] == true);
  input.held.emplace();
  CHECK(report_of(input)["tensors"][1]["held_by_dlscope"] == false);
}

TEST_CASE("what has happened since the snapshot is told among the events", "[core][report]") {
  const auto snapshot = testing::full_snapshot();
  ReportInput input{.snapshot = snapshot.get(), .run = {}, .scanned = Scanned::end, .python = std::nullopt};
  const std::size_t before = report_of(input)["events"].size();
  input.later = {"run 9 crashed"};
  const Json events = report_of(input)["events"];
  REQUIRE(events.size() == before + 1);
  CHECK(events.back()["kind"] == "script");
  CHECK(events.back()["tensor"].is_null());
  CHECK(events.back()["text"] == "run 9 crashed");
  input.snapshot = nullptr;
  CHECK(report_of(input)["events"].size() == 1);
}

}  // namespace dlscope::core
