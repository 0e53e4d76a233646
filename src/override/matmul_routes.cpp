// The six routers, and which calls torch's kernels accept.
#include <override/matmul_routes.h>
#include <override/point_table.h>

#include <mutex>

namespace opyard {
namespace {

// torch keeps conjugation in a bit, and its matrix products get it unresolved, unlike most kernels.
bool is_plain(const at::Tensor& tensor) {
  constexpr c10::DispatchKeySet kBits(
      {c10::DispatchKey::Conjugate, c10::DispatchKey::Negative, c10::DispatchKey::ZeroTensor});
  return !tensor.key_set().has_any(kBits);
}

}  // namespace

MatmulRouters::MatmulRouters()
    : mm("aten::mm", "", c10::DispatchKey::CPU),
      bmm("aten::bmm", "", c10::DispatchKey::CPU),
      mm_out("aten::mm", "out", c10::DispatchKey::CPU),
      bmm_out("aten::bmm", "out", c10::DispatchKey::CPU),
      addmm("aten::addmm", "", c10::DispatchKey::CPU),
      addmm_out("aten::addmm", "out", c10::DispatchKey::CPU) {}

std::vector<OverridePoint*> MatmulRouters::points() { return {&mm, &mm_out, &addmm, &addmm_out, &bmm, &bmm_out}; }

void MatmulRouters::install() {
  mm.install();
  mm_out.install();
  addmm.install();
  addmm_out.install();
  bmm.install();
  bmm_out.install();
}

void MatmulRouters::uninstall() {
  mm.uninstall();
  mm_out.uninstall();
  addmm.uninstall();
  addmm_out.uninstall();
  bmm.uninstall();
  bmm_out.uninstall();
}

MatmulRouters& matmul_routers() {
  static MatmulRouters* const routers = [] {
    auto* made = new MatmulRouters;  // never destroyed: torch's table points to it until the process is gone
    made->install();
    for (OverridePoint* point : made->points()) {
      enter_point(*point);
    }
    return made;
  }();
  return *routers;
}

void make_matmul_routers(const c10::OperatorName& op, c10::DispatchKey key) {
  const bool product = op.name == "aten::mm" || op.name == "aten::addmm" || op.name == "aten::bmm";
  if (product && key == c10::DispatchKey::CPU && (op.overload_name.empty() || op.overload_name == "out")) {
    matmul_routers();
  }
}

std::optional<ResultFacts> mm_result(const at::Tensor& self, const at::Tensor& mat2) {
  if (self.dim() != 2 || mat2.dim() != 2 || self.sizes()[1] != mat2.sizes()[0] ||
      self.scalar_type() != mat2.scalar_type() || !is_plain(self) || !is_plain(mat2)) {
    return std::nullopt;
  }
  return ResultFacts{{self.sizes()[0], mat2.sizes()[1]}, self.scalar_type()};
}

std::optional<ResultFacts> bmm_result(const at::Tensor& self, const at::Tensor& mat2) {
  if (self.dim() != 3 || mat2.dim() != 3 || self.sizes()[0] != mat2.sizes()[0] || self.sizes()[2] != mat2.sizes()[1] ||
      self.scalar_type() != mat2.scalar_type() || !is_plain(self) || !is_plain(mat2)) {
    return std::nullopt;
  }
  return ResultFacts{{self.sizes()[0], self.sizes()[1], mat2.sizes()[2]}, self.scalar_type()};
}

std::optional<ResultFacts> addmm_result(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2) {
  std::optional<ResultFacts> facts = mm_result(mat1, mat2);
  if (!facts || self.scalar_type() != facts->dtype || !is_plain(self) || !expands_to(self.sizes(), facts->sizes)) {
    return std::nullopt;
  }
  return facts;
}

}  // namespace opyard
