# SPDX-License-Identifier: Apache-2.0
#
# headrace_add_plugin(NAME name SOURCES file... [LINK target...])
#
# Builds name.so, a plugin of headrace, from C or C++ sources. The CMake target is called name_plugin. The
# library exports headrace_plugin_get and nothing else, has no undefined symbols, and lands in
# HEADRACE_PLUGIN_OUTPUT_DIRECTORY (where that is not set: in plugins/ under the project's build folder).
function(headrace_add_plugin)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;LINK")
  if(NOT arg_NAME OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "headrace_add_plugin(NAME name SOURCES file... [LINK target...]), got: ${ARGV}")
  endif()
  if(NOT HEADRACE_PLUGIN_OUTPUT_DIRECTORY)
    set(HEADRACE_PLUGIN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugins)
  endif()
  set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/headrace_plugin.map)
  set(target ${arg_NAME}_plugin)

  add_library(${target} MODULE ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${arg_NAME}
    PREFIX ""
    SUFFIX .so
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON
    LIBRARY_OUTPUT_DIRECTORY ${HEADRACE_PLUGIN_OUTPUT_DIRECTORY}
    LINK_DEPENDS ${map})
  target_link_libraries(${target} PRIVATE headrace::sdk ${arg_LINK})
  target_link_options(${target} PRIVATE LINKER:--version-script=${map})
  # With a sanitizer, clang leaves the run-time symbols to the program: undefined by design.
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
endfunction()
