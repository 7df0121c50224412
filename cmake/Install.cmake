# The library for embedding: what `cmake --install` puts into a prefix. See docs/library.md.
#
# libevener.a   base, balance and capi, for C++ and C; the CMake target evener::evener
# libevener.so  the same with only the C interface visible; evener::shared. Its number is that of
#               EVENER_ABI_VERSION in evener/evener.h
# Built anew from those folders' sources: position independent, and never as LTO's bitcode, which
# other people's linkers cannot read. What logs stays out, and with it every dependency.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(EV_ABI_VERSION 1)

set(sources "")
foreach(folder base balance capi)
  get_target_property(directory ev_${folder} SOURCE_DIR)
  get_target_property(files ev_${folder} SOURCES)
  foreach(file IN LISTS files)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${directory})
    list(APPEND sources ${file})
  endforeach()
endforeach()
list(FILTER sources EXCLUDE REGEX "/log\\.cc$")

add_library(evener_objects OBJECT ${sources})
set_target_properties(evener_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_definitions(evener_objects PRIVATE EV_VERSION="${PROJECT_VERSION}")
# No path of the machine that built it in what the library says.
target_compile_options(evener_objects PRIVATE -fno-lto -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
target_link_libraries(evener_objects PRIVATE ev_flags)

add_library(evener_static STATIC $<TARGET_OBJECTS:evener_objects>)
set_target_properties(evener_static PROPERTIES OUTPUT_NAME evener EXPORT_NAME evener LINKER_LANGUAGE CXX)
target_compile_features(evener_static INTERFACE cxx_std_23)

add_library(evener_shared SHARED $<TARGET_OBJECTS:evener_objects>)
set_target_properties(evener_shared PROPERTIES OUTPUT_NAME evener EXPORT_NAME shared LINKER_LANGUAGE CXX
  SOVERSION ${EV_ABI_VERSION} VERSION ${EV_ABI_VERSION}.${PROJECT_VERSION}
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/evener.map)
target_link_options(evener_shared PRIVATE
  -fuse-ld=lld -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/evener.map -Wl,--no-undefined)

install(TARGETS evener_static evener_shared EXPORT evenerTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/evener DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/evener)
install(EXPORT evenerTargets NAMESPACE evener:: DESTINATION ${package})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/evenerConfig.cmake.in
  ${CMAKE_BINARY_DIR}/evenerConfig.cmake INSTALL_DESTINATION ${package})
# Before 1.0 a new minor version may change the C++ interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/evenerConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/evenerConfig.cmake ${CMAKE_BINARY_DIR}/evenerConfigVersion.cmake
  DESTINATION ${package})

# The prefix is known at installing only, so the files find it from where they are.
file(RELATIVE_PATH EV_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name evener evener-cpp)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
