#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <opyard/cuda.h>
#include <select/device_facts.h>
#include <torch/version.h>

#include <fstream>
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

std::string processor_name() {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 1);
  return "an unnamed processor";
}

}  // namespace

std::string device_identity(c10::Device device) {
  static const std::string processor = processor_name();
  const std::string arch = ", arch " + std::to_string(device_arch(device)) + ", torch " TORCH_VERSION;
  if (!device.is_cpu()) return c10::DeviceTypeName(device.type(), true) + arch;
  return processor + ", " + std::to_string(at::get_num_threads()) + " threads" + arch;
}

int device_arch(c10::Device device) {
  static const int cpu = cpu_arch();
  if (device.is_cpu()) return cpu;
  return device.is_cuda() ? cuda::compute_capability(device.index()) : -1;
}

}  // namespace opyard
