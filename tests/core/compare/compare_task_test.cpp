// CompareTask: its steps are worked on by several threads.
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <vector>

#include "core/compare/compare.h"
#include "tests/support/meeting_reader.h"

namespace dlscope::core {
namespace {

TEST_CASE("A step of a comparison uses as many threads as it may", "[core][compare]") {
  std::vector<float> values(1 << 20, 1), others = values;
  others[777'777] = 2;
  const tests::MeetingReader memory;
  const Layout layout = Layout::c_order({1 << 20}, 32);
  const auto tensor = [&](const std::vector<float>& of) {
    return ComparedTensor{dtype_from_name("float32").value(), layout, reinterpret_cast<Address>(of.data()),
                          ElementSource::checked(memory)};
  };
  CompareTask task(tensor(values), tensor(others), {}, 2);
  Result<Task::State> state = task.step();
  while (state && *state == Task::State::more) state = task.step();
  REQUIRE(state);
  CHECK(memory.met());
  CHECK(task.found().first == 777'777U);
  CHECK(task.found() ==
        compare_tensors(tensor(values), tensor(others), {.tolerance = {}, .threads = 1, .stop = {}, .progress = {}}).value());
  CHECK(task.progress().done == task.progress().total);
}

TEST_CASE("A byte that cannot be read ends a comparison by several threads, in words", "[core][compare]") {
  const std::vector<float> values(1 << 20, 1);
  const Layout layout = Layout::c_order({1 << 20}, 32);
  const auto memory = process_reader(0);
  const DType f32 = dtype_from_name("float32").value();
  CompareTask task({f32, layout, reinterpret_cast<Address>(values.data()), ElementSource::checked(**memory)},
                   {f32, layout, Address{1} << 63, ElementSource::checked(**memory)}, {}, 2);
  const auto state = task.step();
  REQUIRE_FALSE(state);
  CHECK(state.error().message.starts_with("of B the byte at 0x80"));
}

}  // namespace
}  // namespace dlscope::core
