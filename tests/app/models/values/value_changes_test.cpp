#include "app/models/values/value_changes.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

#include "tests/support/local_tensor.h"

namespace dlscope::app {
namespace {

class Watched {
 public:
  Watched(const void* data, const char* type, const core::Layout& layout)
      : snapshot_(tests::local_tensor(data, core::dtype_from_name(type).value(), layout)),
        grid_(snapshot_, 0, default_mapping(snapshot_->tensors[0].rank)),
        reader_(core::process_reader(0).value()) {}

  std::size_t look(GridWindow window, double time) {
    std::swap(before_, now_);
    grid_.fetch(*reader_, window, now_);
    return marks_.note(before_, now_, snapshot_->tensors[0].item_bits, time);
  }
  ChangedCells& marks() { return marks_; }

 private:
  core::SnapshotPtr snapshot_;
  ValueGrid grid_;
  std::unique_ptr<core::MemoryReader> reader_;
  CellBytes before_, now_;
  ChangedCells marks_;
};

}  // namespace

TEST_CASE("a cell that changed between two looks is marked once", "[app][models][values]") {
  std::vector<std::int32_t> data(100, 1);
  Watched watched(data.data(), "int32", core::Layout::c_order({10, 10}, 32));
  CHECK(watched.look({0, 0, 5, 5}, 0) == 0);  // nothing to compare with yet
  data[11] = 2;
  data[99] = 2;  // not visible
  CHECK(watched.look({0, 0, 5, 5}, 1) == 1);
  CHECK(watched.marks().changed_at(1, 1) == 1.0);
  CHECK_FALSE(watched.marks().changed_at(9, 9));
  CHECK(watched.look({0, 0, 5, 5}, 2) == 0);
  CHECK(watched.marks().changed_at(1, 1) == 1.0);  // the mark stays
  watched.marks().clear();
  CHECK(watched.marks().size() == 0);
}

TEST_CASE("scrolling is no change, and marks go with their cells", "[app][models][values]") {
  std::vector<std::int32_t> data(100);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::int32_t>(i);
  Watched watched(data.data(), "int32", core::Layout::c_order({10, 10}, 32));
  watched.look({2, 2, 5, 5}, 0);
  CHECK(watched.look({0, 0, 5, 5}, 1) == 0);
  CHECK(watched.look({5, 5, 5, 5}, 2) == 0);
  data[66] = -1;
  CHECK(watched.look({6, 6, 4, 4}, 3) == 1);
  CHECK(watched.marks().changed_at(6, 6) == 3.0);
}

TEST_CASE("a packed neighbour in the same byte does not change with it", "[app][models][values]") {
  std::uint8_t data[] = {0x21, 0x43};
  Watched watched(data, "int4", core::Layout::c_order({4}, 4));
  watched.look({0, 0, 1, 4}, 0);
  data[0] = 0x71;
  CHECK(watched.look({0, 0, 1, 4}, 1) == 1);
  CHECK(watched.marks().changed_at(0, 1) == 1.0);
  CHECK_FALSE(watched.marks().changed_at(0, 0));
}

}  // namespace dlscope::app
