#include "app/models/exchange/exchange_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "app/models/text/json_members.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxLibraries = 64, kMaxCalls = 64, kMaxDevices = 16;
constexpr std::int32_t kCuda = 2, kOneApi = 14;  // DLDeviceType
constexpr char kNoCuda[] = "No CUDA device is known: dlscope looks for one only in a Python that uses the CUDA driver.";
constexpr char kNoOneApi[] = "No oneAPI device is known: no tensor of this look lies on one.";

core::Result<nlohmann::json> object_in(std::string_view text) {
  nlohmann::json value = json_of(text);
  if (value.is_discarded() || !value.is_object())
    return core::fail(core::ErrorKind::invalid, "Python's answer is not the expected JSON object");
  return value;
}

// The CUDA devices of the snapshot. It has them once the program itself uses the CUDA driver.
std::vector<DeviceRow> cuda_rows(const core::Snapshot& known) {
  std::vector<DeviceRow> rows;
  for (const core::DeviceRecord& each : known.devices) {
    if (each.device.type != kCuda) continue;
    const std::string name = core::device_name(each.device);
    rows.push_back({name, name + ", " + std::string(known.str(each.name))});
  }
  return rows;
}

// With one that says why not, where no CUDA device is known.
std::vector<DeviceRow> cuda_memory_rows(const core::Snapshot& known) {
  std::vector<DeviceRow> rows = cuda_rows(known);
  const std::string why_not = rows.empty() ? kNoCuda : "";
  if (rows.empty()) rows.push_back({"cuda:0", "cuda:0", why_not});
  rows.push_back({"cuda_host:0", "cuda_host:0, pinned", why_not});
  rows.push_back({"cuda_managed:0", "cuda_managed:0, managed", why_not});
  return rows;
}

// The devices on which tensors lie: nobody else is asked for them.
std::vector<DeviceRow> oneapi_rows(const core::Snapshot& known) {
  std::set<core::DeviceId> devices;
  for (const core::TensorRecord& tensor : known.tensors) {
    if (tensor.device.type == kOneApi) devices.insert(tensor.device);
  }
  std::vector<DeviceRow> rows;
  for (const core::DeviceId device : devices) rows.push_back({core::device_name(device), core::device_name(device)});
  if (rows.empty()) rows.push_back({"oneapi:0", "oneapi:0", kNoOneApi});
  return rows;
}

}  // namespace

core::Result<std::vector<ExchangeLibrary>> read_libraries(std::string_view text) {
  const auto value = object_in(text);
  if (!value) return std::unexpected(value.error());
  std::vector<ExchangeLibrary> libraries;
  JsonMembers(*value).each("libraries", kMaxLibraries, [&](const JsonMembers& each) {
    ExchangeLibrary& library = libraries.emplace_back();
    library = {each.text("name"), each.text("version"), each.text("function"), each.truth("imported")};
    each.each_text("devices", kMaxDevices, [&](std::string kind) { library.devices.push_back(std::move(kind)); });
  });
  return libraries;
}

core::Result<ExchangePlan> read_plan(std::string_view text) {
  const auto value = object_in(text);
  if (!value) return std::unexpected(value.error());
  const JsonMembers given(*value);
  ExchangePlan plan;
  plan.line = given.text("line");
  plan.known = given.truth("known");
  plan.why_not = given.text("why_not");
  plan.refused = given.text("refused");
  plan.stream_note = given.text("stream_note");
  given.each("calls", kMaxCalls, [&](const JsonMembers& call) {
    plan.calls.push_back({call.text("what"), call.text("answer"), call.truth("failed")});
  });
  return plan;
}

std::string plan_question(const ExchangeChoice& choice, std::string_view subject, core::DeviceId device, bool rehearse) {
  return json_text({{"library", choice.library},
                    {"device", choice.device},
                    {"copy", core::wire::copy_policy_name(choice.copy)},
                    {"stream", choice.stream},
                    {"device_type", device.type},
                    {"subject", subject},
                    {"rehearse", rehearse}});
}

std::string library_state_text(const ExchangeLibrary& library) {
  if (!library.imported) return "not imported yet: handing over imports it";
  return library.version.empty() ? "imported" : "imported, " + library.version;
}

std::vector<DeviceRow> hand_over_devices(const core::Snapshot& known, const ExchangeLibrary* library, bool with_stream) {
  std::vector<DeviceRow> rows{{"", "same device"}, {"cpu", "cpu"}};
  std::ranges::move(cuda_memory_rows(known), std::back_inserter(rows));
  std::ranges::move(oneapi_rows(known), std::back_inserter(rows));
  // With a stream the capsule is requested for the library: the tensor's own library is asked for the device, by number.
  if (library == nullptr || with_stream) return rows;
  const std::string why_not = library->devices.empty() ? library->function + " takes no device."
                                                       : fmt::format("{} takes no device but these: {}.", library->function,
                                                                     fmt::join(library->devices, ", "));
  for (DeviceRow& row : rows) {
    const auto named = std::ranges::find(library->devices, row.device.substr(0, row.device.find(':')));
    if (!row.device.empty() && named == library->devices.end()) row.why_not = why_not;
  }
  return rows;
}

std::vector<DeviceRow> copy_devices(const core::Snapshot& known, const ExchangeLibrary* library) {
  std::vector<DeviceRow> rows{{"", "in host memory"}};
  std::ranges::move(cuda_memory_rows(known), std::back_inserter(rows));
  const bool moves = library != nullptr && library->name != "dlscope" &&
                     std::ranges::find(library->devices, "oneapi") != library->devices.end();
  for (DeviceRow& row : oneapi_rows(known)) {
    if (!moves && row.why_not.empty())
      row.why_not = "dlscope has no memory of its own there: choose a library that has, such as dpnp, to copy for.";
    rows.push_back(std::move(row));
  }
  return rows;
}

const std::vector<std::string>& convertible_dtypes() {
  static const std::vector<std::string> kNames{
      "",        "bool",     "int8",    "int16",   "int32",     "int64",      "uint8",         "uint16",      "uint32", "uint64",
      "float16", "bfloat16", "float32", "float64", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2", "int4",   "uint4"};
  return kNames;
}

}  // namespace dlscope::app
