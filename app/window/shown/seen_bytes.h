// SeenBytes: the bytes that the views read while a frame was drawn. They are read again without drawing one, to know whether
// a frame would show anything else: so a thread of the script that writes what is seen is seen, and one that does not costs no
// frame.
// thread: UI.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/memory/memory_reader.h"

namespace dlscope::app {

class SeenBytes final : public core::MemoryReader {
 public:
  // Of one frame; where the views read more, changed() cannot know.
  static constexpr std::size_t kMaxBytes = std::size_t{4} << 20;

  // Reads through `reader`, which must live as long as it is read through; null: null.
  [[nodiscard]] const core::MemoryReader* through(const core::MemoryReader* reader);
  // Forgets the frame before. notes: note what is read from here on; without, changed() cannot know.
  void begin_frame(bool notes);
  // Whether a frame would show other bytes, or it is not known. What has not arrived yet is no change: its reader wakes the window.
  [[nodiscard]] bool changed() const;

  [[nodiscard]] std::size_t read(core::Address from, std::span<std::byte> out) const override;
  void gather(std::span<const core::Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override;
  void probe(std::span<const core::Address> addresses, std::span<std::uint8_t> readable) const override;
  void probe_each(std::span<const core::Address> addresses, std::span<Probed> out) const override;
  [[nodiscard]] ReadStatus last_status() const override;
  [[nodiscard]] std::string problem() const override;

 private:
  // One call of the reader.
  struct Note {
    bool gathered = false;
    std::size_t first = 0, count = 0;  // into addresses_ and complete_
    std::size_t each = 0;              // bytes asked for, at each address
    std::size_t at = 0, got = 0;       // into bytes_
  };
  [[nodiscard]] bool has_room_for(std::size_t bytes) const;
  [[nodiscard]] bool differs(const Note& note) const;

  const core::MemoryReader* reader_ = nullptr;
  // Of the frame that was drawn last. Cleared, not freed: a frame without changes allocates nothing.
  mutable bool notes_ = false, all_noted_ = false;
  mutable std::vector<Note> calls_;
  mutable std::vector<core::Address> addresses_;
  mutable std::vector<std::uint8_t> complete_, complete_now_;
  mutable std::vector<std::byte> bytes_, bytes_now_;
};

}  // namespace dlscope::app
