// y = x / sqrt(mean(x^2) + eps) * weight in languages embedded in Python: a block has a row. Compiled ahead, launched
// from here.
#include <lib/cuda/rows.h>
#include <lib/output_buffer.h>
#include <opyard/dsl.h>
#include <rms_norm/row_norm.h>

#include <bit>
#include <numeric>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr std::int64_t kMostColumns = 16384;  // a row lies in the registers of one block
constexpr std::int64_t kDivisible = 16;       // elements
constexpr std::int64_t kWarp = 32, kMostWarps = 8;
constexpr int kWideLoads = 100;  // from this architecture on TileLang makes vectors of 32 bytes

const char* triton_type(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::BFloat16:
      return "bf16";
    case c10::ScalarType::Half:
      return "fp16";
    default:
      return "fp32";
  }
}

/// Masked to a power of two of columns.
std::vector<NamedValue> triton_constants(const RowNorm& norm) {
  const auto block = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(norm.columns)));
  Sequence divisible = {"x", "weight", "y"};
  if (norm.columns % kDivisible == 0) {
    divisible.insert(divisible.end(), {"columns", "row_stride"});
  }
  return {{"BLOCK", block},
          {"WEIGHTED", norm.weighted},
          {"num_warps", std::clamp<std::int64_t>(block / 512, 1, 16)},
          {"divisible", std::move(divisible)}};
}

std::int64_t warp_packs(const RowNorm& norm) {
  return kWarp * cuda::kPackBytes / static_cast<std::int64_t>(c10::elementSize(norm.dtype));
}

/// The same number of packs for each thread.
std::vector<NamedValue> pack_constants(const RowNorm& norm) {
  const std::int64_t warps = std::gcd(norm.columns / warp_packs(norm), kMostWarps);
  return {{"columns", norm.columns}, {"threads", warps * kWarp}, {"weighted", norm.weighted}};
}

/// Every language gets pointers that are aligned to sixteen bytes.
cuda::DslProgram program_of(const std::string& language, const RowNorm& norm) {
  const std::string pointer = std::string("*") + triton_type(norm.dtype);
  return {
      .language = language,
      .source = cuda::embedded_module("rms_norm/" + language + ".py"),
      .function = "rms_norm",
      .parameters = {{"x", pointer},
                     {"weight", pointer},
                     {"y", pointer},
                     {"rows", "i64"},
                     {"columns", "i64"},
                     {"row_stride", "i64"},
                     {"eps", "fp32"}},
      .constants = language == "triton" ? triton_constants(norm) : pack_constants(norm),
  };
}

class RmsNorm final : public Kernel {
 public:
  RmsNorm(const std::string& language, const RowNorm& norm)
      : norm_(norm),
        contiguous_(language == "tilelang"),
        function_(cuda::load(program_of(language, norm), norm.device)) {}

  void forward(KernelCall& call) const override {
    const cuda::Rows x = aligned_rows(call.input(0));
    OutputBuffer y(call, 0);
    const at::Tensor weight = norm_.weighted ? aligned(call.input(1).contiguous()) : at::Tensor();
    const void *from = x.data(), *scales = weight.defined() ? weight.const_data_ptr() : nullptr;
    void* to = y.data<void>();
    std::int64_t rows = x.rows(), columns = norm_.columns, stride = x.stride();
    float eps = norm_.eps;
    void* arguments[] = {&from, &scales, &to, &rows, &columns, &stride, &eps};
    function_->launch({static_cast<std::uint32_t>(rows), 1, 1}, arguments);
    y.finish();
  }

 private:
  static at::Tensor aligned(const at::Tensor& tensor) {
    return cuda::aligned(tensor.const_data_ptr()) ? tensor : tensor.clone(at::MemoryFormat::Contiguous);
  }

  cuda::Rows aligned_rows(const at::Tensor& x) const {
    const cuda::Rows rows(x, norm_.columns);
    const bool strides_fit =
        contiguous_ ? x.is_contiguous() : norm_.columns % kDivisible != 0 || rows.stride() % kDivisible == 0;
    const bool fits = strides_fit && cuda::aligned(rows.data());
    return fits ? rows : cuda::Rows(x.clone(at::MemoryFormat::Contiguous), norm_.columns);
  }

  RowNorm norm_;
  bool contiguous_;  // takes no other rows
  std::shared_ptr<const cuda::DslFunction> function_;
};

Implementation written_in(const std::string& language, std::vector<std::string> preferred_over) {
  return {
      .op = "RMSNormFwdOp",
      .key = language,
      .devices = {c10::DeviceType::CUDA},
      .dtypes = {c10::ScalarType::Float, c10::ScalarType::BFloat16, c10::ScalarType::Half},
      .preferred_over = std::move(preferred_over),
      .refusal = [language](const CallSpec& spec) -> Refusal {
        if (Refusal refusal = RowNorm::refusal(spec)) {
          return refusal;
        }
        const RowNorm norm = RowNorm::of(spec);
        if (norm.columns > kMostColumns) {
          return c10::str("a row has ", norm.columns, " columns; the kernel takes up to ", kMostColumns);
        }
        if (language != "triton" && norm.columns % warp_packs(norm) != 0) {
          return c10::str("a row has ", norm.columns, " columns; the kernel takes multiples of ", warp_packs(norm));
        }
        if (language == "tilelang" && norm.dtype == c10::ScalarType::Float && spec.arch >= kWideLoads) {
          return "x is float32; what TileLang writes for it on this architecture does not compile";
        }
        return cuda::refusal_of(program_of(language, norm), spec.arch);
      },
      .entry_for =
          [language](const CallSpec& spec) {
            const RowNorm norm = RowNorm::of(spec);
            return Entry{norm.identity(), [=] { return std::make_shared<const RmsNorm>(language, norm); }};
          },
  };
}

}  // namespace

std::vector<Implementation> rms_norm_dsl() {
  return {written_in("triton", {"aten", "cute", "tilelang"}), written_in("cute", {"aten", "tilelang"}),
          written_in("tilelang", {"aten"})};
}

}  // namespace opyard::kernels::OPYARD_ISA
