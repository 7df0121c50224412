#include "lab/html/page.h"

#include "base/check.h"
#include "lab/html/assets.h"

namespace evener::lab {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// In JSON a `<` is only within strings, and an element ends or changes its meaning only at one.
void append_json(std::string& out, std::string_view json) {
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
}

void append_all(std::string& out, std::span<const std::string_view> pieces) {
  for (const std::string_view piece : pieces) out += piece;
}

}  // namespace

bool html_built() { return !report_assets().script.empty(); }

std::string_view html_missing() {
  return "this build has no HTML reports: npm was not found, or EV_HTML was off, when it was made. "
         "Install nodejs and npm (tools/setup.sh does) and build again with -DEV_HTML=ON";
}

std::string page_html(const PageFacts& facts, std::string_view json) {
  EV_CHECK(html_built(), "built without HTML reports");
  const ReportAssets assets = report_assets();
  const std::string title = escaped(facts.title);
  // The policy makes sure that a report never asks the network.
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>" +
      title + "</title>\n<style>";
  append_all(out, assets.style);
  out +=
      "</style>\n</head>\n<body>\n<header>\n<h1>" + title + "</h1>\n<p>" + escaped(facts.about) +
      "</p>\n</header>\n<main>\n<noscript><p>The charts need JavaScript. The figures are in this "
      "file as JSON, and on the terminal with:</p><pre>" +
      escaped(facts.command) +
      "</pre></noscript>\n</main>\n<footer>Made by evener lab.</footer>\n"
      "<script type=\"application/json\" id=\"data\">";
  append_json(out, json);
  out += "</script>\n<script>";
  append_all(out, assets.script);
  out += "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace evener::lab
