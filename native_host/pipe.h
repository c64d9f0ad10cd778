// Every byte to and from the browser goes through libuv, and libuv stands here alone: the loop with its thread pool, on
// which jobs read and write files, and the two pipes. Output never blocks and its queue is bounded, so the end of the
// input is always seen.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace sg::host {

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void run();
  void stop();
  /// Runs `job` on the thread pool, then `done` on the loop. Neither may throw.
  void work(std::function<void()> job, std::function<void()> done);
  /// Jobs that are not done yet.
  int jobs() const;
  /// Calls `then` once, after that many milliseconds; a second call replaces the first.
  void after(unsigned milliseconds, std::function<void()> then);

 private:
  friend class Pipe;
  struct State;
  std::unique_ptr<State> state_;
};

/// The browser's side: two pipes (or sockets), read as bytes come and written without ever waiting.
class Pipe {
 public:
  struct Events {
    std::function<void(std::string_view)> bytes;
    std::function<void()> end;                // the input ended, or failed
    std::function<void()> drained;            // a write was completed
    std::function<void(std::string)> broken;  // the output can't be written any more
  };
  Pipe(Loop& loop, int in, int out, Events events);
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void write(std::string bytes);
  /// Bytes given to write() that the browser has not taken yet.
  std::size_t queued() const;
  void stop_reading();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sg::host
