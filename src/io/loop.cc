#include "io/loop.h"

#include "base/check.h"

namespace evener::io {

std::expected<std::unique_ptr<Loop>, std::string> Loop::create(EngineKind kind) {
  return create([kind](Loop& loop) { return choose_engine(loop, kind); });
}

std::expected<std::unique_ptr<Loop>, std::string> Loop::create(EngineMaker make) {
  std::unique_ptr<Loop> loop(new Loop);  // tidy: allow(new) the constructor is private
  auto chosen = make(*loop);
  if (!chosen) return std::unexpected(std::move(chosen.error()));
  loop->engine_ = std::move(chosen->engine);
  loop->engine_note_ = std::move(chosen->note);
  loop->engine_->turn(loop->now_);
  return loop;
}

Loop::~Loop() {
  run_posts();
  run_deferred();
}

Time Loop::next_turn() const {
  const bool busy = deferred_head_ != nullptr || inbox_full_.load(std::memory_order_acquire);
  return busy ? now_ : timers_.next();
}

void Loop::turn(Time until) {
  engine_->turn(std::min(until, next_turn()));
  run_posts();
  timers_.fire_due(now_);
  run_deferred();
}

void Loop::run() {
  while (!stopping_.load(std::memory_order_acquire)) turn();
}

void Loop::stop() {
  stopping_.store(true, std::memory_order_release);
  engine_->wake();
}

void Loop::post(Post work) {
  {
    const std::lock_guard lock(inbox_mutex_);
    inbox_.push_back(std::move(work));
    inbox_full_.store(true, std::memory_order_release);
  }
  engine_->wake();
}

void Loop::run_posts() {
  if (!inbox_full_.load(std::memory_order_acquire)) return;
  std::vector<Post> posts;
  {
    const std::lock_guard lock(inbox_mutex_);
    posts.swap(inbox_);
    inbox_full_.store(false, std::memory_order_release);
  }
  for (Post& post : posts) post();
}

void Loop::defer(Deferred& deferred) {
  if (std::exchange(deferred.queued, true)) return;
  deferred.next = nullptr;
  (deferred_tail_ == nullptr ? deferred_head_ : deferred_tail_->next) = &deferred;
  deferred_tail_ = &deferred;
}

void Loop::run_deferred() {
  // What is deferred while this runs waits for the next turn: a turn always ends.
  Deferred* item = std::exchange(deferred_head_, nullptr);
  deferred_tail_ = nullptr;
  while (item != nullptr) {
    Deferred* next = item->next;
    item->queued = false;
    item->run(*item);
    item = next;
  }
}

}  // namespace evener::io
