# How every target of the house is built, and the three words folders use: ev_library, ev_test, ev_tool.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR "Evener needs Clang 19 or newer, found ${CMAKE_CXX_COMPILER_ID} "
    "${CMAKE_CXX_COMPILER_VERSION}. Run 'make setup', then use a preset: cmake --preset dev")
endif()

find_program(EV_CCACHE ccache)
if(EV_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${EV_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${EV_CCACHE})
endif()

add_library(ev_flags INTERFACE)
target_compile_options(ev_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror>
  -fno-omit-frame-pointer)
target_include_directories(ev_flags INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_link_options(ev_flags INTERFACE -fuse-ld=lld)

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
if(EV_SANITIZE)
  # vptr: the distribution's GoogleTest and spdlog are built without it and would be reported.
  add_compile_options(-fsanitize=${EV_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${EV_SANITIZE})
endif()
if(EV_LTO)
  add_compile_options(-flto=thin)
  add_link_options(-flto=thin -Wl,--thinlto-cache-dir=${CMAKE_BINARY_DIR}/lto-cache)
endif()

if(EV_TESTS OR EV_FUZZ)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# ev_library(NAME SOURCES ... LINKS ... [PRIVATE_LINKS ...]): folder NAME as the static library ev_NAME.
function(ev_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(ev_${name} STATIC ${arg_SOURCES})
  target_link_libraries(ev_${name} PUBLIC ev_flags ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS})
endfunction()

# ev_test(NAME [THREADS] SOURCES ... LINKS ...): one GoogleTest binary, each of its tests known to ctest by name.
# Under TSan only those with THREADS are built: the others start none.
function(ev_test name)
  cmake_parse_arguments(arg "THREADS" "" "SOURCES;LINKS;PROPERTIES" ${ARGN})
  if(NOT EV_TESTS OR (EV_SANITIZE STREQUAL "thread" AND NOT arg_THREADS))
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ev_flags ${arg_LINKS} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120 ${arg_PROPERTIES})
endfunction()
