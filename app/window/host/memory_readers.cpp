#include "app/window/host/memory_readers.h"

#include <utility>

#include "core/inventory/snapshot_reader.h"

namespace dlscope::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kFrameWaits = 2ms;
constexpr auto kHostGivesUp = 1000ms;
constexpr auto kDeviceGivesUp = 30'000ms;  // a device read waits for the program's work on its default stream
constexpr int kLookAgain = 100;

}  // namespace

MemoryReaders::WithDeadlines MemoryReaders::with_deadlines(std::shared_ptr<core::MemoryReader> memory,
                                                           std::chrono::milliseconds give_up,
                                                           std::shared_ptr<const core::PageFacts> pages) const {
  const core::DeadlineOptions workers{
      .patience = give_up, .give_up = give_up, .keep_last = false, .late = {}, .pages = pages};
  const core::DeadlineOptions frames{
      .patience = kFrameWaits, .give_up = give_up, .keep_last = true, .late = late_, .pages = pages};
  return {std::make_shared<core::DeadlineReader>(memory, workers),
          std::make_shared<core::DeadlineReader>(std::move(memory), frames)};
}

void MemoryReaders::read(std::shared_ptr<core::MemoryReader> memory, std::shared_ptr<const core::PageFacts> pages,
                         std::function<void()> late, OpenDevice open_device) {
  late_ = std::move(late);
  open_device_ = std::move(open_device);
  devices_.clear();
  host_ = with_deadlines(std::move(memory), kHostGivesUp, std::move(pages));
  for_workers_ = host_.for_workers;
  for_frames_ = host_.for_frames;
}

void MemoryReaders::show(const core::Snapshot& snapshot) {
  if (!open_device_ || snapshot.driver_devices.empty()) return;
  std::map<std::int32_t, std::shared_ptr<const core::MemoryReader>> workers, frames;
  for (const core::DriverDeviceRecord& told : snapshot.driver_devices) {
    const std::int32_t ordinal = told.device.id;
    if (!core::is_read_on_device(snapshot, snapshot.tensors[told.tensor]) || workers.contains(ordinal)) continue;
    auto found = devices_.find(ordinal);
    if (found == devices_.end()) found = devices_.emplace(ordinal, with_deadlines(open_device_(ordinal), kDeviceGivesUp, {})).first;
    workers[ordinal] = found->second.for_workers;
    frames[ordinal] = found->second.for_frames;
  }
  const auto reader = [&](std::shared_ptr<const core::MemoryReader> host, auto devices) {
    return std::make_shared<core::SnapshotReader>(
        snapshot, std::move(host),
        [devices = std::move(devices)](std::int32_t ordinal) -> core::Result<std::shared_ptr<const core::MemoryReader>> {
          return devices.at(ordinal);
        });
  };
  for_workers_ = reader(host_.for_workers, std::move(workers));
  for_frames_ = reader(host_.for_frames, std::move(frames));
}

void MemoryReaders::read_with(std::shared_ptr<core::MemoryReader> reader) {
  open_device_ = {};
  devices_.clear();
  host_ = {};
  for_workers_ = std::move(reader);
  for_frames_.reset();
}

int MemoryReaders::next_look_in() const {
  bool waits = host_.for_frames && host_.for_frames->waits();
  for (const auto& [ordinal, readers] : devices_) waits = waits || readers.for_frames->waits();
  return waits ? kLookAgain : 0;
}

}  // namespace dlscope::app
