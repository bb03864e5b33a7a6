// A cache of one value. It is computed again only when its key has changed, so a frame in which nothing changed costs
// nothing. The key must hold everything the value depends on.
#pragma once

#include <optional>
#include <utility>

namespace dlscope::app {

template <class Key, class Value>
class CachedValue {
 public:
  // make(Value&) computes it; it gets the previous value, to reuse its memory.
  template <class Make>
  const Value& get(const Key& key, Make&& make) {
    if (!key_ || !(*key_ == key)) {
      key_.reset();
      std::forward<Make>(make)(value_);
      key_ = key;
    }
    return value_;
  }
  // The last computed value; null: none.
  [[nodiscard]] const Value* last() const { return key_ ? &value_ : nullptr; }

 private:
  std::optional<Key> key_;
  Value value_{};
};

}  // namespace dlscope::app
