// PythonCatalogue: the list of this machine's Pythons to choose from. Each is run once to ask what it is, which may take seconds:
// in the background, one by one.
// thread: UI.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/host/python_finder.h"
#include "app/models/host/python_entry.h"
#include "app/models/jobs/job_pool.h"

namespace dlscope::app {

class PythonCatalogue {
 public:
  explicit PythonCatalogue(JobPool& jobs) : jobs_(jobs) {}

  [[nodiscard]] const PythonList& list() const { return list_; }
  // recent: paths chosen before. asked: one more path to look at; "": none.
  void look(const std::vector<std::string>& recent, const std::string& asked);
  // Looks at one that a person wants to use. Then `usable` is called, or `refused` with the reason, which is also in list(): both
  // on the UI thread. A newer call replaces one that is not answered.
  void try_out(const std::string& path, std::function<void(const PythonChoice&)> usable,
               std::function<void(const std::string&)> refused);
  // Lists installed libraries ("numpy 2.4  torch 2.13") from this Python's folders, in a job; `found` is called on the UI thread.
  void read_libraries(const PythonChoice& python, std::function<void(std::string)> found);

 private:
  void probe(const PythonEntry& entry);
  [[nodiscard]] bool any_unknown() const;  // entries that were not asked what they are

  JobPool& jobs_;
  PythonList list_;
};

}  // namespace dlscope::app
