# find_package(opyard): the target opyard::opyard. Set OPYARD_TORCH_DIR to torch's folder, or have `python3` find it.
get_filename_component(OPYARD_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT OPYARD_TORCH_DIR)
  find_package(Python COMPONENTS Interpreter REQUIRED)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c "import importlib.util, os; print(os.path.dirname(importlib.util.find_spec('torch').origin))"
    OUTPUT_VARIABLE OPYARD_TORCH_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
if(NOT TARGET opyard::opyard)
  add_library(opyard::opyard SHARED IMPORTED)
  set_target_properties(opyard::opyard PROPERTIES IMPORTED_LOCATION ${OPYARD_ROOT}/lib/libopyard.so)
  target_include_directories(opyard::opyard SYSTEM INTERFACE
    ${OPYARD_ROOT}/include ${OPYARD_TORCH_DIR}/include ${OPYARD_TORCH_DIR}/include/torch/csrc/api/include)
  target_compile_features(opyard::opyard INTERFACE cxx_std_20)
  target_link_libraries(opyard::opyard INTERFACE ${OPYARD_TORCH_DIR}/lib/libtorch_cpu.so ${OPYARD_TORCH_DIR}/lib/libc10.so)
  target_link_options(opyard::opyard INTERFACE
    -Wl,-rpath,${OPYARD_TORCH_DIR}/lib -Wl,-rpath,${OPYARD_ROOT}/lib -Wl,-rpath-link,${OPYARD_TORCH_DIR}/lib)
endif()
