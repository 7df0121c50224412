// What a Parser holds while it is inside a message. Internal to http/: parser.cc and body.cc.
//
// Owned by its Parser, given back by reset(). Memory comes from the thread's free list, with room
// for the usual number of fields inside: no message in the steady state costs a malloc. Views into
// a section follow when its bytes move.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/parser.h"
#include "io/frame_pool.h"

namespace evener::http {

// Fields in room that somebody lends, or on the heap once that is full. Neither copied nor moved.
class FieldList {
 public:
  FieldList() = default;
  FieldList(std::byte* room, std::size_t capacity)
      : fields_(reinterpret_cast<Field*>(room)), capacity_(capacity) {}
  FieldList(const FieldList&) = delete;
  FieldList& operator=(const FieldList&) = delete;

  // An empty field behind the last, to be filled in place and then kept, or not.
  Field& next() {
    if (size_ == capacity_) grow();
    return *std::construct_at(fields_ + size_);
  }
  void keep_next() { ++size_; }
  std::size_t size() const { return size_; }
  Field* begin() { return fields_; }
  Field* end() { return fields_ + size_; }
  std::span<const Field> view() const { return {fields_, size_}; }

 private:
  void grow() {
    capacity_ = std::max<std::size_t>(8, 2 * capacity_);
    std::vector<Field> bigger(capacity_);
    std::ranges::copy(view(), bigger.begin());
    heap_.swap(bigger);
    fields_ = heap_.data();
  }

  Field* fields_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::vector<Field> heap_;
};

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
  FieldList fields;

  Section() = default;
  Section(std::byte* room, std::size_t capacity) : fields(room, capacity) {}

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
  static constexpr std::size_t kUsualFields = 24;

  Head head;
  bool start_line_read = false;
  bool head_complete = false;
  Section head_lines{room, kUsualFields};
  Section trailer_lines;
  std::string path_storage;
  alignas(Field) std::byte room[kUsualFields * sizeof(Field)];

  static void* operator new(std::size_t size) { return io::take_frame(size); }
  static void operator delete(void* memory, std::size_t size) noexcept {
    io::give_frame(memory, size);
  }
};

}  // namespace evener::http
