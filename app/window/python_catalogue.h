// PythonCatalogue: the Pythons of this machine, as the list to choose from shows them. Each is run once to learn what it is,
// which may take seconds: in the background, one by one.
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
  // asked: a path to look at besides those that are found; "": none.
  void look(const std::vector<std::string>& recent, const std::string& asked);
  // "numpy 2.4  torch 2.13", of the folders of this Python.
  void read_libraries(const PythonChoice& python, std::function<void(std::string)> found);

 private:
  void probe(const PythonEntry& entry);

  JobPool& jobs_;
  PythonList list_;
};

}  // namespace dlscope::app
