#include "core/sharing/unknown_why.h"

namespace dlscope::core {

const char* unknown_why_name(UnknownWhy why) {
  switch (why) {
    case UnknownWhy::none:
      return "none";
    case UnknownWhy::not_described:
      return "not_described";
    case UnknownWhy::no_layout:
      return "no_layout";
    case UnknownWhy::copied_for_export:
      return "copied_for_export";
    case UnknownWhy::no_address:
      return "no_address";
    case UnknownWhy::null_data:
      return "null_data";
    case UnknownWhy::device_contradicted:
      return "device_contradicted";
    case UnknownWhy::host_or_device:
      return "host_or_device";
    case UnknownWhy::unreadable:
      return "unreadable";
    case UnknownWhy::same_file_pages:
      return "same_file_pages";
    case UnknownWhy::pair_bound:
      return "pair_bound";
    case UnknownWhy::over_budget:
      return "over_budget";
    case UnknownWhy::stopped:
      return "stopped";
    case UnknownWhy::not_yet:
      return "not_yet";
  }
  return "none";
}

std::string unknown_text(UnknownWhy why, std::string_view who) {
  const std::string subject(who);
  switch (why) {
    case UnknownWhy::none:
      break;
    case UnknownWhy::not_described:
      return subject + " was not described";
    case UnknownWhy::no_layout:
      return subject + " has no usable layout";
    case UnknownWhy::copied_for_export:
      return subject + " hands over a copy of its bytes, made each time it is asked";
    case UnknownWhy::no_address:
      return subject + " has no address that could be compared";
    case UnknownWhy::null_data:
      return subject + " has elements but a NULL data pointer";
    case UnknownWhy::device_contradicted:
      return subject + " is not where its producer says";
    case UnknownWhy::host_or_device:
      return subject + " is in oneAPI memory, which may be the host's as well";
    case UnknownWhy::unreadable:
      return subject + " claims bytes that cannot be read";
    case UnknownWhy::same_file_pages:
      return "both show the same pages of a file through different mappings, and which bytes are the same memory now was not "
             "worked out: a private page is the file's own until it is written, and a tensor in several mappings is not compared "
             "by its pages";
    case UnknownWhy::pair_bound:
      return "there are more pairs than may be listed";
    case UnknownWhy::over_budget:
      return "the exact answer takes more work than is allowed";
    case UnknownWhy::stopped:
      return "the analysis was stopped";
    case UnknownWhy::not_yet:
      return "sharing is still being worked out";
  }
  return {};
}

}  // namespace dlscope::core
