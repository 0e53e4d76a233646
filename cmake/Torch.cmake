# Imported targets for the installed torch. find_package(Torch) of a CUDA build stops without the CUDA toolkit.
find_package(Python COMPONENTS Interpreter Development.Module REQUIRED)
execute_process(
  COMMAND ${Python_EXECUTABLE} -c "import importlib.util, os; print(os.path.dirname(importlib.util.find_spec('torch').origin))"
  OUTPUT_VARIABLE OPYARD_TORCH_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
foreach(name c10 torch_cpu torch_python)
  add_library(${name} SHARED IMPORTED)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${OPYARD_TORCH_DIR}/lib/lib${name}.so)
  target_include_directories(${name} SYSTEM INTERFACE
    ${OPYARD_TORCH_DIR}/include ${OPYARD_TORCH_DIR}/include/torch/csrc/api/include)
endforeach()
target_link_libraries(torch_cpu INTERFACE c10)
target_link_libraries(torch_python INTERFACE torch_cpu c10)
# The linker finds torch's own dependencies (its OpenMP runtime among them) beside it.
target_link_options(torch_cpu INTERFACE -Wl,-rpath-link,${OPYARD_TORCH_DIR}/lib)
