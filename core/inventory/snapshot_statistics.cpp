// SnapshotBuilder: statistics of the tensors' values, if requested.
#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/inventory/snapshot_builder.h"
#include "core/inventory/snapshot_reader.h"
#include "core/inventory/survey.h"
#include "core/inventory/tensor_numbers.h"
#include "core/inventory/tensor_sign_bits.h"
#include "core/statistics/statistics.h"

namespace dlscope::core {
void SnapshotBuilder::summarise_values(const AnalyseOptions& options) {
  Snapshot& s = *snapshot_;
  bool reached = false;
  // finish() gives the tensors most of their remarks, later.
  std::vector<SignBits> signs(s.tensors.size());
  for (std::uint32_t id = 0; id < s.tensors.size(); ++id) signs[id] = sign_bits_of(s, s.tensors[id]);
  for (const PendingRemark& pending : pending_remarks_) {
    if (pending.tensor >= signs.size()) continue;
    signs[pending.tensor].conjugate |= pending.remark.code == RemarkCode::conjugate_bit;
    signs[pending.tensor].negate |= pending.remark.code == RemarkCode::negative_bit;
  }
  const std::shared_ptr<const MemoryReader> host(std::shared_ptr<const void>(), options.reader);  // not owned: the caller's
  const SnapshotReader reader(s, host, devices_of_this_process(options.sharing.stop));
  for (std::uint32_t id = 0; id < s.tensors.size(); ++id) {
    const TensorRecord& t = s.tensors[id];
    if (!has_readable_values(s, t)) continue;
    if (const auto ready = reader.prepare(t); !ready) {
      add_event({monotonic_ns(), id, EventKind::script, add_text("no statistics: " + ready.error().message)});
      continue;
    }
    TensorValues values = tensor_values(s, t);
    values.source = values.source.read_by(reader);
    values.signs = signs[id];
    StatisticsOptions how;
    how.stop = options.sharing.stop;
    const bool too_many = MemoryOrder(values.layout, values.dtype, values.address).places() > kMaxPlaces;
    reached = reached || too_many;
    const bool sampled = options.statistics == StatisticsMethod::sample || too_many;
    const Result<Statistics> found = sampled ? sample_statistics(values, how) : exact_statistics(values, how);
    if (found) {
      s.statistics.push_back({id, found->summary});
    } else if (found.error().kind == ErrorKind::cancelled || how.stop.stop_requested()) {
      add_event(
          {monotonic_ns(), id, EventKind::script, add_text("statistics were stopped here; this and later tensors have none")});
      break;
    } else {
      add_event({monotonic_ns(), id, EventKind::script, add_text("no statistics: " + found.error().message)});
    }
  }
  if (options.statistics == StatisticsMethod::exact) add_limit("statistics_values", kMaxPlaces, reached);
}

}  // namespace dlscope::core
