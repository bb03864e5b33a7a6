// How every function of the driver begins: it locks the driver's state, counts the call, and fails where a test asked for it.
#pragma once

#include "state.h"

#define FAKE_ENTER(entry)                   \
  Driver& driver = Driver::get();           \
  const std::lock_guard lock(driver.mutex); \
  if (const int failed = driver.enter(entry)) return failed

#define FAKE_ENTER_CONTEXT(entry)           \
  Driver& driver = Driver::get();           \
  const std::lock_guard lock(driver.mutex); \
  Context* context = nullptr;               \
  if (const int failed = driver.enter_with_context(entry, context)) return failed
