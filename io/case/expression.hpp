#pragma once
#include <cstdint>
#include <memory>
#include <string>

namespace halyard {

/// A formula of the position, as written in a case file: "sin(2*pi*x) * cos(2*pi*y)".
///
/// Variables: x, y, z. Constants: pi, e (also _pi, _e). Operators: + - * / ^, comparisons, && ||, a ? b : c.
/// Functions: sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp ln log (= ln) log2 log10 sqrt sign
/// rint abs min max sum avg. Parsed and evaluated by muParser, one point at a time, so that a point's value has the
/// same bits whatever rank, thread or batch computes it.
///
/// Copies share the parsed formula. All members may be called by several threads at once.
class Expression {
 public:
  /// The constant 0.
  Expression();
  /// Throws Error naming `where` (a position in the case file, may be empty), the formula and the offending token.
  explicit Expression(std::string text, std::string where = {});
  /// For default values in schemas: `.default_value("0")`.
  Expression(const char* text) : Expression(std::string(text)) {}  // NOLINT: implicit on purpose

  /// The value at a point [same unit as the case's lengths]. Throws Error when it is not finite.
  double operator()(double x, double y, double z) const;

  /// values[i] = f(x[i], y, z) for 0 <= i < count; the bits of operator(). One call holds one parser: call it by rows.
  /// Values that are not finite are left to the caller to find and to tell.
  void evaluate_row(const double* x, double y, double z, double* values, std::int64_t count) const;

  /// True when the formula is a number (or an expression of numbers) alone: it names none of x, y, z.
  bool is_constant() const;
  const std::string& text() const;

  bool operator==(const Expression& other) const { return text() == other.text(); }

 private:
  struct Formula;
  std::shared_ptr<const Formula> formula_;
};

}  // namespace halyard
