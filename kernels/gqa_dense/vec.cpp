// Attention in one pass over the keys: the query heads of a group share each key and value read, float32 softmax.
#include <gqa_dense/attention.h>
#include <gqa_dense/mask_view.h>
#include <gqa_dense/running_softmax.h>
#include <lib/dot_tile.h>
#include <lib/dtypes.h>
#include <lib/output_buffer.h>
#include <lib/parallel.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr int kTile = kLanes >= 16 ? 4 : 2;         // rows, and keys, taken together
constexpr std::int64_t kRows = 32;                  // of queries times heads in a task
constexpr std::int64_t kKeys = 128;                 // in a block, a multiple of kPair
constexpr std::int64_t kKeysPerPart = 256;          // least keys for which a task is split
constexpr std::int64_t kWorkPerThread = 64 * 1024;  // multiply-adds; less is not worth waking a thread

template <class T>
class Run {
 public:
  Run(KernelCall& call, const Attention& attention)
      : attention_(attention), q_(call.input(kQuery)), k_(call.input(kKey)), v_(call.input(kValue)), out_(call, 0) {
    batch_ = q_.size(0), queries_ = q_.size(1), heads_ = q_.size(2), head_width_ = q_.size(3);
    keys_ = k_.size(1), kv_heads_ = k_.size(2);
    if (call.has_input(kMask)) {
      mask_ = MaskView(call.input(kMask));
    }
    if (call.has_input(kSinks)) {
      sinks_ = &call.input(kSinks);
    }
  }

  void run() {
    if (q_.numel() > 0) {
      group_ = heads_ / kv_heads_;
      chunk_ = std::min(queries_, std::max<std::int64_t>(kRows / group_, 1));
      chunks_ = at::divup(queries_, chunk_);
      width_ = at::divup(head_width_, kPair) * kPair;
      const std::int64_t tasks = batch_ * kv_heads_ * chunks_;
      // Few tasks leave threads idle: their keys are then shared out as well.
      parts_ = tasks < 2 * at::get_num_threads() ? std::clamp<std::int64_t>(keys_ / kKeysPerPart, 1, 4) : 1;
      parts_ == 1 ? run_whole(tasks) : run_in_parts(tasks);
    }
    out_.finish();
  }

 private:
  struct Task {
    std::int64_t batch, kv_head, first_query, queries;
  };

  Task task(std::int64_t index) const {
    const std::int64_t chunk = index % chunks_, head = index / chunks_;
    return {head / kv_heads_, head % kv_heads_, chunk * chunk_, std::min(chunk_, queries_ - chunk * chunk_)};
  }

  std::int64_t rows() const { return chunk_ * group_; }

  std::int64_t grain() const {
    return at::divup(kWorkPerThread, std::max<std::int64_t>(rows() * keys_ / parts_ * head_width_ * 2, 1));
  }

  void run_whole(std::int64_t tasks) {
    parallel_ranges(tasks, grain(), [&](std::int64_t begin, std::int64_t end) {
      Scratch scratch(*this);
      std::vector<float> memory(RunningSoftmax::floats(rows(), width_));
      for (std::int64_t i = begin; i < end; ++i) {
        RunningSoftmax state(memory.data(), rows(), width_);
        attend(task(i), 0, keys_, scratch, state);
        write(task(i), state);
      }
    });
  }

  void run_in_parts(std::int64_t tasks) {
    const std::int64_t floats = RunningSoftmax::floats(rows(), width_);
    std::vector<float> memory(tasks * parts_ * floats);
    const auto state = [&](std::int64_t i) { return RunningSoftmax(memory.data() + i * floats, rows(), width_); };
    std::vector<RunningSoftmax> states;
    for (std::int64_t i = 0; i < tasks * parts_; ++i) {
      states.push_back(state(i));
    }
    parallel_ranges(tasks * parts_, grain(), [&](std::int64_t begin, std::int64_t end) {
      Scratch scratch(*this);
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t part = i % parts_;
        attend(task(i / parts_), keys_ * part / parts_, keys_ * (part + 1) / parts_, scratch, states[i]);
      }
    });
    for (std::int64_t i = 0; i < tasks; ++i) {
      RunningSoftmax& whole = states[i * parts_];
      for (std::int64_t row = 0; row < task(i).queries * group_; ++row) {
        for (std::int64_t part = 1; part < parts_; ++part) {
          whole.merge(row, states[i * parts_ + part]);
        }
      }
      write(task(i), whole);
    }
  }

  struct Scratch {
    explicit Scratch(const Run& run) : queries(run.rows() * run.width_), scores(run.rows() * kKeys) {}
    std::vector<float> queries;  // [rows, width_], zeros beyond the head's width
    std::vector<float> scores;   // [rows, kKeys]
  };

  std::int64_t head_of(const Task& task, std::int64_t row) const { return task.kv_head * group_ + row % group_; }
  std::int64_t query_of(const Task& task, std::int64_t row) const { return task.first_query + row / group_; }

  /// Rows of a task are query by query, the heads of the group within.
  void attend(const Task& task, std::int64_t first, std::int64_t last, Scratch& scratch, RunningSoftmax& state) const {
    const std::int64_t rows = task.queries * group_;
    const T* q = static_cast<const T*>(q_.const_data_ptr()) + task.batch * q_.stride(0);
    for (std::int64_t row = 0; row < rows; ++row) {
      const T* from = q + query_of(task, row) * q_.stride(1) + head_of(task, row) * q_.stride(2);
      float* to = scratch.queries.data() + row * width_;
      for_each_pair(head_width_,
                    [&](std::int64_t i, std::int64_t count) { store_pair(to + i, load_pair(from + i, count)); });
    }
    first = std::max(first, attention_.visible(task.first_query, queries_, keys_).first);
    last = std::min(last, attention_.visible(task.first_query + task.queries - 1, queries_, keys_).second);
    for (std::int64_t key = first; key < last; key += kKeys) {
      block(task, key, std::min(kKeys, last - key), scratch, state);
    }
  }

  void block(const Task& task, std::int64_t first, std::int64_t keys, Scratch& scratch, RunningSoftmax& state) const {
    const std::int64_t rows = task.queries * group_, padded = at::divup(keys, kPair) * kPair;
    const T* k = static_cast<const T*>(k_.const_data_ptr()) + task.batch * k_.stride(0) + first * k_.stride(1) +
                 task.kv_head * k_.stride(2);
    const T* v = static_cast<const T*>(v_.const_data_ptr()) + task.batch * v_.stride(0) + first * v_.stride(1) +
                 task.kv_head * v_.stride(2);
    in_tiles(rows, [&](auto tile, std::int64_t row) { score<decltype(tile)::value>(k, keys, row, scratch); });
    for (std::int64_t row = 0; row < rows; ++row) {
      float* scores = scratch.scores.data() + row * kKeys;
      adjust(task, row, first, keys, scores);
      std::fill(scores + keys, scores + padded, kNothing);
      state.weigh(row, scores, padded);
    }
    in_tiles(rows,
             [&](auto tile, std::int64_t row) { add_values<decltype(tile)::value>(v, keys, row, scratch, state); });
  }

  /// Calls body(tile height as a type, first row) over all rows.
  template <class Body>
  static void in_tiles(std::int64_t rows, const Body& body) {
    std::int64_t row = 0;
    for (; row + kTile <= rows; row += kTile) {
      body(std::integral_constant<int, kTile>(), row);
    }
    with_count<kTile - 1>(rows - row, [&](auto rest) { body(rest, row); });
  }

  template <int M>
  void score(const T* k, std::int64_t keys, std::int64_t row, Scratch& scratch) const {
    const float* q = scratch.queries.data() + row * width_;
    float* scores = scratch.scores.data() + row * kKeys;
    std::int64_t key = 0;
    for (; key + kTile <= keys; key += kTile) {
      score_tile<M, kTile>(q, k + key * k_.stride(1), scores + key);
    }
    for (; key < keys; ++key) {
      score_tile<M, 1>(q, k + key * k_.stride(1), scores + key);
    }
  }

  template <int M, int R>
  void score_tile(const float* q, const T* k, float* scores) const {
    float sums[M][R];
    dot_tile<M, R>(q, width_, k, k_.stride(1), head_width_, sums);
    for (int m = 0; m < M; ++m) {
      for (int r = 0; r < R; ++r) {
        scores[m * kKeys + r] = sums[m][r] * static_cast<float>(attention_.scale);
      }
    }
  }

  /// Softcap, mask and window, in this order.
  void adjust(const Task& task, std::int64_t row, std::int64_t first, std::int64_t keys, float* scores) const {
    if (attention_.softcap != 0) {
      const float cap = static_cast<float>(attention_.softcap);
      for (std::int64_t i = 0; i < keys; ++i) {
        scores[i] = cap * std::tanh(scores[i] / cap);
      }
    }
    if (mask_) {
      mask_.add_to(scores, task.batch, head_of(task, row), query_of(task, row), first, keys);
    }
    if (attention_.windowed()) {
      const auto [from, to] = attention_.visible(query_of(task, row), queries_, keys_);
      const std::int64_t open = std::clamp<std::int64_t>(from - first, 0, keys);
      const std::int64_t close = std::clamp<std::int64_t>(to - first, 0, keys);
      std::fill(scores, scores + open, kNothing);
      std::fill(scores + close, scores + keys, kNothing);
    }
  }

  template <int M>
  void add_values(const T* v, std::int64_t keys, std::int64_t row, Scratch& scratch, RunningSoftmax& state) const {
    const float* weights = scratch.scores.data() + row * kKeys;
    std::int64_t column = 0;
    for (; column + 2 * kPair <= head_width_; column += 2 * kPair) {
      add_weighted<T, M, 2>(weights, kKeys, v + column, v_.stride(1), keys, state.sums(row) + column, width_, kPair);
    }
    for (; column < head_width_; column += kPair) {
      add_weighted<T, M, 1>(weights, kKeys, v + column, v_.stride(1), keys, state.sums(row) + column, width_,
                            std::min(kPair, head_width_ - column));
    }
  }

  void write(const Task& task, RunningSoftmax& state) const {
    T* out = out_.template data<T>() + task.batch * queries_ * heads_ * head_width_;
    for (std::int64_t row = 0; row < task.queries * group_; ++row) {
      const std::int64_t head = head_of(task, row);
      if (sinks_ != nullptr) {
        state.add_sink(row,
                       static_cast<float>(static_cast<const T*>(sinks_->const_data_ptr())[head * sinks_->stride(0)]));
      }
      state.write(row, out + (query_of(task, row) * heads_ + head) * head_width_, head_width_);
    }
  }

  const Attention& attention_;
  const at::Tensor &q_, &k_, &v_;
  const at::Tensor* sinks_ = nullptr;
  MaskView mask_;
  OutputBuffer out_;
  std::int64_t batch_, queries_, heads_, head_width_, keys_, kv_heads_;
  std::int64_t group_ = 1, chunk_ = 1, chunks_ = 1, parts_ = 1;
  std::int64_t width_ = 0;  // of a head, in whole pairs
};

Refusal refusal(const CallSpec& spec) {
  if (Refusal extras = extras_refusal(spec)) {
    return extras;
  }
  const c10::ScalarType dtype = spec.input("q").dtype;
  for (const char* name : {"q", "k", "v"}) {
    const TensorFacts& facts = spec.input(name);
    if (facts.dtype != dtype) {
      return c10::str(name, " is ", dtype_name(facts.dtype), " and q ", dtype_name(dtype),
                      "; this kernel takes one dtype");
    }
    if (!facts.contiguous && facts.sizes[3] > 1 && facts.strides[3] != 1) {
      return c10::str(name, " has stride ", facts.strides[3], " along its last dim; this kernel needs 1");
    }
  }
  if (spec.output("o").dtype != dtype) {
    return c10::str("out_dtype is ", dtype_name(spec.output("o").dtype), "; this kernel writes q's ",
                    dtype_name(dtype));
  }
  if (spec.present("sinks") && spec.input("sinks").dtype != dtype) {
    return c10::str("sinks are ", dtype_name(spec.input("sinks").dtype), "; this kernel takes q's ", dtype_name(dtype));
  }
  if (spec.present("mask") && spec.input("mask").dtype == c10::ScalarType::Double) {
    return "mask is float64; this kernel adds up to float32";
  }
  return std::nullopt;
}

}  // namespace

std::vector<Implementation> gqa_dense_vec() {
  watch_forks();
  return {{
      .op = "GQADenseFwdOp",
      .key = "vec",
      .dtypes = float_dtypes(),
      .preferred_over = {"aten", "sdpa"},
      .refusal = refusal,
      .entry_for =
          [](const CallSpec& spec) {
            const Attention attention = Attention::of(spec);
            const c10::ScalarType dtype = spec.input("q").dtype;
            return Entry{Sequence{attention.identity(), dtype}, [=] {
                           return with_float_type(dtype, [&](auto type) {
                             return make_kernel([=](KernelCall& call) { Run<decltype(type)>(call, attention).run(); });
                           });
                         }};
          },
      .expected_us = 5,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
