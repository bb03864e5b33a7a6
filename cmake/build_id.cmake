# dlscope_build_id: version() and build_id() of core/base/build_id.h. The id is a hash of the sources under core/, what viewer and
# host share, so it needs no git and changes exactly when their common ground does. Built: only when one of those files changed.
# (This file runs twice: included at configure time, and as a script at build time.)

if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB_RECURSE sources RELATIVE "${ROOT}" "${ROOT}/core/*.h" "${ROOT}/core/*.cpp")
  list(SORT sources)
  set(hashes "")
  foreach(source IN LISTS sources)
    file(SHA256 "${ROOT}/${source}" hash)
    string(APPEND hashes "${source} ${hash}\n")
  endforeach()
  string(SHA256 id "${hashes}")
  string(SUBSTRING "${id}" 0 16 id)
  file(WRITE "${OUT}" "#include \"core/base/build_id.h\"\n\n"
    "const char* dlscope::core::version() { return \"${VERSION}\"; }\n"
    "const char* dlscope::core::build_id() { return \"${VERSION}-${id}\"; }\n")
  return()
endif()

file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/core/*.h" "${PROJECT_SOURCE_DIR}/core/*.cpp")
set(build_id_cpp "${PROJECT_BINARY_DIR}/generated/build_id.cpp")
add_custom_command(OUTPUT "${build_id_cpp}"
  COMMAND "${CMAKE_COMMAND}" -DROOT=${PROJECT_SOURCE_DIR} -DOUT=${build_id_cpp} -DVERSION=${PROJECT_VERSION}
          -P "${CMAKE_CURRENT_LIST_FILE}"
  DEPENDS ${core_sources} "${CMAKE_CURRENT_LIST_FILE}" COMMENT "Generating build id" VERBATIM)
add_library(dlscope_build_id STATIC "${build_id_cpp}")
target_link_libraries(dlscope_build_id PRIVATE dlscope_options dlscope_warnings)
