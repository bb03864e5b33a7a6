// AskedMemory: mapped memory as a test says it is. Remembers nothing, so that every question reaches the test.
#pragma once

#include <functional>
#include <utility>

#include "core/memory/mapped_memory.h"

namespace dlscope::tests {

class AskedMemory final : public core::MappedMemory {
 public:
  using Contains = std::function<bool(core::Address, std::size_t)>;
  using Trusts = std::function<bool(core::Address)>;

  // By default everything is mapped and everybody trusted.
  explicit AskedMemory(
      Contains contains = [](core::Address, std::size_t) { return true; }, Trusts trusts = [](core::Address) { return true; })
      : contains_(std::move(contains)), trusts_(std::move(trusts)) {}

 private:
  [[nodiscard]] bool look_up(core::Address address, std::size_t size) override { return contains_(address, size); }
  [[nodiscard]] bool look_up_deleter(core::Address deleter) override { return trusts_(deleter); }

  Contains contains_;
  Trusts trusts_;
};

}  // namespace dlscope::tests
