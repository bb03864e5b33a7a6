// The application and files beside the script: folders, reports, pictures, and the Pythons of this machine.
#include <utility>

#include "app/files/output_file.h"
#include "app/host/python_list.h"
#include "app/models/script/folder_listing.h"
#include "app/models/text/time_stamp.h"
#include "app/window/application.h"
#include "app/window/application_jobs.h"
#include "core/report/report.h"

namespace dlscope::app {

void Application::in_background(std::function<core::Result<void>()> work, std::string done) {
  worker_->post([this, work = std::move(work), done = std::move(done)](const std::stop_token&) -> Worker::Apply {
    const auto result = work();
    const std::string words = result ? done : result.error().message;
    return [this, words, fine = result.has_value()] { notices_.add(fine ? Tone::good : Tone::bad, words); };
  });
}

void Application::save_report() {
  core::ReportInput input;
  input.run = outcome_;
  input.scanned = scanned_;
  const core::SnapshotPtr snapshot = tensors_.index() ? tensors_.index()->snapshot : nullptr;
  const std::string path = time_stamped("dlscope-report-", ".json");
  in_background(
      [input, snapshot, path]() mutable -> core::Result<void> {
        input.snapshot = snapshot.get();
        auto file = OutputFile::open(path);
        if (!file) return std::unexpected(file.error());
        return file->write([&](const core::JsonSink& sink) { return core::write_report(input, sink); });
      },
      "The report was saved as " + path + ".");
}

void Application::read_folder(const std::string& folder) {
  worker_->post(
      [this, folder](const std::stop_token& stop) -> Worker::Apply {
        return [this, listing = list_folder(folder, stop)]() mutable { panels_.files.listing = std::move(listing); };
      },
      job::kFolder);
}

void Application::look_for_pythons(const std::string& asked) {
  pythons_.looking = true;
  probes_->post(
      [this, asked, recent = settings_.recent_pythons](const std::stop_token&) -> Worker::Apply {
        return [this, found = python_candidates(recent, asked)] {
          pythons_ = {.entries = found, .looking = !found.empty()};
          for (const PythonEntry& entry : found) {
            probes_->post([this, entry](const std::stop_token& stop) -> Worker::Apply {
              PythonEntry probed = entry;
              probe_python(probed, stop);
              return [this, probed] {
                for (PythonEntry& each : pythons_.entries) {
                  if (each.path == probed.path) each = probed;
                }
                if (!pythons_.entries.empty() && pythons_.entries.back().path == probed.path) pythons_.looking = false;
              };
            });
          }
        };
      },
      1);
}

void Application::learn_libraries(const PythonChoice& python) {
  host_.libraries.clear();
  probes_->post([this, python](const std::stop_token&) -> Worker::Apply {
    return [this, words = installed_libraries(python.prefix, python.version)] { host_.libraries = words; };
  });
}

}  // namespace dlscope::app
