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

  opyard_embed_cuda_headers(cuda_headers)

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
  set(OPYARD_KERNEL_SOURCES ${plain} ${list_file} ${cuda_headers} PARENT_SCOPE)
endfunction()

# The CUDA headers under kernels/ as text in the library, so that NVRTC is fed from memory.
function(opyard_embed_cuda_headers result)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/kernels
    ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.cuh)
  set(entries "")
  foreach(header ${headers})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kernels/${header})
    file(READ ${CMAKE_CURRENT_SOURCE_DIR}/kernels/${header} text)
    string(APPEND entries "      {\"${header}\", R\"~~(${text})~~\"},\n")
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/generated/cuda_headers.cpp)
  file(CONFIGURE OUTPUT ${file} CONTENT
"// Generated from the .cuh files under kernels/; do not edit.
#include <build/cuda_headers.h>

namespace opyard::cuda {
const std::vector<std::pair<std::string_view, std::string_view>>& embedded_headers() {
  static const auto& headers = *new std::vector<std::pair<std::string_view, std::string_view>>{
@entries@  };
  return headers;
}
}  // namespace opyard::cuda
" @ONLY)
  set(${result} ${file} PARENT_SCOPE)
endfunction()
