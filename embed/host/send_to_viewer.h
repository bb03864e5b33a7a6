// How the host's parts send a message to the viewer; HostService gives it to them.
#pragma once

#include <functional>

#include "core/wire/message_sender.h"
#include "core/wire/messages.h"

namespace dlscope::embed {

using core::wire::WhenFull;

// As MessageSender::send(). thread: any.
using SendToViewer = std::function<bool(const core::wire::ToViewer&, WhenFull)>;

}  // namespace dlscope::embed
