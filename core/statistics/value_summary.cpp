#include "core/statistics/value_summary.h"

namespace dlscope::core {

const char* statistics_method_name(StatisticsMethod method) {
  switch (method) {
    case StatisticsMethod::none:
      return "none";
    case StatisticsMethod::sample:
      return "sample";
    case StatisticsMethod::exact:
      return "exact";
  }
  return "none";
}

Number Number::of(const Value& value) {
  switch (value.kind) {
    case ValueKind::signed_integer:
      return {value.kind, value.as_signed, 0, 0};
    case ValueKind::unsigned_integer:
      return {value.kind, 0, value.as_unsigned, 0};
    case ValueKind::boolean:
      return {value.kind, 0, value.as_unsigned != 0 ? 1u : 0u, 0};
    case ValueKind::real:
      return {value.kind, 0, 0, value.real};
    case ValueKind::bits:
    case ValueKind::complex:
      break;
  }
  return {};
}

double Number::as_double() const {
  switch (kind) {
    case ValueKind::signed_integer:
      return static_cast<double>(as_signed);
    case ValueKind::unsigned_integer:
    case ValueKind::boolean:
      return static_cast<double>(as_unsigned);
    case ValueKind::real:
      return real;
    case ValueKind::bits:
    case ValueKind::complex:
      break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace dlscope::core
