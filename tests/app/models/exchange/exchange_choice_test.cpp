#include "app/models/exchange/exchange_choice.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "app/models/exchange/exchange_text.h"
#include "app/models/exchange/life_answer.h"
#include "core/inventory/snapshot.h"

using namespace dlscope;
using app::DeviceRow;
using app::ExchangeLibrary;

namespace {

core::Snapshot with_cuda(int devices) {
  core::Snapshot known;
  const std::string text = "a CPU, a GPU";
  known.text.assign(text.begin(), text.end());
  known.devices.push_back({core::kCpuDevice, {0, 5}});
  for (int i = 0; i < devices; ++i) known.devices.push_back({{2, i}, {7, 5}});
  return known;
}

const DeviceRow& row_of(const std::vector<DeviceRow>& rows, std::string_view device) {
  const auto found = std::ranges::find(rows, device, &DeviceRow::device);
  REQUIRE(found != rows.end());
  return *found;
}

bool has(const std::vector<DeviceRow>& rows, std::string_view device) {
  return std::ranges::find(rows, device, &DeviceRow::device) != rows.end();
}

}  // namespace

TEST_CASE("the devices of a hand-over are those that the library's function can be given", "[models][exchange]") {
  const core::Snapshot known = with_cuda(2);
  const ExchangeLibrary torch{"torch", "2.13", "torch.from_dlpack", true, {"cpu", "cuda"}};
  const auto rows = hand_over_devices(known, &torch, false);
  CHECK(row_of(rows, "cuda:1").title == "cuda:1, a GPU");
  for (const char* const device : {"", "cpu", "cuda:0", "cuda:1"}) CHECK(row_of(rows, device).why_not.empty());
  CHECK_FALSE(has(rows, "cuda:2"));
  CHECK(row_of(rows, "oneapi:0").why_not == "torch.from_dlpack takes no device but these: cpu, cuda.");

  const ExchangeLibrary none{"tvm_ffi", "", "tvm_ffi.from_dlpack", true};
  const auto of_none = hand_over_devices(known, &none, false);
  CHECK(row_of(of_none, "").why_not.empty());
  CHECK(row_of(of_none, "cpu").why_not == "tvm_ffi.from_dlpack takes no device.");
  // With a stream the producer is asked, by DLPack's number of the device.
  for (const auto& any : {app::hand_over_devices(known, &none, true), app::hand_over_devices(known, nullptr, false)}) {
    for (const DeviceRow& row : any) CHECK(row.why_not.empty() == (row.device != "oneapi:0"));
  }
}

TEST_CASE("of devices of which none is known a hand-over is offered none, and one row says why", "[models][exchange]") {
  const ExchangeLibrary torch{"torch", "2.13.0", "torch.from_dlpack", true, {"cpu", "cuda"}};
  for (const bool with_stream : {false, true}) {
    const auto rows = app::hand_over_devices(with_cuda(0), &torch, with_stream);
    CHECK_FALSE(has(rows, "cuda:1"));
    CHECK(row_of(rows, "cuda:0").why_not.starts_with("No CUDA device is known"));
    for (const char* const device : {"", "cpu"}) CHECK(row_of(rows, device).why_not.empty());
    for (const char* const device : {"cuda_host:0", "cuda_managed:0", "oneapi:0"}) CHECK_FALSE(row_of(rows, device).why_not.empty());
  }
  const auto to_none = app::hand_over_devices(with_cuda(0), nullptr, false);
  CHECK(row_of(to_none, "cuda_host:0").why_not.starts_with("No CUDA device is known"));
  CHECK(row_of(to_none, "oneapi:0").why_not.starts_with("No oneAPI device is known"));

  core::Snapshot with_oneapi = with_cuda(0);
  with_oneapi.tensors.resize(3);
  with_oneapi.tensors[0].device = with_oneapi.tensors[2].device = {14, 1};
  const auto rows = app::hand_over_devices(with_oneapi, nullptr, false);
  CHECK(row_of(rows, "oneapi:1").why_not.empty());
  CHECK_FALSE(has(rows, "oneapi:0"));
}

TEST_CASE("a copy is offered on the CUDA devices that are known, and without one it says why not", "[models][exchange]") {
  const auto rows = app::copy_devices(with_cuda(2));
  for (const char* const device : {"", "cuda:0", "cuda:1", "cuda_host:0", "cuda_managed:0"})
    CHECK(row_of(rows, device).why_not.empty());
  CHECK_FALSE(has(rows, "cuda:2"));
  const auto without = app::copy_devices(with_cuda(0));
  CHECK(row_of(without, "").why_not.empty());
  for (const char* const device : {"cuda:0", "cuda_host:0", "cuda_managed:0"})
    CHECK(row_of(without, device).why_not.starts_with("No CUDA device is known"));
}

TEST_CASE("a plan says why a hand-over cannot be asked for, and what its stream means", "[models][exchange]") {
  const auto plan = app::read_plan(R"({"line": "", "refused": "no capsule", "stream_note": "waits", "calls": []})");
  REQUIRE(plan);
  CHECK((plan->refused == "no capsule" && plan->stream_note == "waits"));
  app::ExchangeChoice choice;
  choice.library = "torch";
  choice.stream = "-1";
  const std::string question = plan_question(choice, "x", {2, 1}, false);
  CHECK(question.find(R"("stream":"-1")") != std::string::npos);
  CHECK(question.find(R"("device_type":2)") != std::string::npos);
  const auto libraries = app::read_libraries(R"({"libraries": [{"name": "numpy", "devices": ["cpu", 3]}]})");
  REQUIRE(libraries);
  CHECK(libraries->at(0).devices == std::vector<std::string>{"cpu"});
}

TEST_CASE("the line of a hand-over that was refused is said to raise, and is known among those that are planned",
          "[models][exchange]") {
  core::wire::HandedOver done;
  done.verdict = "SHARED";
  done.line = "w_numpy = numpy.from_dlpack(w)";
  CHECK(app::line_raises_text(done).empty());
  done.verdict = "REFUSED";
  done.error_type = "RuntimeError";
  CHECK(app::line_raises_text(done) == "This Python line raises RuntimeError, as the hand-over did:");
  CHECK(app::is_line_of(done, "numpy.from_dlpack(w)"));
  CHECK_FALSE(app::is_line_of(done, "numpy.from_dlpack(w, copy=True)"));
  CHECK_FALSE(app::is_line_of(done, ""));
}

TEST_CASE("references that no name explains may be what a library took over that does not say so", "[models][exchange]") {
  app::LifeAnswer life;
  CHECK(unnamed_text(life).empty());
  life.unnamed = 2;
  CHECK(unnamed_text(life) == "and 2 references to it that no tensor's name explains (a container, a closure, a library)");
  life.unsaid = {"t", "u"};
  CHECK(unnamed_text(life) ==
        "and 2 references to it that no tensor's name explains (what t or u took over, a container, a closure, a library)");
}
