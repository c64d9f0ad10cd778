#include "io/formats.h"

#include <cctype>

#include "io/csv_types.h"

namespace sg {

#define FORMAT(name) extern const Format name##_format;
#include "io/formats.def"
#undef FORMAT

const std::vector<const Format*>& formats() {
  static const std::vector<const Format*> all{
#define FORMAT(name) &name##_format,
#include "io/formats.def"
#undef FORMAT
  };
  return all;
}

const Format& format_named(std::string_view name) {
  std::string known;
  for (const Format* f : formats()) {
    if (name == f->name) return *f;
    known += (known.empty() ? "" : ", ") + std::string(f->name);
  }
  throw Error("format.unknown", "there is no format '" + shorten(name, 40) + "'; there are: " + known);
}

bool has_ending(const Format& format, std::string_view name) {
  const size_t dot = name.find_last_of("./");
  if (dot == std::string_view::npos || name[dot] != '.') return false;
  std::string ending(name.substr(dot + 1));
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return !ending.empty() && std::string_view(format.endings).find(" " + ending + " ") != std::string_view::npos;
}

const Format& detect_format(std::span<const uint8_t> head, std::string_view name) {
  const Format* best = formats().back();
  Claim strongest = Claim::none;
  for (const Format* f : formats()) {
    const Claim claim = f->claims(head, name);
    if (claim > strongest) best = f, strongest = claim;
  }
  return *best;
}

std::unique_ptr<TableReader> open_reader(const nlohmann::json& options, std::span<const uint8_t> head,
                                         std::string_view name, const ReadTarget& target) {
  if (!options.is_object() && !options.is_null()) throw Error("format.bad_option", "options must be an object");
  nlohmann::json own = options.is_null() ? nlohmann::json::object() : options;
  const Format* format = nullptr;
  if (const auto chosen = own.find("format"); chosen != own.end()) {
    if (!chosen->is_string()) throw Error("format.bad_option", "option 'format' must be a format's name");
    format = &format_named(chosen->get_ref<const std::string&>());
    own.erase(chosen);
  }
  if (format == nullptr) format = &detect_format(head, name);
  return format->open(own, name, target);
}

namespace {

class DetectingReader : public TableReader {
 public:
  DetectingReader(nlohmann::json options, std::string_view name, const ReadTarget& target)
      : options_(std::move(options)), name_(name), target_(target) {}

  void feed(std::span<const uint8_t> bytes) override {
    if (reader_) return reader_->feed(bytes);
    head_.insert(head_.end(), bytes.begin(), bytes.end());
    if (head_.size() >= kHeadBytes) choose();
  }
  Table finish() override {
    if (!reader_) choose();
    return reader_->finish();
  }
  uint64_t rows() const override { return reader_ ? reader_->rows() : 0; }

 private:
  void choose() {
    reader_ = open_reader(options_, head_, name_, target_);
    reader_->feed(head_);
    head_ = {};
  }

  nlohmann::json options_;
  std::string name_;
  ReadTarget target_;
  std::vector<uint8_t> head_;
  std::unique_ptr<TableReader> reader_;
};

}  // namespace

std::unique_ptr<TableReader> open_detecting(const nlohmann::json& options, std::string_view name,
                                            const ReadTarget& target) {
  return std::make_unique<DetectingReader>(options, name, target);
}

}  // namespace sg
