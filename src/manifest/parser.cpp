#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <optional>

#include "manifest/expression.h"
#include "manifest/token_reader.h"

namespace opyard {
namespace {

using Op = Expression::Op;
using Comparison = Expression::Comparison;

constexpr int kMaxDepth = 100;
constexpr int kMostNodes = 1000;

Expression make(Op op, int offset, std::vector<Expression> kids = {}) {
  Expression expression;
  expression.op = op;
  expression.offset = offset;
  expression.kids = std::move(kids);
  return expression;
}

/// Recursive descent, one method for each rule of the grammar in MANIFEST.md.
class Parser : private TokenReader {
 public:
  using TokenReader::TokenReader;

  Expression whole_expression() {
    Expression result = expression();
    expect_end();
    return result;
  }

  Expression whole_shape() {
    Expression result;
    if (peek().kind == Token::Kind::kName) {
      result = node(Op::kFamily, peek().offset);
      result.text = next().text;
    } else {
      result = node(Op::kShape, peek().offset);
    }
    const bool family = result.is(Op::kFamily);
    expect("[");
    while (!accept("]")) {
      const int offset = peek().offset;
      if (!family && accept("*")) {
        result.kids.push_back(node(Op::kStar, offset, {expression()}));
      } else {
        result.kids.push_back(expression());
      }
      if (!accept(",")) {
        expect("]");
        break;
      }
    }
    expect_end();
    return result;
  }

 private:
  /// Counts: neither chains nor nesting make an expression that others could not walk.
  Expression node(Op op, int offset, std::vector<Expression> kids = {}) {
    if (++nodes_ > kMostNodes) {
      fail("an expression of more than " + std::to_string(kMostNodes) + " parts");
    }
    return make(op, offset, std::move(kids));
  }

  /// One level of nesting, while it lives.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxDepth) {
        parser_.fail("nested too deeply");
      }
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  Expression expression() {
    const Level level(*this);
    const int offset = peek().offset;
    Expression result = disjunction();
    if (accept_word("if")) {
      Expression test = disjunction();
      if (!accept_word("else")) {
        fail("a conditional without its other arm", "'else'");
      }
      Expression otherwise = expression();
      result = node(Op::kConditional, offset, {std::move(test), std::move(result), std::move(otherwise)});
    }
    return result;
  }

  struct Binary {
    const char* token;
    Op op;
  };

  /// `operand (token operand)*`, grouped from the left.
  Expression chain(std::initializer_list<Binary> operators, Expression (Parser::*operand)()) {
    Expression left = (this->*operand)();
    for (int length = 1;; ++length) {
      const auto found = std::find_if(operators.begin(), operators.end(), [&](const Binary& candidate) {
        return peek().kind != Token::Kind::kString && peek().text == candidate.token;
      });
      if (found == operators.end()) {
        return left;
      }
      if (length > kMaxDepth) {
        fail("a chain of too many operators");
      }
      const int offset = next().offset;
      Expression right = (this->*operand)();
      left = node(found->op, offset, {std::move(left), std::move(right)});
    }
  }

  Expression disjunction() { return chain({{"or", Op::kOr}}, &Parser::conjunction); }
  Expression conjunction() { return chain({{"and", Op::kAnd}}, &Parser::negation); }
  Expression sum() { return chain({{"+", Op::kAdd}, {"-", Op::kSubtract}}, &Parser::product); }
  Expression product() {
    return chain({{"*", Op::kMultiply}, {"//", Op::kFloorDivide}, {"%", Op::kModulo}}, &Parser::minus);
  }

  Expression negation() {
    if (!peek().word("not")) {
      return comparison();
    }
    const Level level(*this);
    const int offset = next().offset;
    Expression operand = negation();
    return node(Op::kNot, offset, {std::move(operand)});
  }

  std::optional<Comparison> comparison_operator() {
    static constexpr std::pair<const char*, Comparison> kOperators[] = {
        {"==", Comparison::kEqual},     {"!=", Comparison::kNotEqual}, {"<", Comparison::kLess},
        {"<=", Comparison::kLessEqual}, {">", Comparison::kGreater},   {">=", Comparison::kGreaterEqual},
    };
    for (const auto& [symbol, comparison] : kOperators) {
      if (accept(symbol)) {
        return comparison;
      }
    }
    if (accept_word("in")) {
      return Comparison::kIn;
    }
    if (peek().word("not") && peek_second().word("in")) {
      next();
      next();
      return Comparison::kNotIn;
    }
    return std::nullopt;
  }

  Expression comparison() {
    Expression first = sum();
    Expression chain = node(Op::kCompare, first.offset);
    while (true) {
      const std::optional<Comparison> comparison = comparison_operator();
      if (!comparison) {
        break;
      }
      chain.comparisons.push_back(*comparison);
      chain.kids.push_back(sum());
    }
    if (chain.kids.empty()) {
      return first;
    }
    chain.kids.insert(chain.kids.begin(), std::move(first));
    return chain;
  }

  Expression minus() {
    if (!peek().symbol("-")) {
      return postfix();
    }
    const Level level(*this);
    const int offset = next().offset;
    Expression operand = minus();
    return node(Op::kNegate, offset, {std::move(operand)});
  }

  Expression postfix() {
    Expression result = atom();
    for (int length = 0;; ++length) {
      if (length > kMaxDepth) {
        fail("nested too deeply");
      }
      const int offset = peek().offset;
      if (accept(".")) {
        if (peek().kind != Token::Kind::kName) {
          fail("not an expression of the manifest language", "a name after '.'");
        }
        Expression attribute = node(Op::kAttribute, offset, {std::move(result)});
        attribute.text = next().text;
        result = std::move(attribute);
      } else if (accept("[")) {
        result = subscript(std::move(result), offset);
      } else if (accept("(")) {
        result = call(result, offset);
      } else {
        return result;
      }
    }
  }

  Expression subscript(Expression sequence, int offset) {
    Expression parts[3];
    int count = 0;
    bool colon = false;
    while (!peek().symbol("]") && count < 3) {
      if (!peek().symbol(":")) {
        parts[count] = expression();
      }
      if (!accept(":")) {
        break;
      }
      colon = true;
      ++count;
    }
    expect("]");
    if (!colon) {
      if (parts[0].is(Op::kNone)) {
        fail("an index is missing", "an index or a slice");
      }
      return node(Op::kIndex, offset, {std::move(sequence), std::move(parts[0])});
    }
    return node(Op::kSlice, offset,
                {std::move(sequence), std::move(parts[0]), std::move(parts[1]), std::move(parts[2])});
  }

  Expression call(const Expression& callee, int offset) {
    Expression result = node(Op::kCall, callee.offset);
    if (callee.is(Op::kName)) {
      result.text = callee.text;
    } else if (callee.is(Op::kAttribute) && callee.kids[0].is(Op::kName)) {
      result.text = callee.kids[0].text + "." + callee.text;
    } else {
      fail("only a primitive can be called", "NAME(…) or NAME.NAME(…)");
    }
    while (!accept(")")) {
      argument(result);
      if (!accept(",")) {
        expect(")");
        break;
      }
    }
    return result;
  }

  void argument(Expression& call) {
    const int offset = peek().offset;
    if (peek().kind == Token::Kind::kName && peek_second().symbol("=")) {
      call.keywords.push_back(next().text);
      expect("=");
      call.kids.push_back(expression());
      return;
    }
    if (!call.keywords.empty()) {
      fail("a positional argument after a named one");
    }
    Expression value = expression();
    if (accept_word("for")) {
      if (!call.kids.empty() || peek().kind != Token::Kind::kName) {
        fail("a comprehension is only the first argument, with one name");
      }
      Expression comprehension = node(Op::kComprehension, offset, {std::move(value)});
      comprehension.text = next().text;
      if (!accept_word("in")) {
        fail("a comprehension without its source", "'in'");
      }
      comprehension.kids.push_back(disjunction());
      value = std::move(comprehension);
    }
    call.kids.push_back(std::move(value));
  }

  Expression atom() {
    const Token token = peek();
    if (token.kind == Token::Kind::kEnd || (token.kind == Token::Kind::kSymbol && !token.symbol("("))) {
      fail("not an expression of the manifest language", "a name, a literal or '('");
    }
    next();
    Expression result = node(Op::kNone, token.offset);
    switch (token.kind) {
      case Token::Kind::kInt:
        result.op = Op::kInt;
        errno = 0;
        result.integer = std::strtoll(token.text.c_str(), nullptr, 10);
        if (errno == ERANGE || (token.text.size() > 1 && token.text[0] == '0')) {
          fail("not a 64-bit decimal integer: " + token.text);
        }
        return result;
      case Token::Kind::kFloat:
        result.op = Op::kFloat;
        result.number = std::strtod(token.text.c_str(), nullptr);
        if (result.number == std::numeric_limits<double>::infinity()) {
          fail("not a finite number: " + token.text);
        }
        return result;
      case Token::Kind::kString:
        result.op = Op::kString;
        result.text = token.text;
        return result;
      case Token::Kind::kName:
        return name(token);
      default:
        return parenthesis(token.offset);
    }
  }

  Expression name(const Token& token) {
    static constexpr const char* kKeywords[] = {"if", "else", "and", "or", "not", "in", "for", "is", "lambda"};
    for (const char* keyword : kKeywords) {
      if (token.text == keyword) {
        fail("'" + token.text + "' cannot stand here");
      }
    }
    Expression result = node(Op::kName, token.offset);
    result.text = token.text;
    if (token.text == "True" || token.text == "False") {
      result.op = Op::kBool;
      result.integer = token.text == "True" ? 1 : 0;
    } else if (token.text == "None") {
      result.op = Op::kNone;
    } else if (token.text == "inf") {
      result.op = Op::kFloat;
      result.number = std::numeric_limits<double>::infinity();
    }
    return result;
  }

  Expression parenthesis(int offset) {
    Expression tuple = node(Op::kTuple, offset);
    if (accept(")")) {
      return tuple;
    }
    Expression first = expression();
    if (accept(")")) {
      return first;
    }
    tuple.kids.push_back(std::move(first));
    while (!accept(")")) {
      expect(",");
      if (accept(")")) {
        break;
      }
      tuple.kids.push_back(expression());
    }
    return tuple;
  }

  int depth_ = 0;
  int nodes_ = 0;
};

}  // namespace

Expression parse_expression(const Text& source, const Place& place) { return Parser(source, place).whole_expression(); }

Expression parse_shape(const Text& source, const Place& place) { return Parser(source, place).whole_shape(); }

}  // namespace opyard
