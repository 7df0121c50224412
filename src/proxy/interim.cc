#include "proxy/interim.h"

#include <string>
#include <utility>

#include "http/serialize.h"
#include "io/loop.h"
#include "proxy/text.h"

namespace evener::proxy {

Interim::Timer::Timer(Interim& i)
    : io::Timer([](io::Timer& timer) {
        Interim& interim = static_cast<Timer&>(timer).interim;
        if (interim.upload_.started() || interim.continue_sent_) return;
        // Another 1xx is on its way: the endpoint is not silent.
        if (interim.running_) return interim.await_continue();
        io::spawn(interim.send_continue());
      }),
      interim(i) {}

void Interim::await_continue() {
  io::Loop& loop = client_.stream().loop();
  loop.timers().arm(timer_, loop.now() + kContinueWait);
}

bool Interim::wanted(int status, bool expected) const {
  return status != 100 || (expected && !continue_sent_);
}

io::Task<void> Interim::send_continue() {
  std::string text;
  http::append_continue(text);
  static_cast<void>(co_await send(100, text));
}

io::Task<bool> Interim::send(int status, std::string_view text) {
  io::Stream& stream = client_.stream();
  io::ChunkList list;
  add_text(list, stream.loop().buffers(), text);  // before the first wait: text is the caller's
  if (running_) co_await done_;
  if (status == 100) {
    if (std::exchange(continue_sent_, true)) co_return true;
    timer_.disarm();
  }
  running_ = true;
  done_.clear();
  stream.set_deadline(stream.loop().now() + timeouts_.client_send);
  const io::IoStatus sent = co_await stream.send(std::move(list));
  // A body that is awaited has its own time, counted from here.
  if (!upload_.complete()) stream.set_deadline(stream.loop().now() + timeouts_.client_idle);
  running_ = false;
  done_.set();
  co_return sent == io::IoStatus::kOk;
}

io::Task<void> Interim::end() {
  if (!stop()) co_await done_;
}

}  // namespace evener::proxy
