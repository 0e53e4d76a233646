# OPYARD_SANITIZE=thread or =address builds everything under that sanitizer, with Clang: GCC's runtime for OpenMP looks
# like a race to its thread sanitizer. Neither has OpenMP, so kernels run serially there.
set(OPYARD_SANITIZE "" CACHE STRING "thread; address, with undefined behaviour; or nothing")
set_property(CACHE OPYARD_SANITIZE PROPERTY STRINGS "" thread address)

if(OPYARD_SANITIZE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    message(FATAL_ERROR "OPYARD_SANITIZE=${OPYARD_SANITIZE} needs clang++, not ${CMAKE_CXX_COMPILER}: "
                        "set CMAKE_CXX_COMPILER")
  endif()
  if(OPYARD_SANITIZE STREQUAL thread)
    set(sanitizers -fsanitize=thread)
    add_compile_definitions(__SANITIZE_THREAD__)  # as GCC says it
  elseif(OPYARD_SANITIZE STREQUAL address)
    # Whether a pointer's dynamic type is right cannot be asked of torch's classes, whose type names it keeps to itself.
    set(sanitizers -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined)
  else()
    message(FATAL_ERROR "OPYARD_SANITIZE: expected thread or address, got ${OPYARD_SANITIZE}")
  endif()
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -gline-tables-only -fno-omit-frame-pointer")
  add_compile_definitions(OPYARD_SERIAL_KERNELS)
  add_compile_options(${sanitizers})
  add_link_options(${sanitizers})
endif()
