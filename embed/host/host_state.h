// What the functions of a host share: the wire's service, the leases, and what the run that is on asked for.
// thread: GIL held.
#pragma once

#include "core/statistics/value_summary.h"
#include "embed/host/host_service.h"
#include "embed/host/leases.h"
#include "embed/py_ref.h"

namespace dlscope::embed::host_state {

extern HostService* service;                      // set once by host_attach
extern Leases* leases;                            // likewise
extern core::StatisticsMethod statistics_wanted;  // by the run that was requested last

// The service; null with a Python error set where this process is no host, or the forked child of one.
[[nodiscard]] HostService* attached();

[[nodiscard]] inline PyObject* none() { return PyRef::share(Py_None).release(); }

}  // namespace dlscope::embed::host_state
