#include "app/models/exchange/exchange_choice.h"

#include "app/models/text/json_members.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxLibraries = 64, kMaxCalls = 64;

core::Result<nlohmann::json> object_in(std::string_view text) {
  nlohmann::json value = json_of(text);
  if (value.is_discarded() || !value.is_object())
    return core::fail(core::ErrorKind::invalid, "Python's answer is not the expected JSON object");
  return value;
}

}  // namespace

core::Result<std::vector<ExchangeLibrary>> read_libraries(std::string_view text) {
  const auto value = object_in(text);
  if (!value) return std::unexpected(value.error());
  std::vector<ExchangeLibrary> libraries;
  JsonMembers(*value).each("libraries", kMaxLibraries, [&](const JsonMembers& each) {
    libraries.push_back({each.text("name"), each.text("version"), each.text("function"), each.truth("imported")});
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
  given.each("calls", kMaxCalls, [&](const JsonMembers& call) {
    plan.calls.push_back({call.text("what"), call.text("answer"), call.truth("failed")});
  });
  return plan;
}

std::string plan_question(const ExchangeChoice& choice, std::string_view subject, bool rehearse) {
  return json_text({{"library", choice.library},
                    {"device", choice.device},
                    {"copy", core::wire::copy_policy_name(choice.copy)},
                    {"subject", subject},
                    {"rehearse", rehearse}});
}

std::string library_state_text(const ExchangeLibrary& library) {
  if (!library.imported) return "not imported yet: handing over imports it";
  return library.version.empty() ? "imported" : "imported, " + library.version;
}

const std::vector<std::string>& convertible_dtypes() {
  static const std::vector<std::string> kNames{
      "",        "bool",     "int8",    "int16",   "int32",     "int64",      "uint8",         "uint16",      "uint32", "uint64",
      "float16", "bfloat16", "float32", "float64", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2", "int4",   "uint4"};
  return kNames;
}

}  // namespace dlscope::app
