// What a Parser holds while it is inside a message. Internal to http/: parser.cc and body.cc.
//
// Owned by its Parser, freed by reset(). Views into a section follow when its bytes move.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "http/parser.h"

namespace evener::http {

struct Parser::Cursor {
  const char* data;
  std::size_t size;
  std::size_t pos = 0;

  bool empty() const { return pos == size; }
  const char* here() const { return data + pos; }
  std::size_t left() const { return size - pos; }
};

// Lines up to and with an empty one: a head or a trailer section. While it comes in one piece its
// bytes stay with the caller (`base`); as soon as a feed ends inside it they are gathered here.
struct Parser::Section {
  const char* base = nullptr;
  std::size_t line_start = 0;  // of the line being read, from base
  std::size_t size = 0;        // octets seen, from base
  std::vector<char> gathered;
  std::vector<Field> fields;

  // Moves the section's bytes here, or makes room for `extra` more; views follow.
  void gather(const char* extra, std::size_t extra_size, Head* head) {
    const std::size_t wanted = size + extra_size;
    if (gathered.capacity() < wanted || gathered.empty()) {
      std::vector<char> bigger;
      bigger.reserve(std::max(wanted, 2 * gathered.capacity()));
      bigger.assign(base, base + size);
      move_views(bigger.data(), head);
      gathered.swap(bigger);
      base = gathered.data();
    }
    gathered.insert(gathered.end(), extra, extra + extra_size);
    size = wanted;
  }

  static void move_view(std::string_view& view, const char* from, const char* to) {
    if (view.data() != nullptr) view = {to + (view.data() - from), view.size()};
  }

  void move_views(const char* to, Head* head) {
    for (Field& field : fields) {
      move_view(field.name, base, to);
      move_view(field.value, base, to);
    }
    if (head == nullptr) return;
    move_view(head->method_text, base, to);
    move_view(head->target, base, to);
    move_view(head->reason, base, to);
  }
};

struct Parser::Message {
  Head head;
  Section head_lines;
  Section trailer_lines;
  std::string path_storage;
  bool start_line_read = false;
  bool head_complete = false;
};

}  // namespace evener::http
