// Sum, mean, largest and smallest over the last dims in CUDA C++: one kernel, compiled for the folds that are called.
#include <ATen/ops/empty.h>
#include <lib/aten_operator.h>
#include <lib/cuda/rows.h>
#include <lib/output_buffer.h>
#include <opyard/cuda.h>

#include <algorithm>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr std::int64_t kWarp = 32, kThreads = 256;
constexpr std::int64_t kShortRow = 1024;   // elements: up to here a warp folds a row
constexpr std::int64_t kPart = 16 * 1024;  // elements of a part of a long row
constexpr std::int64_t kManyRows = 512;    // use the whole device without parts

struct Fold {
  const char* op;
  const char* name;  // of fold_rows.cuh
  bool mean = false;
};

/// The columns of a call's rows: the product of the dims that go.
std::int64_t columns_of(const CallSpec& spec) {
  const TensorFacts& input = spec.inputs().front().second;
  const auto product = [](const auto& sizes) {
    std::int64_t all = 1;
    for (const std::int64_t size : sizes) {
      all *= size;
    }
    return all;
  };
  const std::int64_t kept = product(spec.outputs().front().second.sizes);
  return kept == 0 ? 0 : product(input.sizes) / kept;
}

class FoldRows final : public Kernel {
 public:
  FoldRows(const Fold& fold, c10::Device device, c10::ScalarType dtype, std::int64_t columns)
      : columns_(columns),
        short_(columns <= kShortRow),
        packed_(cuda::RowLayout::of(columns, dtype).packed),
        scale_(fold.mean ? 1.0f / static_cast<float>(columns) : 1.0f),
        whole_(cuda::load(program(fold, cuda::type_name(dtype), cuda::type_name(dtype), packed_), device)),
        odd_(program(fold, cuda::type_name(dtype), cuda::type_name(dtype), false), device),
        odd_parts_(program(fold, cuda::type_name(dtype), "float", false), device) {
    if (columns > kPart) {
      parts_ = cuda::load(program(fold, cuda::type_name(dtype), "float", packed_), device);
      last_ = cuda::load(program(fold, "float", cuda::type_name(dtype), false), device);
    }
  }

  void forward(KernelCall& call) const override {
    OutputBuffer out(call, 0);
    const at::Tensor& x = call.input(0);
    const std::int64_t rows = out.tensor().numel();
    const bool fits = !packed_ || cuda::aligned(x.const_data_ptr());
    const std::int64_t parts = rows < kManyRows ? std::max<std::int64_t>((columns_ + kPart - 1) / kPart, 1) : 1;
    if (parts == 1) {
      launch(fits ? *whole_ : odd_.get(), x.const_data_ptr(), out.data<void>(), rows, columns_, 1, columns_, scale_);
    } else {
      const at::Tensor folded = at::empty({rows, parts}, x.options().dtype(at::kFloat));
      launch(fits ? *parts_ : odd_parts_.get(), x.const_data_ptr(), folded.mutable_data_ptr(), rows, columns_, parts,
             kPart, 1.0f);
      launch(*last_, folded.const_data_ptr(), out.data<void>(), rows, parts, 1, parts, scale_);
    }
    out.finish();
  }

 private:
  cuda::Program program(const Fold& fold, const char* from, const char* to, bool packed) const {
    return {"#include <lib/cuda/fold_rows.cuh>\n",
            c10::str("opyard::fold_rows<opyard::", fold.name, ", ", from, ", ", to, ", ", short_ ? kWarp : kThreads,
                     ", ", short_ ? kThreads / kWarp : 1, ", ", packed ? "true" : "false", ">")};
  }

  void launch(const cuda::Function& function, const void* x, void* y, std::int64_t rows, std::int64_t columns,
              std::int64_t parts, std::int64_t length, float scale) const {
    void* arguments[] = {&x, &y, &rows, &columns, &parts, &length, &scale};
    const std::int64_t block = short_ ? kThreads / kWarp : 1;
    cuda::Launch launch;
    launch.grid[0] = static_cast<std::uint32_t>((rows * parts + block - 1) / block);
    launch.block[0] = kThreads;
    function.launch(launch, arguments);
  }

  std::int64_t columns_;
  bool short_, packed_;
  float scale_;
  std::shared_ptr<const cuda::Function> whole_, parts_, last_;  // the last two where rows are longer than a part
  cuda::LateFunction odd_, odd_parts_;                          // for addresses between packs
};

/// The dims that go are the last ones, so that what is folded lies in one run.
Refusal refusal(const CallSpec& spec) {
  const auto& [name, x] = spec.inputs().front();
  if (!x.contiguous) {
    return c10::str(name, " is not contiguous; the kernel folds runs");
  }
  if (const Value* dtype = find_param(spec, "dtype");
      dtype != nullptr && optional_dtype(*dtype).value_or(x.dtype) != x.dtype) {
    return c10::str("the result is ", dtype_name(*optional_dtype(*dtype)), "; the kernel keeps ", dtype_name(x.dtype));
  }
  const Value& dim = spec.param("dim");
  const auto dims = static_cast<std::int64_t>(x.sizes.size());
  std::vector<bool> goes(x.sizes.size(), dim.is_none());
  const auto mark = [&](std::int64_t at) {
    if (dims > 0) {
      goes[static_cast<std::size_t>(at < 0 ? at + dims : at)] = true;
    }
  };
  if (const auto* one = dim.get_if<std::int64_t>()) {
    mark(*one);
  } else if (!dim.is_none()) {
    const std::vector<std::int64_t> all = integers(dim);
    std::for_each(all.begin(), all.end(), mark);
    if (all.empty()) {
      goes.assign(goes.size(), true);
    }
  }
  if (!std::is_sorted(goes.begin(), goes.end())) {
    return c10::str("dim ", to_text(dim), " of ", dims, " dims; the kernel takes the last ones");
  }
  return std::nullopt;
}

Implementation fold_implementation(const Fold& fold) {
  return {
      .op = fold.op,
      .key = "cuda",
      .devices = {c10::DeviceType::CUDA},
      .dtypes = {c10::ScalarType::Float, c10::ScalarType::BFloat16, c10::ScalarType::Half},
      .preferred_over = {"aten"},
      .refusal = refusal,
      .entry_for =
          [fold](const CallSpec& spec) {
            const c10::Device device = spec.device;
            const c10::ScalarType dtype = spec.inputs().front().second.dtype;
            const std::int64_t columns = columns_of(spec);
            return Entry{Sequence{device, dtype, columns},
                         [=] { return std::make_shared<const FoldRows>(fold, device, dtype, columns); }};
          },
  };
}

}  // namespace

std::vector<Implementation> reduction_cuda() {
  return {
      fold_implementation({"SumFwdOp", "Sum"}),
      fold_implementation({"MeanFwdOp", "Sum", /*mean=*/true}),
      fold_implementation({"AmaxFwdOp", "LargestOrNan"}),
      fold_implementation({"AminFwdOp", "SmallestOrNan"}),
  };
}

}  // namespace opyard::kernels::OPYARD_ISA
