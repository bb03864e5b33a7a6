# The CUDA compiler, for the code that runs on devices (core/devices/kernels). Nothing of CUDA is linked or needed at run time: the
# driver is looked up there, and what is compiled here is one file inside the program. Four wheels, 101 MB, no GPU and no toolkit needed.
# The oldest release of CUDA 13: what it makes runs under every driver for CUDA 13.
set(cuda_nvcc_version 13.0.88)
set(cuda_nvcc_sha256 56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03)
set(cuda_crt_sha256 2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4)
set(cuda_nvvm_sha256 c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0)
set(cuda_runtime_version 13.0.96)
set(cuda_runtime_sha256 7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548)

# Turing to Blackwell as machine code; what comes after compiles the last one's PTX when it is loaded.
set(cuda_targets -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_86,code=sm_86
  -gencode arch=compute_89,code=sm_89 -gencode arch=compute_90,code=sm_90 -gencode arch=compute_100,code=sm_100
  -gencode arch=compute_120,code=[sm_120,compute_120])

option(DLSCOPE_CUDA_KERNELS "Compile the code for CUDA devices (fetches the compiler: 101 MB)" OFF)
set(DLSCOPE_NVCC "" CACHE FILEPATH "An nvcc of CUDA 12.8 or newer; empty: fetched")
if(DLSCOPE_CUDA_KERNELS AND NOT DLSCOPE_NVCC AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  message(STATUS "dlscope: no CUDA compiler is fetched for ${CMAKE_SYSTEM_PROCESSOR}; pass -DDLSCOPE_NVCC=, or it is built without code for devices")
  set(DLSCOPE_CUDA_KERNELS OFF)
endif()

# The compiler looks for its parts beside where it really lies: itself and links to them, in the build folder.
if(DLSCOPE_CUDA_KERNELS AND NOT DLSCOPE_NVCC)
  dlscope_fetch(cuda_nvcc nvidia-cuda-nvcc ${cuda_nvcc_version} ${cuda_nvcc_sha256} wheel nvidia/cu13/bin)
  dlscope_fetch(cuda_crt nvidia-cuda-crt ${cuda_nvcc_version} ${cuda_crt_sha256} wheel nvidia/cu13/include)
  dlscope_fetch(cuda_nvvm nvidia-nvvm ${cuda_nvcc_version} ${cuda_nvvm_sha256} wheel nvidia/cu13/nvvm)
  dlscope_fetch(cuda_runtime nvidia-cuda-runtime ${cuda_runtime_version} ${cuda_runtime_sha256} wheel nvidia/cu13/include)
  set(cuda_toolkit "${PROJECT_BINARY_DIR}/cuda")
  file(MAKE_DIRECTORY "${cuda_toolkit}/include" "${cuda_toolkit}/bin")
  file(COPY "${cuda_nvcc}/nvidia/cu13/bin/nvcc" "${cuda_nvcc}/nvidia/cu13/bin/nvcc.profile" DESTINATION "${cuda_toolkit}/bin")
  foreach(part IN ITEMS crt cudafe++ fatbinary ptxas)
    file(CREATE_LINK "${cuda_nvcc}/nvidia/cu13/bin/${part}" "${cuda_toolkit}/bin/${part}" SYMBOLIC)
  endforeach()
  file(CREATE_LINK "${cuda_nvvm}/nvidia/cu13/nvvm" "${cuda_toolkit}/nvvm" SYMBOLIC)
  file(GLOB cuda_headers "${cuda_runtime}/nvidia/cu13/include/*" "${cuda_crt}/nvidia/cu13/include/*")
  foreach(header IN LISTS cuda_headers)
    get_filename_component(name "${header}" NAME)
    file(CREATE_LINK "${header}" "${cuda_toolkit}/include/${name}" SYMBOLIC)
  endforeach()
  set(DLSCOPE_NVCC "${cuda_toolkit}/bin/nvcc")
endif()

# Without fused products and sums: a device comes to the bits that the host comes to.
# dlscope_cuda_image(OUT SOURCE HEADERS...): OUT = one file with SOURCE compiled for all of cuda_targets.
function(dlscope_cuda_image out source)
  get_filename_component(name "${source}" NAME_WE)
  set(image "${CMAKE_CURRENT_BINARY_DIR}/${name}.fatbin")
  file(RELATIVE_PATH relative "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE headers)
  add_custom_command(OUTPUT "${image}"
    COMMAND "${DLSCOPE_NVCC}" -fatbin -std=c++20 -O3 -fmad=false -I. -ccbin "${CMAKE_CXX_COMPILER}" -allow-unsupported-compiler
      -compress-mode=size ${cuda_targets} "${relative}" -o "${image}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${source}" ${headers} VERBATIM
    COMMENT "Compiling ${relative} for CUDA devices")
  set(${out} "${image}" PARENT_SCOPE)
endfunction()
