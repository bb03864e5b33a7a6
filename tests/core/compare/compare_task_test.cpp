// CompareTask: its steps are worked on by several threads.
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "core/compare/compare.h"

namespace dlscope::core {
namespace {

// Reads this process; the first thread that asks waits until another one asks, too.
class Meeting final : public MemoryReader {
 public:
  std::size_t read(Address from, std::span<std::byte> out) const override {
    {
      std::unique_lock lock(mutex_);
      threads_.insert(std::this_thread::get_id());
      came_.notify_all();
      const auto another_came = [&] { return threads_.size() > 1; };
      if (!given_up_) given_up_ = !came_.wait_for(lock, std::chrono::minutes(1), another_came);
    }
    return inner_->read(from, out);
  }
  [[nodiscard]] bool met() const {
    const std::lock_guard lock(mutex_);
    return threads_.size() > 1;
  }

 private:
  std::unique_ptr<MemoryReader> inner_ = process_reader(0).value();
  mutable std::mutex mutex_;  // everything below
  mutable std::condition_variable came_;
  mutable std::set<std::thread::id> threads_;
  mutable bool given_up_ = false;
};

}  // namespace

TEST_CASE("A step of a comparison uses as many threads as it may", "[core][compare]") {
  std::vector<float> values(1 << 20, 1), others = values;
  others[777'777] = 2;
  const Meeting memory;
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

}  // namespace dlscope::core
