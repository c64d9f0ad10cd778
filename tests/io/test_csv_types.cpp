// What cells mean: numbers, dates, categories, missing values, and the statistics over them.

#include <cmath>
#include <limits>

#include "io/csv_types.h"
#include "tests/io/csv_text.h"

using namespace sg;

TEST_CASE("numbers are read whole or not at all", "[io]") {
  const auto value = [](std::string_view cell, char decimal = '.') {
    const auto number = parse_number(cell, decimal);
    return number ? number->value : std::numeric_limits<double>::quiet_NaN();
  };
  CHECK(value("0") == 0);
  CHECK(value("-12.5") == -12.5);
  CHECK(value("+.5") == 0.5);
  CHECK(value("5.") == 5);
  CHECK(value("1e-3") == 1e-3);
  CHECK(value("1.7976931348623157E308") == 1.7976931348623157e308);
  CHECK(value("30.5310001373291") == 30.5310001373291);
  CHECK(value("9007199254740993") == 9007199254740992.0);  // rounds to even, as strtod does
  CHECK(value("123456789012345678901234567890") == 123456789012345678901234567890.0);
  CHECK(value("0.1234567890123456789") == 0.1234567890123456789);
  CHECK(value("1,5", ',') == 1.5);
  CHECK(value("1,234,567.5") == 1234567.5);
  CHECK(value("1.234.567,5", ',') == 1234567.5);
  CHECK(value("1 234,5", ',') == 1234.5);
  CHECK(value("1'234.5") == 1234.5);
  CHECK(value("1\xC2\xA0"
              "234") == 1234);
  CHECK(value("1\xE2\x80\xAF"
              "234") == 1234);
  CHECK(value("1\xE2\x80\x99"
              "234") == 1234);
  for (const std::string_view bad :
       {"",         "-",     "+",      ".",     "e5",    "1e",   "1e+",    "0x10",     "inf",   "Infinity",
        "nan",      "1e400", "-1e999", "1.2.3", "12a",   "1,23", "1,2345", "1234,567", "0,123", "1,234 567",
        "1,234,56", "1..2",  "--1",    "1 2",   "1_000", "١٢",   "1e5.5",  ",123"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_number(bad, '.').has_value());
  }
  CHECK_FALSE(parse_number(std::string(500, '1'), '.').has_value());
}

TEST_CASE("the usual spellings of missing are missing", "[io]") {
  for (const std::string_view word :
       {"", "NA", "N/A", "NaN", "null", "None", "-", "?", "n/a", "NULL", "#N/A", "<NA>", "\\N"}) {
    CAPTURE(word);
    CHECK(is_missing(word));
  }
  for (const std::string_view word : {"0", "no", "nano", "--1", "inf", "x"}) CHECK_FALSE(is_missing(word));
  const CsvTable table = read_csv("a,b\n1,x\nNA,y\n,x\n  ?  ,y\nnan,x\n2,None\n");
  CHECK(table.columns[0].type == ColumnType::number);
  CHECK(table.columns[0].stats.missing == 4);
  CHECK(std::isnan(table.columns[0].numbers[1]));
  CHECK(table.columns[0].numbers[5] == 2);
  CHECK(table.columns[1].codes.back() == kMissingCode);
  CHECK(table.repairs.total == 0);
}

TEST_CASE("dates of every known form are the right second", "[io]") {
  const auto seconds = [](std::string_view cell) {
    const auto time = parse_datetime(cell);
    return time ? time->month_first_seconds : -1.0;
  };
  CHECK(seconds("1970-01-02") == 86400);
  CHECK(seconds("2016-07-01 00:00:00") == 1467331200);
  CHECK(seconds("2016-07-01T01:02") == 1467331200 + 3720);
  CHECK(seconds("2016-07-01T01:02:03.5Z") == 1467331200 + 3723.5);
  CHECK(seconds("2016-07-01T01:00:00+01:00") == 1467331200);
  CHECK(seconds("2016-07-01 01:00:00 -0130") == 1467331200 + 9000);
  CHECK(seconds("2016/07/01") == 1467331200);
  CHECK(seconds("2016-07") == 1467331200);
  CHECK(seconds("01.07.2016 12:00") == 1467331200 + 43200);
  CHECK(seconds("1.7.2016") == 1467331200);
  CHECK(seconds("07/01/2016 12:30 AM") == 1467331200 + 1800);
  CHECK(seconds("07/01/2016, 1:30 pm") == 1467331200 + 48600);
  CHECK(seconds("2000-02-29") == 951782400);
  CHECK(seconds("1958-03-01") == -373593600);
  for (const std::string_view bad : {"2021-02-29", "2021-13-01", "2021-00-10", "2021-01-01 24:00", "2021-01-01 10:60",
                                     "2021-01-01x", "30.02.2020", "13/13/2020", "2021-01-01T", "20210101", "1.2.20",
                                     "2021-1", "2021-01-01 10:00:00+", "2021-01-01 13:00 PM", "0000-01-01"}) {
    CAPTURE(bad);
    if (bad != "2021-1") CHECK_FALSE(parse_datetime(bad).has_value());
  }
  CHECK(format_datetime(1467331200) == "2016-07-01");
  CHECK(format_datetime(-1) == "1969-12-31 23:59:59");
}

TEST_CASE("day and month are told apart over the whole column, or reported", "[io]") {
  CsvOptions small;
  small.sample_bytes = 64;  // the deciding cell comes after the sample
  std::string text =
      "d,v\n" + lines_of(12, [](size_t i) { return (i < 9 ? "0" : "") + std::to_string(i + 1) + "/03/2020,1"; });
  const CsvTable open = read_csv(text, small);
  CHECK(open.columns[0].ambiguous);
  CHECK(repair_of(open, "ambiguous_date").line == 2);
  CHECK(repair_of(open, "ambiguous_date").column == 1);
  CHECK(open.columns[0].times[0] == Approx(1578009600));  // the month first: 3 January

  const CsvTable decided = read_csv(text + "13/03/2020,1\n", small);
  CHECK_FALSE(decided.columns[0].ambiguous);
  CHECK(decided.columns[0].times[0] == 1583020800);  // 1 March
  CHECK(decided.columns[0].stats.step_seconds == 86400.0);
  CHECK(decided.columns[0].stats.gaps == 0u);
  CHECK(decided.columns[0].times.size() == 13);

  const CsvTable american = read_csv("d,v\n03/01/2020,1\n03/14/2020,1\n15/03/2020,2\n03/02/2020,1\n03/03/2020,1\n");
  CHECK(american.columns[0].times[0] == 1583020800);
  CHECK(repair_of(american, "unparseable").line == 4);
  CHECK(american.columns[0].stats.missing == 1);

  CsvOptions day_first;
  day_first.day_first = true;
  CHECK(read_csv(text, day_first).columns[0].times[0] == 1583020800);
  CHECK_FALSE(read_csv(text, day_first).columns[0].ambiguous);
}

TEST_CASE("a datetime column tells its step, gaps and disorder", "[io]") {
  const CsvTable table = read_csv(
      "t,v\n2020-01-01 00:00,1\n2020-01-01 01:00,1\n2020-01-01 02:00,1\n2020-01-01 05:00,1\n"
      "2020-01-01 06:00,1\n2020-01-01 05:00,1\n");
  const ColumnStats& stats = table.columns[0].stats;
  CHECK(stats.first == 1577836800.0);
  CHECK(stats.last == 1577836800.0 + 5 * 3600);
  CHECK(stats.step_seconds == 3600.0);
  CHECK(stats.gaps == 1u);
  CHECK(stats.out_of_order == 1u);
}

TEST_CASE("a column of few values is a category, of many is text", "[io]") {
  const CsvTable few = read_csv("c,n\nred,1\nblue,2\nred,3\nblue,4\n");
  CHECK(few.columns[0].type == ColumnType::category);
  CHECK(few.columns[0].categories == std::vector<std::string>{"red", "blue"});
  CHECK(few.columns[0].codes == std::vector<uint32_t>{0, 1, 0, 1});
  CHECK(few.columns[0].stats.distinct == 2u);
  const CsvTable more_than_half = read_csv("c,n\nred,1\nblue,2\ngreen,3\nblue,4\n");
  CHECK(more_than_half.columns[0].type == ColumnType::text);
  CHECK(more_than_half.columns[0].codes.empty());
  const auto of = [](size_t distinct) {
    return "c,n\n" + lines_of(4000, [&](size_t i) { return "v" + std::to_string(i % distinct) + ",1"; });
  };
  CHECK(read_csv(of(1000)).columns[0].type == ColumnType::category);
  CHECK(read_csv(of(1000)).columns[0].stats.distinct == 1000u);
  CHECK(read_csv(of(1001)).columns[0].type == ColumnType::text);
  CHECK(read_csv(of(1001)).columns[0].stats.count == 4000);
}

TEST_CASE("statistics of a number column are right without keeping it", "[io]") {
  std::string text = "a,b\n";
  double sum = 0, squares = 0;
  for (int i = 0; i < 5000; ++i) {
    const double v = std::sin(i) * 1000 + 1e6;
    sum += v, squares += v * v;
    text += std::to_string(v) + "," + (i % 10 == 0 ? "" : "1") + "\n";
  }
  CsvOptions options;
  options.target.keep = false;
  const CsvTable table = read_csv(text, options);
  const ColumnStats& stats = table.columns[0].stats;
  CHECK(stats.count == 5000);
  CHECK(*stats.mean == Approx(sum / 5000));
  CHECK(*stats.std == Approx(std::sqrt(squares / 5000 - sum / 5000 * (sum / 5000))).epsilon(1e-4));
  CHECK(*stats.min >= 999000);
  CHECK(*stats.max <= 1001000);
  CHECK(table.columns[1].stats.missing == 500);
  CHECK(table.columns[0].numbers.capacity() == 0);
  CHECK(table.line_jumps.empty());
  const CsvTable kept = read_csv(text);
  CHECK(describe(kept) == describe(table));
  CHECK(kept.columns[0].numbers.size() == 5000);
}

TEST_CASE("a column that is empty at first takes the type of its first value", "[io]") {
  CsvOptions small;
  small.sample_bytes = 64;
  const std::string head = "a,b,c,d\n" + lines_of(30, [](size_t) { return std::string("1,,,"); });
  const CsvTable table = read_csv(head + "2,2.5,2020-01-01,\n3,x,2020-01-02,\n", small);
  CHECK(table.columns[1].type == ColumnType::number);
  CHECK(table.columns[1].numbers.size() == 32);
  CHECK(table.columns[1].numbers[30] == 2.5f);
  CHECK(repair_of(table, "unparseable").line == 33);
  CHECK(table.columns[2].type == ColumnType::datetime);
  CHECK(table.columns[2].times.size() == 32);
  CHECK(table.columns[2].stats.missing == 30);
  CHECK(table.columns[3].type == ColumnType::number);
  CHECK(table.columns[3].stats.missing == 32);
  CHECK(table.columns[3].numbers.size() == 32);
}

TEST_CASE("the description holds what the pages show", "[io]") {
  CsvOptions options;
  options.name = "x.csv";
  const CsvTable table = read_csv(
      "t;v;c\n2020-01-01;1,5;a\n2020-01-02;;b\n2020-01-03;2,5;a\n2020-01-04;x;b\n2020-01-05;2,5;b\n2020-01-06;2,5;b\n",
      options);
  const nlohmann::json json = describe(table);
  CHECK(json["name"] == "x.csv");
  CHECK(json["rows"] == 6);
  CHECK(json["delimiter"] == ";");
  CHECK(json["quote"] == "\"");
  CHECK(json["header"] == true);
  CHECK(json["decimalComma"] == true);
  CHECK(json["encoding"] == "utf-8");
  CHECK(json["columns"][0]["first"] == 1577836800.0);
  CHECK(json["columns"][0]["stepSeconds"] == 86400.0);
  CHECK(json["columns"][0]["gaps"] == 0);
  CHECK(json["columns"][1]["mean"] == 2.25);
  CHECK(json["columns"][1]["missing"] == 2);
  CHECK(json["columns"][1]["examples"] == nlohmann::json({"1,5", "2,5", "x"}));
  CHECK(json["columns"][2]["distinct"] == 2);
  CHECK(json["preview"][1] == nlohmann::json({"2020-01-02", "", "b"}));
  CHECK(json["repairs"]["total"] == 1);
  CHECK(json["repairs"]["byKind"]["unparseable"] == 1);
  CHECK(json["repairs"]["first"][0]["line"] == 5);
  CHECK(json["repairs"]["first"][0]["column"] == 2);
  const CsvTable many = read_csv("a,b\n" + lines_of(80, [](size_t i) { return std::to_string(i) + ",1"; }));
  CHECK(describe(many)["preview"].size() == 50);
  CHECK(describe(many, {.columns = 1, .preview_rows = 3})["preview"] == nlohmann::json({{"0"}, {"1"}, {"2"}}));
  CHECK(describe(many, {.columns = 1})["columnCount"] == 2);
}
