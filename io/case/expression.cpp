#include "io/case/expression.hpp"

#include <muParser.h>

#include <cctype>
#include <cmath>
#include <mutex>
#include <numbers>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "io/case/nearest.hpp"
#include "kernels/device/error.hpp"

namespace halyard {
namespace {

// muParser holds the variables' addresses and its own scratch: one parser serves one thread at a time.
struct Parser {
  mu::Parser parser;
  double x = 0, y = 0, z = 0;

  explicit Parser(const std::string& text) {
    parser.DefineVar("x", &x);
    parser.DefineVar("y", &y);
    parser.DefineVar("z", &z);
    // muParser's own _pi has 13 digits only.
    parser.ClearConst();
    for (const char* name : {"pi", "_pi"}) parser.DefineConst(name, std::numbers::pi);
    for (const char* name : {"e", "_e"}) parser.DefineConst(name, std::numbers::e);
    parser.SetExpr(text);
  }
  Parser(const Parser&) = delete;
};

// Position of a lone '=', which muParser would take for an assignment to x; npos when there is none.
std::size_t find_assignment(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
      continue;
    }
    if (i == 0 || std::string("<>!").find(text[i - 1]) == std::string::npos) return i;
  }
  return std::string::npos;
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string what_is_wrong(const mu::Parser& parser, const mu::ParserError& error) {
  const std::string token = trimmed(error.GetToken());
  const std::string place =
      error.GetPos() >= 0 ? fmt::format(" (character {} of the formula)", error.GetPos() + 1) : "";
  std::vector<std::string> names = {"x", "y", "z", "pi", "e"};
  std::vector<std::string> functions;
  for (const auto& [name, callback] : parser.GetFunDef()) functions.push_back(name);
  names.insert(names.end(), functions.begin(), functions.end());
  switch (error.GetCode()) {
    case mu::ecEMPTY_EXPRESSION:
      return "it is empty";
    case mu::ecMISSING_PARENS:
      return "a closing parenthesis is missing";
    case mu::ecTOO_FEW_PARAMS:
      return fmt::format("{} has too few arguments{}", token, place);
    case mu::ecTOO_MANY_PARAMS:
      return fmt::format("{} has too many arguments{}", token, place);
    case mu::ecMISSING_ELSE_CLAUSE:
      return "'?' has no ':' part";
    case mu::ecMISPLACED_COLON:
      return fmt::format("misplaced ':'{}", place);
    case mu::ecUNEXPECTED_EOF:
      return "it ends too early";
    case mu::ecUNEXPECTED_VAR:
    case mu::ecUNEXPECTED_FUN:
    case mu::ecUNEXPECTED_VAL:
      return fmt::format("unexpected \"{}\"{}, where an operator is missing", token, place);
    case mu::ecUNASSIGNABLE_TOKEN: {
      const unsigned char first = token.empty() ? 0 : static_cast<unsigned char>(token[0]);
      if (token.starts_with("\u2212"))
        return fmt::format("it has the character U+2212{} for a minus sign; write '-'", place);
      if (first >= 0x80) return fmt::format("unexpected byte 0x{:02x} in \"{}\"{}", first, token, place);
      if (!std::isalpha(first) && first != '_') return fmt::format("unexpected \"{}\"{}", token, place);
      const std::string message = fmt::format("\"{}\" is not known{}", token, place);
      if (const std::string near = nearest(token, names); !near.empty())
        return message + fmt::format("; did you mean {}?", near);
      return message + fmt::format("; known are x, y, z, pi, e and {}", fmt::join(functions, ", "));
    }
    default:
      return error.GetMsg().empty() ? "it cannot be read" : fmt::format("unexpected \"{}\"{}", token, place);
  }
}

}  // namespace

struct Expression::Formula {
  std::string text, where;
  bool constant = false;
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Parser>> idle;

  std::string named() const {
    return where.empty() ? fmt::format("\"{}\"", text) : fmt::format("{}: \"{}\"", where, text);
  }

  // A parser for the time of one call; another thread meanwhile gets another.
  class Loan {
   public:
    explicit Loan(const Formula& formula) : formula_(formula) {
      {
        const std::lock_guard lock(formula.mutex);
        if (!formula.idle.empty()) {
          parser_ = std::move(formula.idle.back());
          formula.idle.pop_back();
        }
      }
      if (!parser_) parser_ = std::make_unique<Parser>(formula.text);
    }
    ~Loan() {
      const std::lock_guard lock(formula_.mutex);
      formula_.idle.push_back(std::move(parser_));
    }
    Loan(const Loan&) = delete;

    /// NaN, with the reason in `why`, where muParser gives up.
    double operator()(double x, double y, double z, std::string* why = nullptr) {
      parser_->x = x;
      parser_->y = y;
      parser_->z = z;
      try {
        return parser_->parser.Eval();
      } catch (const mu::ParserError& error) {
        if (why) *why = fmt::format(" ({})", error.GetMsg());
        return NAN;
      }
    }

   private:
    const Formula& formula_;
    std::unique_ptr<Parser> parser_;
  };
};

Expression::Expression() : Expression(std::string("0")) {}

Expression::Expression(std::string text, std::string where) {
  auto formula = std::make_shared<Formula>();
  formula->text = std::move(text);
  formula->where = std::move(where);
  const auto fail = [&](const std::string& why) {
    throw Error(fmt::format("{} is not a formula: {}{}", formula->named(), why, why.ends_with('?') ? "" : "."));
  };
  if (const std::size_t at = find_assignment(formula->text); at != std::string::npos)
    fail(fmt::format("unexpected \"=\" (character {} of the formula); to compare write ==", at + 1));
  auto parser = std::make_unique<Parser>(formula->text);
  try {
    int results = 0;
    parser->parser.Eval(results);
    if (results != 1) fail(fmt::format("it has {} values separated by commas, but must have one", results));
    formula->constant = parser->parser.GetUsedVar().empty();
  } catch (const mu::ParserError& error) {
    fail(what_is_wrong(parser->parser, error));
  }
  formula->idle.push_back(std::move(parser));
  formula_ = std::move(formula);
}

double Expression::operator()(double x, double y, double z) const {
  std::string why;
  const double value = Formula::Loan(*formula_)(x, y, z, &why);
  if (!std::isfinite(value))
    throw Error(fmt::format("{} is {} at x = {}, y = {}, z = {}{}; it must be finite everywhere in the domain.",
                            formula_->named(), std::isnan(value) ? "not a number" : "infinite", x, y, z, why));
  return value;
}

void Expression::evaluate_row(const double* x, double y, double z, double* values, std::int64_t count) const {
  Formula::Loan loan(*formula_);
  for (std::int64_t i = 0; i < count; ++i) values[i] = loan(x[i], y, z);
}

bool Expression::is_constant() const { return formula_->constant; }
const std::string& Expression::text() const { return formula_->text; }

}  // namespace halyard
