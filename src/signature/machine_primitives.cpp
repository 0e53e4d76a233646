// The primitives of the expression language.
#include <opyard/value.h>

#include <cmath>

#include "signature/integers.h"
#include "signature/machine.h"
#include "signature/representable.h"

namespace opyard {

template <class Int>
Val<Int> Machine<Int>::call(const CodeNode& node) {
  switch (node.primitive) {
    case Primitive::kBroadcast:
      return broadcast(node);
    case Primitive::kReduced:
      return reduced(node);
    case Primitive::kValidAxes:
    case Primitive::kUniqueAxes:
      return call_axes(node);
    case Primitive::kPerAxis:
      return per_axis(node);
    case Primitive::kLen:
    case Primitive::kProd:
    case Primitive::kSum:
    case Primitive::kMax:
    case Primitive::kMin:
    case Primitive::kAll:
      return fold_items(node);
    case Primitive::kPromoteIntToFloat:
    case Primitive::kCoalesceDtype:
    case Primitive::kCategory:
    case Primitive::kRepresentable:
      return call_dtype(node);
    case Primitive::kBalancedSizes:
    case Primitive::kRepeat:
      return call_sequence(node);
    default:
      return call_scalar(node);
  }
}

template <class Int>
Val<Int> Machine<Int>::broadcast(const CodeNode& node) {
  c10::SmallVector<V, 4> shapes;
  std::int32_t rank = 0;
  for (int i = 0; i < node.kid_count; ++i) {
    shapes.push_back(operand(node, i));
    if (shapes.back().kind != ValKind::kSequence) {
      throw EvaluationFailure("broadcast takes shapes");
    }
    rank = std::max(rank, shapes.back().length);
  }
  c10::SmallVector<V, 6> axes(rank, V::of_int(Int(1)));
  for (const V& shape : shapes) {
    for (std::int32_t i = 0; i < shape.length; ++i) {
      V& axis = axes[rank - shape.length + i];
      const V& size = item(shape, i);
      if (decided(equal(axis, size)) || decided(int_equal(size.integer, Int(1)))) {
        continue;
      }
      if (!decided(int_equal(axis.integer, Int(1)))) {
        throw EvaluationFailure("sizes " + int_text(axis.integer) + " and " + int_text(size.integer) +
                                " do not broadcast");
      }
      axis = size;
    }
  }
  const std::size_t first = pool.size();
  pool.append(axes.begin(), axes.end());
  return V::of_sequence(first, axes.size());
}

template <class Int>
c10::SmallVector<std::int64_t, 8> Machine<Int>::axes_of(const V& value, std::int64_t rank) const {
  c10::SmallVector<std::int64_t, 8> axes;
  const auto add_axis = [&](const V& axis) {
    const std::int64_t given = plain(axis, "an axis");
    const std::int64_t limit = std::max<std::int64_t>(rank, 1);
    if (given < -limit || given >= limit) {
      throw EvaluationFailure("axis " + std::to_string(given) + " is out of range for rank " + std::to_string(rank));
    }
    axes.push_back(given < 0 ? given + limit : given);
  };
  if (value.kind == ValKind::kSequence) {
    for (std::int32_t i = 0; i < value.length; ++i) {
      add_axis(item(value, i));
    }
  } else {
    add_axis(value);
  }
  return axes;
}

template <class Int>
Val<Int> Machine<Int>::reduced(const CodeNode& node) {
  const V shape = operand(node, 0);
  const V dims = operand(node, 1);
  const bool keep = decide(operand(node, 2));
  const V mode = operand(node, 3);
  const bool empty = dims.kind == ValKind::kSequence && dims.length == 0;
  if (empty && mode.id == strings_.find("reject")) {
    throw EvaluationFailure("no axis is given");
  }
  const bool all = dims.kind == ValKind::kNone || (empty && mode.id == strings_.find("full"));
  const auto axes = all || empty ? c10::SmallVector<std::int64_t, 8>() : axes_of(dims, shape.length);
  c10::SmallVector<V, 6> kept;
  for (std::int32_t i = 0; i < shape.length; ++i) {
    if (!all && std::find(axes.begin(), axes.end(), i) == axes.end()) {
      kept.push_back(item(shape, i));
    } else if (keep) {
      kept.push_back(V::of_int(Int(1)));
    }
  }
  const std::size_t first = pool.size();
  pool.append(kept.begin(), kept.end());
  return V::of_sequence(first, kept.size());
}

template <class Int>
Val<Int> Machine<Int>::call_axes(const CodeNode& node) {
  const V dims = operand(node, 0);
  const std::int64_t rank = plain(operand(node, 1), "a rank");
  if (dims.kind == ValKind::kNone || (node.primitive == Primitive::kUniqueAxes && dims.kind == ValKind::kInt)) {
    return V::of_bool(true);
  }
  if (node.primitive == Primitive::kUniqueAxes) {
    auto axes = axes_of(dims, rank);
    std::sort(axes.begin(), axes.end());
    return V::of_bool(std::adjacent_find(axes.begin(), axes.end()) == axes.end());
  }
  const std::int64_t limit = std::max<std::int64_t>(rank, 1);
  const std::int32_t count = dims.kind == ValKind::kSequence ? dims.length : 1;
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int64_t axis = plain(dims.kind == ValKind::kSequence ? item(dims, i) : dims, "an axis");
    if (axis < -limit || axis >= limit) {
      return V::of_bool(false);
    }
  }
  return V::of_bool(true);
}

template <class Int>
Val<Int> Machine<Int>::per_axis(const CodeNode& node) {
  const V value = operand(node, 0);
  const std::int64_t i = plain(operand(node, 1), "an axis");
  const std::int64_t count = plain(operand(node, 2), "a number of axes");
  V chosen = value;
  if (value.kind == ValKind::kSequence) {
    if (value.length != count || i < 0 || i >= count) {
      throw EvaluationFailure(std::to_string(value.length) + " items where " + std::to_string(count) +
                              " axes need one each");
    }
    chosen = item(value, i);
  }
  if (chosen.kind == ValKind::kNone && node.kid_count > 3) {
    chosen = operand(node, 3);
  }
  if (chosen.kind != ValKind::kInt) {
    throw EvaluationFailure("an axis has no value");
  }
  return chosen;
}

template <class Int>
Val<Int> Machine<Int>::fold_items(const CodeNode& node) {
  const V sequence = operand(node, 0);
  if (sequence.kind != ValKind::kSequence) {
    throw EvaluationFailure("a sequence is needed");
  }
  if (node.primitive == Primitive::kLen) {
    return V::of_int(Int(static_cast<std::int64_t>(sequence.length)));
  }
  if (node.primitive == Primitive::kAll) {
    Bool every = true;
    for (std::int32_t i = 0; i < sequence.length && known(every) != false; ++i) {
      every = both(every, item(sequence, i).boolean);
    }
    return V::of_bool(every);
  }
  const bool extreme = node.primitive == Primitive::kMax || node.primitive == Primitive::kMin;
  if (extreme && sequence.length == 0) {
    const V fallback = node.kid_count > 1 ? operand(node, 1) : V{};
    if (fallback.kind == ValKind::kNone) {
      throw EvaluationFailure("the sequence is empty");
    }
    return fallback;
  }
  Int result = extreme ? item(sequence, 0).integer : Int(node.primitive == Primitive::kProd ? 1 : 0);
  for (std::int32_t i = extreme ? 1 : 0; i < sequence.length; ++i) {
    const V& value = item(sequence, i);
    if (value.kind != ValKind::kInt) {
      throw EvaluationFailure("an item is no integer");
    }
    if (node.primitive == Primitive::kProd) {
      result = multiply(result, value.integer);
    } else if (node.primitive == Primitive::kSum) {
      result = add(result, value.integer);
    } else if (decided(node.primitive == Primitive::kMax ? int_less(result, value.integer)
                                                         : int_less(value.integer, result))) {
      result = value.integer;
    }
  }
  return V::of_int(result);
}

template <class Int>
Val<Int> Machine<Int>::pool_out(const CodeNode& node) {
  const Int n = integer(node, 0, "a size");
  const Int window = integer(node, 1, "a window");
  const Int step = integer(node, 2, "a stride");
  const Int pad = integer(node, 3, "a padding");
  const Int dilation = integer(node, 4, "a dilation");
  const bool is_pool = node.primitive == Primitive::kPoolOut;
  const bool round_up = is_pool && decide(operand(node, 5));
  Int reach = subtract(add(n, multiply(Int(2), pad)), add(multiply(dilation, subtract(window, Int(1))), Int(1)));
  if (round_up) {
    reach = add(reach, subtract(step, Int(1)));
  }
  Int out = add(floor_divide(reach, step), Int(1));
  if (round_up && decided(int_less_equal(add(n, pad), multiply(subtract(out, Int(1)), step)))) {
    out = subtract(out, Int(1));
  }
  if (is_pool && decided(int_less(out, Int(0)))) {
    out = Int(0);
  }
  return V::of_int(out);
}

template <class Int>
Val<Int> Machine<Int>::call_scalar(const CodeNode& node) {
  if (node.primitive == Primitive::kCeilDiv) {
    const Int a = integer(node, 0, "a size");
    const Int b = integer(node, 1, "a divisor");
    if (decided(int_less_equal(b, Int(0)))) {
      throw EvaluationFailure("ceil_div by " + int_text(b));
    }
    return V::of_int(floor_divide(add(a, subtract(b, Int(1))), b));
  }
  if (node.primitive == Primitive::kMhcExpansion) {
    const std::int64_t q = plain(operand(node, 0), "a size");
    std::int64_t n = 1;
    while (n < 3037000498 && n * n + 2 * n < q) {
      ++n;
    }
    if (n * n + 2 * n != q) {
      throw EvaluationFailure("no n > 0 has n * n + 2 * n == " + std::to_string(q));
    }
    return V::of_int(Int(n));
  }
  return pool_out(node);
}

template <class Int>
Val<Int> Machine<Int>::call_dtype(const CodeNode& node) {
  const auto dtype_of = [&](const V& value) {
    const auto dtype = value.kind == ValKind::kString && value.id >= 0 ? strings_.dtype(value.id)
                       : value.kind == ValKind::kDtype                 ? value.dtype()
                                                                       : c10::ScalarType::Undefined;
    return dtype;
  };
  const V first = operand(node, 0);
  switch (node.primitive) {
    case Primitive::kPromoteIntToFloat: {
      const c10::ScalarType dtype = dtype_of(first);
      return V::of_dtype(c10::isIntegralType(dtype, false) ? c10::ScalarType::Float : dtype);
    }
    case Primitive::kCoalesceDtype:
      return V::of_dtype(dtype_of(first.kind == ValKind::kNone ? operand(node, 1) : first));
    case Primitive::kCategory: {
      const char* name = first.kind == ValKind::kBool    ? "bool"
                         : first.kind == ValKind::kInt   ? "int"
                         : first.kind == ValKind::kFloat ? "float"
                                                         : dtype_category(dtype_of(first));
      return V::of_string(strings_.find(name));
    }
    default: {
      const c10::ScalarType dtype = dtype_of(operand(node, 1));
      if (first.kind == ValKind::kInt) {
        return V::of_bool(representable_integer(plain(first, "a number"), dtype));
      }
      return V::of_bool(first.kind == ValKind::kBool || representable_number(first.number, dtype));
    }
  }
}

template <class Int>
Val<Int> Machine<Int>::call_sequence(const CodeNode& node) {
  const Int value = integer(node, 0, "a value");
  const std::int64_t count = plain(operand(node, 1), "a count");
  const bool balanced = node.primitive == Primitive::kBalancedSizes;
  if (count < (balanced ? 1 : 0) || count > 100000 || (balanced && decided(int_less(value, Int(0))))) {
    throw EvaluationFailure("a sequence of " + std::to_string(count) + " items over " + int_text(value));
  }
  const std::size_t first = pool.size();
  for (std::int64_t i = 0; i < count; ++i) {
    if (!balanced) {
      pool.push_back(V::of_int(value));
      continue;
    }
    const bool larger = decided(int_less(Int(i), modulo(value, Int(count))));
    pool.push_back(V::of_int(add(floor_divide(value, Int(count)), Int(larger ? 1 : 0))));
  }
  return V::of_sequence(first, count);
}

template class Machine<std::int64_t>;
template class Machine<c10::SymInt>;

}  // namespace opyard
