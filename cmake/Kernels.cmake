# Finds kernels/<operator>/<implementation>.cpp. A file's presence registers it: each defines
#   std::vector<opyard::Implementation> opyard::kernels::OPYARD_ISA::<operator>_<implementation>();
# A file named vec*.cpp is compiled once for each instruction set, and the processor decides which one registers.
set(OPYARD_ISA_LEVELS baseline avx2 avx512 CACHE STRING "Instruction sets of the kernels, lowest first")

function(opyard_collect_kernels)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*/*.cpp)
  set(plain)
  set(vectorised)
  set(declarations "")
  set(calls "")
  foreach(file ${files})
    get_filename_component(implementation ${file} NAME_WE)
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(operator ${folder} NAME)
    if(operator STREQUAL "lib")
      continue()
    endif()
    set(name ${operator}_${implementation})
    if(implementation MATCHES "^vec")
      list(APPEND vectorised ${file})
      set(choice "")
      set(level 0)
      foreach(isa ${OPYARD_ISA_LEVELS})
        string(APPEND declarations "namespace opyard::kernels::${isa} { std::vector<Implementation> ${name}(); }\n")
        if(level EQUAL 0)
          set(choice "${isa}::${name}()")
        else()
          string(PREPEND choice "arch >= ${level} ? ${isa}::${name}() : ")
        endif()
        math(EXPR level "${level} + 1")
      endforeach()
      string(APPEND calls "  add(${choice});\n")
    else()
      list(APPEND plain ${file})
      string(APPEND declarations "namespace opyard::kernels::portable { std::vector<Implementation> ${name}(); }\n")
      string(APPEND calls "  add(portable::${name}());\n")
    endif()
  endforeach()
  set(list_file ${CMAKE_CURRENT_BINARY_DIR}/generated/kernel_list.cpp)
  file(CONFIGURE OUTPUT ${list_file} CONTENT
"// Generated from the files under kernels/; do not edit.
#include <registry/builtin_kernels.h>

@declarations@
namespace opyard::kernels {
void for_each_builtin(int arch, const std::function<void(std::vector<Implementation>)>& add) {
@calls@}
}  // namespace opyard::kernels
" @ONLY)

  opyard_embed_device_code(device_code)

  set(libraries)
  set(flags_baseline "")
  set(flags_avx2 -mavx2 -mfma -mf16c)
  set(flags_avx512 -mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512vl -mavx512dq)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Its own AVX-512 intrinsics leave operands undefined on purpose, and warn of it.
    list(APPEND flags_avx512 -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  set(capability_baseline DEFAULT)
  set(capability_avx2 AVX2)
  set(capability_avx512 AVX512)
  if(vectorised)
    foreach(isa ${OPYARD_ISA_LEVELS})
      add_library(kernels_${isa} OBJECT ${vectorised})
      target_compile_options(kernels_${isa} PRIVATE -O3 -ffp-contract=off ${flags_${isa}})
      target_compile_definitions(kernels_${isa} PRIVATE
        OPYARD_ISA=${isa} CPU_CAPABILITY=${capability_${isa}} CPU_CAPABILITY_${capability_${isa}})
      list(APPEND libraries kernels_${isa})
    endforeach()
  endif()
  foreach(library ${libraries})
    target_include_directories(${library} PRIVATE
      ${CMAKE_CURRENT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR}/kernels)
    target_link_libraries(${library} PRIVATE torch_cpu)
  endforeach()
  set(OPYARD_KERNEL_LIBRARIES ${libraries} PARENT_SCOPE)
  # The others are compiled as the library's own sources, beside its precompiled header.
  set(OPYARD_KERNEL_SOURCES ${plain} ${list_file} ${device_code} PARENT_SCOPE)
endfunction()

# Device code under kernels/ as text in the library, so that compilers are fed from memory.
function(opyard_embed_device_code result)
  opyard_embedded_list(headers cuh)
  opyard_embedded_list(modules py)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/generated/embedded_code.cpp)
  file(CONFIGURE OUTPUT ${file} CONTENT
"// Generated from the .cuh and .py files under kernels/; do not edit.
#include <build/embedded_code.h>

namespace opyard::cuda {
using Texts = std::vector<std::pair<std::string_view, std::string_view>>;

const Texts& embedded_headers() {
  static const auto& headers = *new Texts{
@headers@  };
  return headers;
}

const Texts& embedded_modules() {
  static const auto& modules = *new Texts{
@modules@  };
  return modules;
}
}  // namespace opyard::cuda
" @ONLY)
  set(${result} ${file} PARENT_SCOPE)
endfunction()

# Rows of path and text, one for each file under kernels/ that ends so.
function(opyard_embedded_list result ending)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/kernels
    ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.${ending})
  set(entries "")
  foreach(name ${files})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kernels/${name})
    file(READ ${CMAKE_CURRENT_SOURCE_DIR}/kernels/${name} text)
    string(APPEND entries "      {\"${name}\", R\"~~(${text})~~\"},\n")
  endforeach()
  set(${result} "${entries}" PARENT_SCOPE)
endfunction()
