# Everything goes into the Python package `opyard`: the library, what it needs beside torch, its binding, the headers and
# the CMake package of the C++ interface.
install(TARGETS opyard LIBRARY DESTINATION opyard/lib)
install(FILES ${OPERATOR_STUB} DESTINATION opyard)
install(DIRECTORY include/opyard DESTINATION opyard/include)
install(FILES cmake/opyardConfig.cmake DESTINATION opyard/share/cmake/opyard)

# yaml-cpp's static library is not position-independent on Debian: the shared one travels beside ours.
get_target_property(YAML_CPP_FILE yaml-cpp IMPORTED_LOCATION_RELEASE)
if(NOT YAML_CPP_FILE)
  get_target_property(YAML_CPP_FILE yaml-cpp IMPORTED_LOCATION_NONE)
endif()
get_filename_component(YAML_CPP_REAL ${YAML_CPP_FILE} REALPATH)
get_target_property(YAML_CPP_SONAME yaml-cpp IMPORTED_SONAME_NONE)
if(NOT YAML_CPP_SONAME)
  get_target_property(YAML_CPP_SONAME yaml-cpp IMPORTED_SONAME_RELEASE)
endif()
install(FILES ${YAML_CPP_REAL} DESTINATION opyard/lib RENAME ${YAML_CPP_SONAME})
