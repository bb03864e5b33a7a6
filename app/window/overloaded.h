#pragma once

#include "core/base/overloaded.h"

namespace dlscope::app {

using core::Overloaded;

}  // namespace dlscope::app
