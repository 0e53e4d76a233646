// Files that a reader must survive: each is small to write down and large, deep or circular to read.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace opyard {

struct HostileFile {
  std::string name;
  std::function<std::string()> bytes;  // made where they are needed: some have megabytes
};

std::vector<HostileFile> hostile_files();

}  // namespace opyard
