#include "io/case/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <thread>
#include <vector>

#include "kernels/device/error.hpp"

namespace halyard {
namespace {

std::string error_of(const std::string& formula) {
  try {
    Expression(formula, "case.toml:3:5: initial.u");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Expression, ComputesWhatIsWritten) {
  const double pi = std::numbers::pi, x = 0.3, y = 0.7, z = -0.1;
  // The same libm calls in the same order: equal bits, no tolerance.
  EXPECT_EQ(Expression("sin(2*pi*x)")(x, y, z), std::sin(2 * pi * x));
  EXPECT_EQ(Expression("sin(2*_pi*x)")(x, y, z), std::sin(2 * pi * x));
  EXPECT_EQ(Expression("cos(x)*sin(y) - z")(x, y, z), std::cos(x) * std::sin(y) - z);
  EXPECT_EQ(Expression("x > 0.5 ? y : z")(x, y, z), z);
  EXPECT_EQ(Expression("x >= 0.3 && y != 0")(x, y, z), 1.0);
  EXPECT_EQ(Expression("-x^2")(x, y, z), -(x * x));
  EXPECT_EQ(Expression("log(x)")(x, y, z), std::log(x));
  EXPECT_EQ(Expression("1e-3*x")(x, y, z), 1e-3 * x);
}

TEST(Expression, ConstantsHaveAllTheirDigits) {
  // muParser's own _pi is 3.141592653589.
  EXPECT_EQ(Expression("pi")(0, 0, 0), std::numbers::pi);
  EXPECT_EQ(Expression("_pi")(0, 0, 0), std::numbers::pi);
  EXPECT_EQ(Expression("e")(0, 0, 0), std::numbers::e);
  EXPECT_EQ(Expression("_e")(0, 0, 0), std::numbers::e);
}

TEST(Expression, KnowsWhetherItIsConstant) {
  EXPECT_TRUE(Expression().is_constant());
  EXPECT_EQ(Expression()(1, 2, 3), 0.0);
  EXPECT_TRUE(Expression("2*pi").is_constant());
  EXPECT_FALSE(Expression("0*y").is_constant());
}

TEST(Expression, RowHasTheBitsOfPoints) {
  const Expression f("exp(-x)*sin(17*x + y) / (1 + z*z)");
  for (const std::size_t n : {1u, 7u, 8u, 64u, 97u}) {
    std::vector<double> x(n), row(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = 0.01 * static_cast<double>(i) - 0.2;
    f.evaluate_row(x.data(), 0.4, 0.9, row.data(), static_cast<std::int64_t>(n));
    for (std::size_t i = 0; i < n; ++i) {
      const double point = f(x[i], 0.4, 0.9);
      EXPECT_EQ(std::memcmp(&row[i], &point, sizeof point), 0) << i << " of " << n;
      // One rounding each of exp, sin, product, sum, quotient: a few units in the last place of a value below 1.3.
      EXPECT_NEAR(point, std::exp(-x[i]) * std::sin(17 * x[i] + 0.4) / (1 + 0.9 * 0.9), 1e-15);
    }
  }
}

TEST(Expression, CopiesServeManyThreadsAtOnce) {
  const Expression f("sin(x)*cos(y) + z");
  constexpr int kThreads = 4, kPoints = 20000;
  std::vector<int> wrong(kThreads, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      const Expression copy = f;
      for (int i = 0; i < kPoints; ++i) {
        const double x = 1e-4 * i, y = t, z = 0.5 * t;
        if (copy(x, y, z) != std::sin(x) * std::cos(y) + z) ++wrong[static_cast<std::size_t>(t)];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(kThreads, 0));
}

TEST(Expression, ErrorsNameThePlaceAndTheToken) {
  const std::string place = "case.toml:3:5: initial.u: ";
  const std::string known =
      "; known are x, y, z, pi, e and abs, acos, acosh, asin, asinh, atan, atan2, atanh, avg, cos, cosh, exp, ln, log, "
      "log10, log2, max, min, rint, sign, sin, sinh, sqrt, sum, tan, tanh.";
  EXPECT_EQ(error_of("2*q"),
            place + "\"2*q\" is not a formula: \"q\" is not known (character 3 of the formula)" + known);
  EXPECT_EQ(
      error_of("sine(x)"),
      place + "\"sine(x)\" is not a formula: \"sine\" is not known (character 1 of the formula); did you mean sin?");
  EXPECT_EQ(error_of("sin(x"), place + "\"sin(x\" is not a formula: a closing parenthesis is missing.");
  EXPECT_EQ(error_of("sin()"),
            place + "\"sin()\" is not a formula: sin has too few arguments (character 5 of the formula).");
  EXPECT_EQ(error_of("sin(1,2)"),
            place + "\"sin(1,2)\" is not a formula: sin has too many arguments (character 8 of the formula).");
  EXPECT_EQ(
      error_of("2x"),
      place + "\"2x\" is not a formula: unexpected \"x\" (character 2 of the formula), where an operator is missing.");
  EXPECT_EQ(error_of(""), place + "\"\" is not a formula: it is empty.");
  EXPECT_EQ(error_of("x +"), place + "\"x +\" is not a formula: it ends too early.");
  EXPECT_EQ(error_of("1,2"),
            place + "\"1,2\" is not a formula: it has 2 values separated by commas, but must have one.");
  EXPECT_EQ(error_of("x = 3"),
            place + "\"x = 3\" is not a formula: unexpected \"=\" (character 3 of the formula); to compare write ==.");
  EXPECT_EQ(error_of("x\u22121"), place +
                                      "\"x\u22121\" is not a formula: it has the character U+2212 (character 2 of the "
                                      "formula) for a minus sign; write '-'.");
  EXPECT_EQ(error_of("5%2"), place + "\"5%2\" is not a formula: unexpected \"%2\" (character 2 of the formula).");
  EXPECT_EQ(error_of("x<1 ? 1"), place + "\"x<1 ? 1\" is not a formula: '?' has no ':' part.");
  EXPECT_EQ(error_of("x**2"), place + "\"x**2\" is not a formula: unexpected \"*\" (character 3 of the formula).");
  EXPECT_NE(error_of("\"a\""), "");
}

TEST(Expression, ValuesThatAreNotFiniteNameThePoint) {
  const Expression f("1/x", "case.toml:3:5: initial.u");
  try {
    f(0, 0.25, 4);
    FAIL() << "1/0 went through";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "case.toml:3:5: initial.u: \"1/x\" is infinite at x = 0, y = 0.25, z = 4; it must be finite "
                 "everywhere in the domain.");
  }
  EXPECT_THROW(Expression("sqrt(x)")(-1, 0, 0), Error);
  EXPECT_EQ(f(0.5, 0, 0), 2.0);  // an error leaves nothing behind
  // A row goes on: whose values these are knows better what to say.
  const double x[] = {1.0, 0.0, 2.0};
  double values[3];
  f.evaluate_row(x, 0, 0, values, 3);
  EXPECT_EQ(values[0], 1.0);
  EXPECT_EQ(values[1], std::numeric_limits<double>::infinity());
  EXPECT_EQ(values[2], 0.5);
  Expression("sqrt(x - 1.5)").evaluate_row(x, 0, 0, values, 3);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_GT(values[2], 0.7);
}

}  // namespace
}  // namespace halyard
