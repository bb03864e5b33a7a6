#include "app/models/actions/commands.h"

#include <tuple>
#include <utility>

namespace dlscope::app {

Commands::Commands() = default;
Commands::~Commands() = default;

template <class Asked>
void Commands::push(Asked command) {
  list_.emplace_back(std::move(command));
}

void Commands::push_copy(const Command& command) { list_.push_back(command); }

void Commands::take(std::vector<Command>& out) {
  out.clear();
  std::swap(out, list_);
}

bool Commands::empty() const { return list_.empty(); }

namespace {

// Taking the addresses instantiates push() for every command, so a new command needs no second list.
template <class... Each>
constexpr auto pushes_of(const std::variant<Each...>*) {
  return std::tuple{&Commands::push<Command>, &Commands::push<Each>...};
}
[[gnu::used]] const auto kPushes = pushes_of(static_cast<const Command*>(nullptr));

}  // namespace

}  // namespace dlscope::app
