// Tasks on one field of records against a real host: statistics, searches, pictures and comparisons of the field alone, and what
// is refused in words. With records of ctypes, which need no library.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/inventory/field_view.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/work_steps.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::SearchedValue;
using core::wire::TensorRef;
using core::wire::WorkOutcome;

namespace {

constexpr const char* kScript = R"(import ctypes
class Position(ctypes.Structure):
    _fields_ = [('lat', ctypes.c_double), ('lon', ctypes.c_double)]
class Row(ctypes.Structure):
    _fields_ = [('id', ctypes.c_short), ('pos', Position), ('rgb', ctypes.c_ubyte * 3), ('owner', ctypes.py_object)]
rows = (Row * 1000)()
for i, row in enumerate(rows):
    row.id = i
    row.pos.lat = i / 4 - 100
    row.pos.lon = float('nan') if i == 700 else -i
    row.rgb[:] = [i % 200, 7, 9]
plain = (ctypes.c_double * 1000)(*[i / 4 - 100 for i in range(1000)])
)";

TensorRef field(const core::SnapshotPtr& snapshot, const char* tensor, const char* name) {
  TensorRef ref = ref_to(snapshot, tensor);
  ref.field = core::field_with_name(*snapshot, snapshot->tensors[ref.tensor], name).value();
  return ref;
}

core::ValueSummary statistics(HostProcess& host, const TensorRef& ref) {
  const auto end = carry_out(host, core::wire::ComputeStatistics{ref});
  INFO(end.message);
  REQUIRE(end.outcome == WorkOutcome::done);
  return std::get<core::Statistics>(end.result).summary;
}

}  // namespace

TEST_CASE("statistics, searches, pictures and comparisons are of the field that is named", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, kScript);
  const auto lat = statistics(host, field(snapshot, "rows", "pos.lat")), lon = statistics(host, field(snapshot, "rows", "pos.lon"));
  CHECK((lat.count == 1000 && lat.min.as_double() == -100 && lat.max.as_double() == 149.75 && lat.nan == 0));
  CHECK((lon.nan == 1 && lon.min.as_double() == -999 && lon.max.as_double() == 0));
  const auto rgb = statistics(host, field(snapshot, "rows", "rgb"));
  CHECK((rgb.count == 3000 && rgb.max.as_double() == 199));
  const auto found = carry_out(host, core::wire::FindValue{field(snapshot, "rows", "pos.lon"), SearchedValue::nan, "", 0});
  CHECK(std::get<core::ValueMatches>(found.result).first == 700);
  const auto equal =
      carry_out(host, core::wire::CompareTensors{field(snapshot, "rows", "pos.lat"), ref_to(snapshot, "plain"), {}, false});
  INFO(equal.message);
  CHECK(std::get<core::Comparison>(equal.result).bit_equal());
  const core::wire::ReduceTensor picture{field(snapshot, "rows", "rgb"), {{0}, {1}, {}, core::CellValue::mean, {0, 0}},
                                         {0, 0, 1000, 3, 1, 1}, 1U << 20};
  CHECK(carry_out(host, picture).outcome == WorkOutcome::done);
}

TEST_CASE("a field that is no number, none at all, and an act on one are refused in words", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, kScript);
  CHECK_THAT(carry_out(host, core::wire::ComputeStatistics{field(snapshot, "rows", "owner")}).message,
             ContainsSubstring("values of dtype object are not numbers"));
  CHECK_THAT(carry_out(host, core::wire::ComputeStatistics{ref_to(snapshot, "rows")}).message, ContainsSubstring("are not numbers"));
  TensorRef none = ref_to(snapshot, "rows");
  for (const std::uint16_t number : {std::uint16_t{5}, std::uint16_t{0xfffe}}) {
    none.field = number;
    CHECK_THAT(carry_out(host, core::wire::ComputeStatistics{none}).message, ContainsSubstring("it has no such field"));
  }
  TensorRef of_plain = ref_to(snapshot, "plain");
  of_plain.field = 0;
  CHECK_THAT(carry_out(host, core::wire::FindValue{of_plain, SearchedValue::nan, "", 0}).message,
             ContainsSubstring("it has no such field"));
  CHECK_THAT(carry_out(host, core::wire::Hold{field(snapshot, "rows", "id"), false}).message,
             ContainsSubstring("a whole tensor, not to one of its fields"));
}
