// Runs what examples/export_for_cpp.py wrote: a model with an operator of opyard, compiled ahead. No Python.
#include <ATen/ATen.h>
#include <opyard/opyard.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <cstdint>
#include <iomanip>
#include <iostream>
#include <limits>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " model.pt2\n";
    return 2;
  }
  opyard::define_custom_ops();
  torch::inductor::AOTIModelPackageLoader model(argv[1]);
  std::cout << std::setprecision(std::numeric_limits<float>::max_digits10);
  for (const std::int64_t rows : {2, 5}) {  // one package, any number of rows
    const at::Tensor x = at::linspace(-1, 1, rows * 64).view({rows, 64});
    const at::Tensor y = model.run({x})[0].contiguous();
    for (std::int64_t i = 0; i < y.numel(); ++i) std::cout << y.const_data_ptr<float>()[i] << '\n';
  }
  return 0;
}
