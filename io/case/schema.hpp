#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/case/value.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

class CaseSchema;

/// One allowed value of a key with choices: its name in the case file, the value it stands for, and what it means.
template <class T>
struct CaseChoice {
  std::string name;
  T value;
  std::string help = {};
};

/// Where a key was given: "case.toml:3:5" or "--set time.cfl=0.4"; for one that was not, its table or the file.
struct CasePosition {
  std::string text;
  std::uint64_t order = 0;  // errors are told in the order of the file, those of --set after them
};

/// What the schema knows about one key. Made and changed through CaseKey; see there.
struct CaseKeySpec {
  struct Choice {
    std::string name;
    CaseValue value;
    std::string help;
  };
  struct Bound {
    long double value;  // holds every 64-bit integer exactly
    bool inclusive;
  };

  std::string path;  // within its schema, dots between the tables: "fluid.viscosity"
  CaseValueType type;
  std::string unit, help;
  bool required = false;
  std::optional<CaseValue> default_value;
  std::optional<Bound> lower, upper;
  std::int64_t least_count = 0, most_count = -1;  // of the outermost array, where its length is free
  std::vector<Choice> choices;
  std::function<bool()> required_when, active_when;
  std::string required_why, inactive_why;
  std::function<void(const CaseValue&)> assign;
  std::function<void()> clear;  // not given and no default: std::optional becomes empty

  // After reading:
  std::optional<CaseValue> value;  // given or default
  CasePosition position;
  bool given = false, valid = true, active = true;
};

/// Declares one key; each call adds a property and returns the key, as in
///   schema.key("time.cfl", c.cfl).default_value(0.5).above(0.0).at_most(1.0).help("convective limit on the time
///   step");
/// A key must be required, have a default, be required under a condition, or be a std::optional.
template <class T>
class CaseKey {
 public:
  using Value = typename CaseTraits<T>::Value;
  using Scalar = typename CaseTraits<T>::Scalar;

  explicit CaseKey(CaseKeySpec& spec) : spec_(&spec) {}

  /// The unit that documentation and the resolved case show: "m2/s". It is not converted.
  CaseKey& unit(std::string text) { return set(spec_->unit, std::move(text)); }
  /// What the key means, in one line.
  CaseKey& help(std::string text) { return set(spec_->help, std::move(text)); }
  CaseKey& required() { return set(spec_->required, true); }
  CaseKey& default_value(const Value& value) { return set(spec_->default_value, CaseTraits<T>::store(value)); }

  /// Ranges; on arrays they hold for every element.
  CaseKey& above(Scalar bound) requires CaseNumber<Scalar> { return lower(bound, false); }
  CaseKey& at_least(Scalar bound) requires CaseNumber<Scalar> { return lower(bound, true); }
  CaseKey& below(Scalar bound) requires CaseNumber<Scalar> { return upper(bound, false); }
  CaseKey& at_most(Scalar bound) requires CaseNumber<Scalar> { return upper(bound, true); }

  /// Number of elements of a std::vector.
  CaseKey& count_at_least(std::int64_t count) { return set(spec_->least_count, count); }
  CaseKey& count_at_most(std::int64_t count) { return set(spec_->most_count, count); }

  /// The names an enum can take, or the values a string can take:
  ///   .choices({{"periodic", Boundary::periodic}, {"wall", Boundary::wall, "no slip"}})   .choices({"vtk", "hdf5"})
  CaseKey& choices(const std::vector<CaseChoice<Scalar>>& choices) requires std::is_enum_v<Scalar> {
    for (const auto& choice : choices)
      spec_->choices.push_back({choice.name, CaseTraits<Scalar>::store(choice.value), choice.help});
    return *this;
  }
  CaseKey& choices(const std::vector<std::string>& names) requires std::same_as<Scalar, std::string> {
    for (const std::string& name : names) spec_->choices.push_back({name, CaseValue{name}, {}});
    return *this;
  }

  /// The key must be given when `condition` holds, which is asked after all keys are read. `why` completes
  /// "drive.bulk_velocity is missing, and required as ...": "drive.kind is \"bulk_velocity\"".
  CaseKey& required_when(std::function<bool()> condition, std::string why) {
    spec_->required_when = std::move(condition);
    return set(spec_->required_why, std::move(why));
  }
  /// The key has no effect unless `condition` holds; given all the same, there is a note (not an error). `why_not`
  /// completes "drive.force has no effect, as ...": "drive.kind is \"none\"".
  CaseKey& active_when(std::function<bool()> condition, std::string why_not) {
    spec_->active_when = std::move(condition);
    return set(spec_->inactive_why, std::move(why_not));
  }

 private:
  template <class M, class V>
  CaseKey& set(M& member, V&& value) {
    member = std::forward<V>(value);
    return *this;
  }
  CaseKey& lower(Scalar bound, bool inclusive) {
    return set(spec_->lower, CaseKeySpec::Bound{static_cast<long double>(bound), inclusive});
  }
  CaseKey& upper(Scalar bound, bool inclusive) {
    return set(spec_->upper, CaseKeySpec::Bound{static_cast<long double>(bound), inclusive});
  }

  CaseKeySpec* spec_;
};

/// What the schema knows about a list of tables; see CaseSchema::list.
struct CaseListSpec {
  std::string path;
  std::string help;
  std::int64_t least_count = 0;
  std::function<void(std::size_t)> resize;
  std::function<void(CaseSchema&, std::size_t)> declare_element;  // binds to element i of the list
  std::function<void(CaseSchema&)> declare_prototype;             // binds to a scratch element, for documentation

  std::vector<std::unique_ptr<CaseSchema>> elements;  // after reading
  CasePosition position;
  bool given = false, valid = true;
};

class CaseList {
 public:
  explicit CaseList(CaseListSpec& spec) : spec_(&spec) {}
  CaseList& help(std::string text) { return spec_->help = std::move(text), *this; }
  CaseList& count_at_least(std::int64_t count) { return spec_->least_count = count, *this; }

 private:
  CaseListSpec* spec_;
};

/// Messages with their places, as they are collected.
using CaseMessages = std::vector<std::pair<CasePosition, std::string>>;

/// Handed to check functions: reports what is wrong between keys. Keys are named as declared in the same schema.
class CaseCheck {
 public:
  /// An error at the key's position: "case.toml:3:9: domain.cells MESSAGE". Start the message with a verb.
  void error(std::string_view key, const std::string& message);
  /// The same as a note: the run goes on.
  void note(std::string_view key, const std::string& message);
  /// True when the case file or --set gives the key or list (not its default). A resolved case gives all keys that have
  /// a value, so what is no error in a case must not become one because a default is given.
  bool given(std::string_view key) const;

 private:
  friend class CaseReader;
  CaseCheck(const CaseSchema& schema, CaseMessages& errors, CaseMessages& notes)
      : schema_(schema), errors_(errors), notes_(notes) {}
  const CaseSchema& schema_;
  CaseMessages &errors_, &notes_;
};

/// The keys of a case file, each declared once and bound to a variable. The declaration gives parsing, default, unit,
/// range, help, the page in docs and the JSON schema for editors.
///
/// Types of keys: bool, int, int64, double, std::string, enums with choices, std::filesystem::path, Expression;
/// std::array and std::vector of these (nested too); std::optional of all.
///   - An integer takes exact floats (5e2); a double takes integers; neither takes nan or inf.
///   - A path is relative to the case file's folder and is made absolute when read, so that the resolved case can lie
///     anywhere. This holds for --set too.
///   - An Expression takes a string or a number.
///
/// Bound variables are written while reading and not touched after it: once read, the settings may be moved away.
/// Declaring a key twice, or a key that is neither required nor optional nor has a default, throws std::logic_error.
class CaseSchema {
 public:
  CaseSchema();
  CaseSchema(const CaseSchema&) = delete;
  CaseSchema& operator=(const CaseSchema&) = delete;
  ~CaseSchema();

  /// Declares a key by its full name, dots between the tables. `target` must live until the case is read.
  template <class T>
  CaseKey<T> key(std::string path, T& target) {
    CaseKeySpec& spec = add_key(std::move(path));
    CaseTraits<T>::describe(spec.type);
    spec.assign = [&target](const CaseValue& value) { CaseTraits<T>::load(value, target); };
    spec.clear = [] {};
    if constexpr (requires { target.reset(); }) spec.clear = [&target] { target.reset(); };
    return CaseKey<T>(spec);
  }

  /// Declares an array of tables, [[output.slice]]; `declare` is called for each element with a schema of the element's
  /// own, in which names are relative: s.key("axis", slice.axis). Missing means empty, unless count_at_least is set.
  template <class T, class Declare>
  CaseList list(std::string path, std::vector<T>& target, Declare declare) {
    CaseListSpec& spec = add_list(std::move(path));
    spec.resize = [&target](std::size_t count) { target.assign(count, T{}); };
    spec.declare_element = [&target, declare](CaseSchema& schema, std::size_t i) { declare(schema, target[i]); };
    spec.declare_prototype = [declare, scratch = std::make_shared<T>()](CaseSchema& schema) {
      declare(schema, *scratch);
    };
    return CaseList(spec);
  }

  /// A table, to describe it and to add keys by their short names. Any number of declare functions may open the same
  /// table; the first help text counts:
  ///   auto output = schema.table("output", "What is written, and when.");
  ///   output.key("interval", c.output.interval)...
  class Table {
   public:
    template <class T>
    CaseKey<T> key(const std::string& name, T& target) const {
      return schema_->key(prefix_ + name, target);
    }
    template <class T, class Declare>
    CaseList list(const std::string& name, std::vector<T>& target, Declare declare) const {
      return schema_->list(prefix_ + name, target, std::move(declare));
    }
    Table table(const std::string& name, std::string help = {}) const {
      return schema_->table(prefix_ + name, std::move(help));
    }

   private:
    friend class CaseSchema;
    Table(CaseSchema* schema, std::string prefix) : schema_(schema), prefix_(std::move(prefix)) {}
    CaseSchema* schema_;
    std::string prefix_;
  };
  Table table(const std::string& path, std::string help = {});

  /// A condition between keys, tested after all keys are read, and only when the keys named here are free of errors
  /// (a list's name stands for all of its elements):
  ///   schema.check({"domain.cells", "domain.walls"}, [&c](CaseCheck& check) {
  ///     if (...) check.error("domain.cells", "is 1 on the z axis, which then cannot have walls.");
  ///   });
  void check(std::vector<std::string> keys, std::function<void(CaseCheck&)> test);

  /// Reads a case file, then the overrides ("domain.cells=[64,64,64]", the arguments of --set; the later wins), and
  /// writes every bound variable. Throws Error with ALL errors found, one a line, each "FILE:LINE:COLUMN: ..." or
  /// "--set KEY=VALUE: ...". Lines and columns count from 1; columns count characters.
  void read_file(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

  /// The same from text already read (rank 0 reads the file and broadcasts it). `name` stands for the file in messages;
  /// relative paths start at `folder`.
  void read_text(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                 const std::vector<std::string>& overrides = {});

  /// After reading: keys without effect and what check functions noted, each with its position; to be shown once.
  const std::vector<std::string>& notes() const;
  /// After reading: whether the case file or --set gives the key or list; see CaseCheck::given.
  bool given(std::string_view key) const;
  /// After reading: an Error at the key's position, for what is found later ("throw schema.error("domain.faces",
  /// ...)"). The message continues after the key's name: "names a file that cannot be read."
  Error error(std::string_view key, const std::string& message) const;

  /// After reading: the whole effective case as TOML, defaults included, units and help as comments. Reading it gives
  /// the same values bit for bit, and the same text again. Keys that are not set, or have no effect and were not given,
  /// stand as comments.
  std::string resolved() const;

  /// After reading: what these keys, lists and tables (with all that is in them) say, a line "path = value" each,
  /// values as TOML; of a list's elements the paths are those of --set, "stage.2.dt". Keys that are not set or have no
  /// effect are left out, and those in `except`, of a list's elements written "group.columns". For the restart key
  /// (solvers/run/program.hpp), so that a message names what a user wrote.
  std::string lines(const std::vector<std::string>& paths, const std::vector<std::string>& except = {}) const;

  /// The keys as Markdown: a section per TOML table, a line per key. `level` is the number of # of a section.
  std::string markdown(int level = 2) const;
  /// The JSON schema (draft 7) of the case file, for editors with TOML support (Even Better TOML, taplo).
  std::string json_schema(const std::string& title) const;

 private:
  friend class CaseCheck;
  friend class CaseReader;
  friend class CaseDocument;
  struct Data;

  void add_lines(const std::string& path, const std::vector<std::string>& except, const std::string& prefix,
                 std::string& out) const;
  CaseKeySpec& add_key(std::string path);
  CaseListSpec& add_list(std::string path);

  std::unique_ptr<Data> data_;
};

}  // namespace halyard
