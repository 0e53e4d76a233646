#include <ATen/Version.h>
#include <opyard/cuda.h>
#include <select/device_facts.h>

#include <string>

namespace opyard {
namespace {

// torch's own reading, so that both run the same instruction set and honour the same variable.
int cpu_arch() {
  const std::string capability = at::get_cpu_capability();
  if (capability == "AVX512") return 2;
  if (capability == "AVX2") return 1;
  return 0;
}

}  // namespace

int device_arch(c10::Device device) {
  static const int cpu = cpu_arch();
  if (device.is_cpu()) return cpu;
  return device.is_cuda() ? cuda::compute_capability(device.index()) : -1;
}

}  // namespace opyard
