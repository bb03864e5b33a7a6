#include "app/window/python_catalogue.h"

#include <algorithm>
#include <utility>

#include "app/host/python_list.h"

namespace dlscope::app {

void PythonCatalogue::look(const std::vector<std::string>& recent, const std::string& asked) {
  list_.looking = true;
  list_.refusal.clear();
  jobs_.post(Lane::interpreters,
             [this, asked, recent](const std::stop_token&) -> JobPool::Apply {
               return [this, found = python_candidates(recent, asked)] {
                 list_.entries = found;
                 for (const PythonEntry& entry : found) {
                   if (entry.refusal.empty()) probe(entry);
                 }
                 list_.looking = any_unknown();
               };
             },
             {JobKind::pythons});
}

bool PythonCatalogue::any_unknown() const {
  return std::ranges::any_of(list_.entries,
                             [](const PythonEntry& entry) { return entry.version.empty() && entry.refusal.empty(); });
}

// All of them after what a person waits for.
void PythonCatalogue::probe(const PythonEntry& entry) {
  jobs_.post(Lane::interpreters,
             [this, entry](const std::stop_token& stop) -> JobPool::Apply {
               PythonEntry probed = entry;
               probe_python(probed, stop);
               return [this, probed] {
                 for (PythonEntry& each : list_.entries) {
                   if (each.path == probed.path) each = probed;
                 }
                 list_.looking = any_unknown();
               };
             },
             {}, JobPriority::later);
}

void PythonCatalogue::try_out(const std::string& path, std::function<void(const PythonChoice&)> usable,
                              std::function<void(const std::string&)> refused) {
  list_.tried = path;
  list_.refusal.clear();
  jobs_.post(Lane::interpreters,
             [this, path, usable = std::move(usable),
              refused = std::move(refused)](const std::stop_token& stop) -> JobPool::Apply {
               return [this, usable, refused, found = find_python({.path = path, .by = AskedBy::window}, stop)] {
                 list_.tried.clear();
                 if (found) return usable(*found);
                 list_.refusal = found.error().message;
                 refused(list_.refusal);
               };
             },
             {JobKind::try_python});
}

void PythonCatalogue::read_libraries(const PythonChoice& python, std::function<void(std::string)> found) {
  jobs_.post(Lane::interpreters, [python, found = std::move(found)](const std::stop_token&) -> JobPool::Apply {
    return [found, message = installed_libraries(python.prefix, python.version)] { found(message); };
  });
}

}  // namespace dlscope::app
