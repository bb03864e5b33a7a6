// Kept: a value worked out from other values, and again only when one of those has changed. It is how a frame in which
// nothing changed costs nothing: the key holds everything the value depends on, the value keeps its room.
#pragma once

#include <optional>
#include <utility>

namespace dlscope::app {

template <class Key, class Value>
class Kept {
 public:
  // make(Value&) works it out; it is given the value made before, to use its room again.
  template <class Make>
  const Value& get(const Key& key, Make&& make) {
    if (!key_ || !(*key_ == key)) {
      key_.reset();
      std::forward<Make>(make)(value_);
      key_ = key;
    }
    return value_;
  }
  // What was made last; null: nothing was.
  [[nodiscard]] const Value* last() const { return key_ ? &value_ : nullptr; }

 private:
  std::optional<Key> key_;
  Value value_{};
};

}  // namespace dlscope::app
