// A parser of the literals that NumPy writes (dictionaries, lists, tuples, texts, whole numbers, True, False, None) and
// of its type strings.

#include "io/npy_header.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "io/csv_types.h"
#include "io/error.h"
#include "io/typed_column.h"

namespace sg {
namespace {

using nlohmann::json;

constexpr size_t kMaxItemBytes = size_t{1} << 20;

[[noreturn]] void bad_header(const std::string& what) {
  throw Error("npy.bad_header", "the array's header cannot be understood: " + what + "; save it again with numpy.save");
}

[[noreturn]] void unsupported(const std::string& what, const std::string& instead) {
  throw Error("npy.unsupported", "the array holds " + what + ", which are not read here; " + instead);
}

/// Python's literal as JSON: tuples are arrays.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  json whole() {
    json value = any(0);
    space();
    if (at_ != text_.size()) bad_header("something follows the dictionary");
    return value;
  }

 private:
  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool accept(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  json any(int depth) {
    if (depth > 8) bad_header("it is nested too deeply");
    space();
    if (at_ == text_.size()) bad_header("it ends early");
    const char c = text_[at_];
    if (accept('{')) return dictionary(depth);
    if (accept('[')) return list(']', depth);
    if (accept('(')) return list(')', depth);
    if (c == '\'' || c == '"') return quoted();
    if (c >= '0' && c <= '9') return number();
    if (accept("True")) return true;
    if (accept("False")) return false;
    if (accept("None")) return nullptr;
    bad_header("'" + shorten(replace_invalid_utf8(text_.substr(at_, 20)), 20) + "' is no literal");
  }

  json dictionary(int depth) {
    json result = json::object();
    while (!accept('}')) {
      const json key = any(depth + 1);
      if (!key.is_string()) bad_header("a key is no text");
      if (!accept(':')) bad_header("a key without a value");
      const auto& name = key.get_ref<const std::string&>();
      if (result.contains(name)) bad_header("the key '" + shorten(name, 40) + "' stands twice");
      result[name] = any(depth + 1);
      if (!accept(',') && !(at_ < text_.size() && text_[at_] == '}')) bad_header("a comma is missing");
    }
    return result;
  }

  json list(char end, int depth) {
    json result = json::array();
    while (!accept(end)) {
      result.push_back(any(depth + 1));
      if (!accept(',') && !(at_ < text_.size() && text_[at_] == end)) bad_header("a comma is missing");
    }
    return result;
  }

  json quoted() {
    const char quote = text_[at_++];
    std::string value;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && ++at_ == text_.size()) break;
      value += text_[at_];
    }
    if (at_ == text_.size()) bad_header("a text does not end");
    ++at_;
    return find_invalid_utf8(value) == std::string_view::npos ? value : replace_invalid_utf8(value);
  }

  json number() {
    uint64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const auto digit = static_cast<uint64_t>(text_[at_] - '0');
      if (value > (std::numeric_limits<uint64_t>::max() - digit) / 10) bad_header("a number is too large");
      value = value * 10 + digit;
    }
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2
    return value;
  }

  std::string_view text_;
  size_t at_ = 0;
};

/// [s], [ns], [25us] after M8.
void parse_unit(std::string_view text, NpyField& field) {
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') {
    unsupported("times without a unit", "save them as datetime64[s]");
  }
  text = text.substr(1, text.size() - 2);
  uint64_t count = 0;
  size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && at < 9; ++at) {
    count = count * 10 + static_cast<uint64_t>(text[at] - '0');
  }
  field.unit_count = at == 0 ? 1 : count;
  field.unit = text.substr(at);
  static const std::set<std::string, std::less<>> kUnits = {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"};
  if (kUnits.count(field.unit) == 0) unsupported("times in '" + shorten(text, 20) + "'", "save them as datetime64[s]");
}

std::optional<Scalar> scalar_named(char kind, size_t size) {
  const auto of = [&](std::initializer_list<Scalar> kinds) -> std::optional<Scalar> {
    for (const Scalar s : kinds)
      if (scalar_bytes(s) == size) return s;
    return std::nullopt;
  };
  if (kind == 'f') return of({Scalar::f2, Scalar::f4, Scalar::f8});
  if (kind == 'i') return of({Scalar::i1, Scalar::i2, Scalar::i4, Scalar::i8});
  if (kind == 'u') return of({Scalar::u1, Scalar::u2, Scalar::u4, Scalar::u8});
  if (kind == 'b') return of({Scalar::b1});
  return std::nullopt;
}

NpyField parse_type(const std::string& type) {
  const std::string shown = "'" + shorten(type, 40) + "'";
  if (type.size() < 2) bad_header("the type " + shown);
  NpyField field;
  field.big_endian = type[0] == '>';
  if (type[0] != '<' && type[0] != '>' && type[0] != '|' && type[0] != '=') bad_header("the type " + shown);
  const char kind = type[1];
  if (kind == 'O') {
    unsupported("pickled Python objects (type 'O'), and a pickle can run any program when it is opened",
                "save it with a numeric type: numpy.save(file, array.astype('float32'))");
  }
  size_t at = 2, size = 0;
  for (; at < type.size() && type[at] >= '0' && type[at] <= '9'; ++at) {
    size = std::min<size_t>(size * 10 + static_cast<size_t>(type[at] - '0'), kMaxItemBytes + 1);
  }
  field.size = size;
  if (kind == 'M' && size == 8) {
    field.kind = NpyField::Kind::time;
    field.scalar = Scalar::i8;
    parse_unit(std::string_view(type).substr(at), field);
    return field;
  }
  if (kind == 'm') unsupported("differences of times (type 'm8')", "save seconds: array / numpy.timedelta64(1, 's')");
  if (at != type.size()) bad_header("the type " + shown);
  if (kind == 'S' || kind == 'U' || kind == 'V') {
    field.kind = kind == 'S' ? NpyField::Kind::bytes : kind == 'U' ? NpyField::Kind::unicode : NpyField::Kind::padding;
    if (kind == 'U') field.size *= 4;
    if (field.size > kMaxItemBytes) unsupported("texts of over 1 MiB each", "save shorter ones");
    return field;
  }
  const auto scalar = scalar_named(kind, size);
  if (!scalar) {
    unsupported("values of the type " + shown, "save it with a real numeric type: array.astype('float32')");
  }
  field.scalar = *scalar;
  return field;
}

/// A member of a structured type: (name or (title, name), type) or (name, type, shape).
NpyField parse_member(const json& member) {
  if (!member.is_array() || member.size() < 2 || member.size() > 3) bad_header("a member of a structured type");
  if (member[1].is_array()) unsupported("structures inside structures", "save the members as arrays of their own");
  if (!member[1].is_string()) bad_header("a member without a type");
  NpyField field = parse_type(member[1].get<std::string>());
  const json& name = member[0].is_array() && !member[0].empty() ? member[0].back() : member[0];
  if (!name.is_string()) bad_header("a member without a name");
  field.name = name.get<std::string>();
  if (member.size() == 3) {
    const json shape = member[2].is_array() ? member[2] : json::array({member[2]});
    uint64_t elements = 1;
    for (const json& n : shape) {
      if (!n.is_number_unsigned() || n == 0u || n.get<uint64_t>() > TypedColumn::max_elements ||
          (elements *= n.get<uint64_t>()) > TypedColumn::max_elements) {
        bad_header("the shape of the member '" + shorten(field.name, 40) + "'");
      }
      field.shape.push_back(n.get<size_t>());
    }
    if (field.kind != NpyField::Kind::number) unsupported("arrays of texts or times in a structure", "save them apart");
  }
  if (field.kind == NpyField::Kind::padding && !field.name.empty()) unsupported("raw bytes (type 'V')", "save numbers");
  return field;
}

}  // namespace

size_t NpyField::elements() const {
  size_t elements = 1;
  for (const size_t n : shape) elements *= n;
  return elements;
}

NpyHeader parse_npy_header(std::string_view text) {
  const json literal = Literal(text).whole();
  if (!literal.is_object() || literal.size() != 3) bad_header("it must have descr, fortran_order and shape");
  for (const char* key : {"descr", "fortran_order", "shape"})
    if (!literal.contains(key)) bad_header(std::string("it lacks '") + key + "'");
  NpyHeader header;
  if (!literal["fortran_order"].is_boolean()) bad_header("fortran_order is neither True nor False");
  header.fortran_order = literal["fortran_order"];
  const json& shape = literal["shape"];
  if (!shape.is_array() || shape.size() > 32) bad_header("the shape");
  for (const json& n : shape) {
    if (!n.is_number_unsigned()) bad_header("the shape");
    header.shape.push_back(n);
  }
  const json& type = literal["descr"];
  if (type.is_string()) {
    header.fields.push_back(parse_type(type));
    if (header.fields[0].kind == NpyField::Kind::padding) unsupported("raw bytes (type 'V')", "save numbers");
  } else if (type.is_array() && !type.empty()) {
    header.structured = true;
    for (const json& member : type) header.fields.push_back(parse_member(member));
  } else {
    bad_header("the type");
  }
  for (const NpyField& field : header.fields) {
    if (field.size > (kMaxItemBytes * 64 - header.item_bytes) / field.elements())
      bad_header("an element of over 64 MiB");
    header.item_bytes += field.size * field.elements();
  }
  if (header.item_bytes == 0) bad_header("an element of no bytes");
  return header;
}

double npy_time(int64_t value, const NpyField& field) {
  if (value == std::numeric_limits<int64_t>::min()) return std::numeric_limits<double>::quiet_NaN();
  const double count = static_cast<double>(value) * static_cast<double>(field.unit_count);
  if (field.unit == "Y" || field.unit == "M") {
    const double months = field.unit == "Y" ? count * 12 : count;
    if (std::abs(months) > 12 * 30'000) return std::numeric_limits<double>::infinity();
    using namespace std::chrono;
    const year_month month = year{1970} / January + std::chrono::months{static_cast<int>(months)};
    return static_cast<double>(sys_days{month / 1}.time_since_epoch().count()) * 86400;
  }
  if (field.unit == "W") return count * 7 * 86400;
  if (field.unit == "D") return count * 86400;
  if (field.unit == "h") return count * 3600;
  if (field.unit == "m") return count * 60;
  if (field.unit == "ms") return count / 1e3;
  if (field.unit == "us") return count / 1e6;
  if (field.unit == "ns") return count / 1e9;
  return count;
}

}  // namespace sg
