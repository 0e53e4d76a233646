// Gradients, transforms and other dispatch keys see a routed product as they see torch's.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <opyard/aten_original.h>
#include <override/matmul_routes.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

namespace opyard {
namespace {

// Serves every product with torch's own kernel, so that only the route differs.
struct Serves {
  Serves() {
    mm = override_mm("torch's", {}, [](const at::Tensor& self, const at::Tensor& mat2, at::Tensor& result) {
      const AtenOriginal original;
      result = at::mm(self, mat2);
      return true;
    });
    addmm = override_addmm("torch's", {},
                           [](const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2,
                              const at::Scalar& beta, const at::Scalar& alpha, at::Tensor& result) {
                             const AtenOriginal original;
                             result = at::addmm(self, mat1, mat2, beta, alpha);
                             return true;
                           });
    bmm = override_bmm("torch's", {}, [](const at::Tensor& self, const at::Tensor& mat2, at::Tensor& result) {
      const AtenOriginal original;
      result = at::bmm(self, mat2);
      return true;
    });
  }
  OverrideHandle mm, addmm, bmm;
};

using Product = at::Tensor (*)(const at::Tensor& a, const at::Tensor& b, const at::Tensor& bias);

at::Tensor by_mm(const at::Tensor& a, const at::Tensor& b, const at::Tensor&) { return at::mm(a[0], b[0]); }
at::Tensor by_bmm(const at::Tensor& a, const at::Tensor& b, const at::Tensor&) { return at::bmm(a, b); }
at::Tensor by_addmm(const at::Tensor& a, const at::Tensor& b, const at::Tensor& bias) {
  return at::addmm(bias, a[0], b[0], 0.5, 2);
}

struct GradientRow {
  std::string name;
  Product product;
};

class Gradients : public testing::TestWithParam<GradientRow> {};

at::Tensor leaf(at::IntArrayRef sizes, double first) {
  const std::int64_t elements = c10::multiply_integers(sizes);
  return (at::arange(elements, at::kDouble) * 0.25 + first).view(sizes).requires_grad_(true);
}

// The derivative of the sum of squares in one element, by central differences; exact for such a polynomial up to
// rounding.
double difference(Product product, std::vector<at::Tensor> inputs, std::size_t which, std::int64_t element) {
  constexpr double kStep = 1e-3;
  double values[2];
  for (const int side : {0, 1}) {
    std::vector<at::Tensor> moved;
    for (const at::Tensor& input : inputs) {
      moved.push_back(input.detach().clone());
    }
    moved[which].view({-1})[element] += side == 0 ? -kStep : kStep;
    values[side] = product(moved[0], moved[1], moved[2]).pow(2).sum().item<double>();
  }
  return (values[1] - values[0]) / (2 * kStep);
}

TEST_P(Gradients, AreTheDerivatives) {
  const Serves serves;
  const Product product = GetParam().product;
  const std::vector<at::Tensor> inputs = {leaf({2, 3, 4}, -1), leaf({2, 4, 5}, 0.5), leaf({5}, 2)};
  const at::Tensor loss = product(inputs[0], inputs[1], inputs[2]).pow(2).sum();
  const auto gradients = torch::autograd::grad({loss}, {inputs.begin(), inputs.end()}, {}, false, false, true);
  for (std::size_t which = 0; which < inputs.size(); ++which) {
    for (std::int64_t element = 0; gradients[which].defined() && element < inputs[which].numel(); ++element) {
      EXPECT_NEAR(gradients[which].reshape({-1})[element].item<double>(), difference(product, inputs, which, element),
                  1e-5);
    }
  }
  EXPECT_TRUE(gradients[0].defined() && gradients[1].defined());
  EXPECT_GT(serves.mm.counts().hits + serves.bmm.counts().hits, 1u) << "the backward products were routed, too";
}

INSTANTIATE_TEST_SUITE_P(Rows, Gradients,
                         testing::Values(GradientRow{"mm", by_mm}, GradientRow{"bmm", by_bmm},
                                         GradientRow{"addmm", by_addmm}),
                         [](const auto& row) { return row.param.name; });

TEST(SecondGradients, PassARoutedProduct) {
  const Serves serves;
  const at::Tensor a = leaf({1, 2}, 1);
  const at::Tensor b = leaf({2, 1}, 3);
  const at::Tensor cubed = at::mm(a, b).pow(3).sum();
  const at::Tensor first = torch::autograd::grad({cubed}, {a}, {}, true, true)[0];
  const at::Tensor second = torch::autograd::grad({first.sum()}, {a})[0];
  // With s = a.b: d/da of sum(3 s^2 b) is 6 s sum(b) b; a = (1, 1.25), b = (3, 3.25).
  const double s = 1 * 3 + 1.25 * 3.25;
  EXPECT_NEAR(second[0][0].item<double>(), 6 * s * 6.25 * 3, 1e-9);
  EXPECT_NEAR(second[0][1].item<double>(), 6 * s * 6.25 * 3.25, 1e-9);
}

TEST(LazyBits, NeverReachAnImplementation) {
  bool plain = true;
  const OverrideHandle handle =
      override_mm("watch", {}, [&plain](const at::Tensor& self, const at::Tensor& mat2, at::Tensor& result) {
        plain = plain && !self.is_conj() && !mat2.is_conj() && !self.is_neg() && !mat2.is_neg();
        const AtenOriginal original;
        result = at::mm(self, mat2);
        return true;
      });
  const at::Tensor i = at::full({1, 1}, c10::complex<double>(0, 1), at::kComplexDouble);
  ASSERT_TRUE(i.conj().is_conj());
  EXPECT_EQ(at::mm(i.conj(), i).item<c10::complex<double>>(), c10::complex<double>(1, 0));
  EXPECT_EQ(at::mm(i, i.conj()).item<c10::complex<double>>(), c10::complex<double>(1, 0));
  EXPECT_EQ(handle.counts().hits, 0u) << "torch's products take the conjugate bit as it is";
  const at::Tensor minus_one = at::imag(i.conj());
  ASSERT_TRUE(minus_one.is_neg());
  EXPECT_EQ(at::mm(at::full({1, 1}, 2.0, at::kDouble), minus_one).item<double>(), -2);
  EXPECT_EQ(handle.counts().hits, 1u) << "the negative bit is resolved before";
  EXPECT_TRUE(plain);
}

TEST(OtherKeys, DoNotReachTheRouter) {
  const OverrideHandle handle = override_mm("all", {}, [](const at::Tensor&, const at::Tensor&, at::Tensor& result) {
    result = at::full({2, 2}, 7.0f);
    return true;
  });
  const at::Tensor dense = at::ones({2, 2});
  EXPECT_EQ(at::mm(dense.to_sparse(), dense).sum().item<float>(), 8);
  EXPECT_EQ(at::mm(dense.to("meta"), dense.to("meta")).sizes(), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(handle.counts().hits + handle.counts().falls, 0u);
}

}  // namespace
}  // namespace opyard
