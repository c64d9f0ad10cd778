#include "native_host/pipe.h"

#include <uv.h>

#include <array>
#include <deque>
#include <system_error>
#include <utility>

namespace sg::host {
namespace {

void check_uv(int result, const char* what) {
  if (result < 0) throw std::system_error(-result, std::generic_category(), what);
}

struct Work {
  uv_work_t request{};
  std::function<void()> job, done;
  int* jobs = nullptr;
};

}  // namespace

struct Loop::State {
  uv_loop_t loop{};
  uv_timer_t timer{};
  std::function<void()> then;
  int jobs = 0;
};

Loop::Loop() : state_(std::make_unique<State>()) {
  check_uv(uv_loop_init(&state_->loop), "starting the event loop");
  check_uv(uv_timer_init(&state_->loop, &state_->timer), "starting a timer");
  state_->timer.data = state_.get();
}

Loop::~Loop() {
  uv_close(reinterpret_cast<uv_handle_t*>(&state_->timer), nullptr);
  uv_run(&state_->loop, UV_RUN_DEFAULT);
  uv_loop_close(&state_->loop);
}

void Loop::run() { uv_run(&state_->loop, UV_RUN_DEFAULT); }

void Loop::stop() { uv_stop(&state_->loop); }

int Loop::jobs() const { return state_->jobs; }

void Loop::work(std::function<void()> job, std::function<void()> done) {
  auto work = std::make_unique<Work>();
  work->job = std::move(job);
  work->done = std::move(done);
  work->jobs = &state_->jobs;
  work->request.data = work.get();
  check_uv(uv_queue_work(
               &state_->loop, &work->request, [](uv_work_t* r) { static_cast<Work*>(r->data)->job(); },
               [](uv_work_t* r, int) {
                 const std::unique_ptr<Work> own(static_cast<Work*>(r->data));
                 --*own->jobs;
                 own->done();
               }),
           "queueing a job");
  ++state_->jobs;
  (void)work.release();
}

void Loop::after(unsigned milliseconds, std::function<void()> then) {
  state_->then = std::move(then);
  uv_update_time(&state_->loop);
  uv_timer_start(
      &state_->timer, [](uv_timer_t* t) { static_cast<State*>(t->data)->then(); }, milliseconds, 0);
}

struct Pipe::State {
  uv_loop_t* loop = nullptr;
  uv_pipe_t in{}, out{};
  Events events;
  std::array<char, 64 * 1024> buffer{};
  // One write at a time; what comes meanwhile is gathered, so that many small messages take little more than their
  // bytes.
  uv_write_t request{};
  std::string writing;
  std::deque<std::string> waiting;
  std::size_t queued = 0;

  void start();
  void written(int status);
};

Pipe::Pipe(Loop& loop, int in, int out, Events events) : state_(std::make_unique<State>()) {
  state_->loop = &loop.state_->loop;
  state_->events = std::move(events);
  for (auto [pipe, file] : {std::pair{&state_->in, in}, std::pair{&state_->out, out}}) {
    check_uv(uv_pipe_init(state_->loop, pipe, 0), "making a pipe");
    pipe->data = state_.get();
    check_uv(uv_pipe_open(pipe, file), "opening the browser's pipe");
  }
  check_uv(uv_read_start(
               reinterpret_cast<uv_stream_t*>(&state_->in),
               [](uv_handle_t* h, std::size_t, uv_buf_t* buf) {
                 auto& buffer = static_cast<State*>(h->data)->buffer;
                 *buf = uv_buf_init(buffer.data(), buffer.size());
               },
               [](uv_stream_t* s, ssize_t n, const uv_buf_t* buf) {
                 auto& state = *static_cast<State*>(s->data);
                 if (n > 0) return state.events.bytes({buf->base, static_cast<std::size_t>(n)});
                 if (n == 0) return;
                 uv_read_stop(s);
                 state.events.end();
               }),
           "reading from the browser");
}

Pipe::~Pipe() {
  uv_close(reinterpret_cast<uv_handle_t*>(&state_->in), nullptr);
  uv_close(reinterpret_cast<uv_handle_t*>(&state_->out), nullptr);
  state_->events = {[](auto) {}, [] {}, [] {}, [](auto) {}};
  uv_run(state_->loop, UV_RUN_NOWAIT);
}

void Pipe::State::start() {
  writing = std::move(waiting.front());
  waiting.pop_front();
  request.data = this;
  const uv_buf_t buf = uv_buf_init(writing.data(), static_cast<unsigned>(writing.size()));
  const int result = uv_write(&request, reinterpret_cast<uv_stream_t*>(&out), &buf, 1,
                              [](uv_write_t* r, int status) { static_cast<State*>(r->data)->written(status); });
  if (result < 0) written(result);
}

void Pipe::State::written(int status) {
  queued -= std::exchange(writing, {}).size();
  if (status != 0) {
    waiting.clear();
    queued = 0;
    return events.broken(uv_strerror(status));
  }
  if (!waiting.empty()) start();
  events.drained();
}

void Pipe::write(std::string bytes) {
  constexpr std::size_t gathered = 64 * 1024;
  std::deque<std::string>& waiting = state_->waiting;
  state_->queued += bytes.size();
  if (waiting.empty() || waiting.back().size() + bytes.size() > gathered) {
    waiting.push_back(std::move(bytes));
  } else {
    waiting.back() += bytes;
  }
  if (state_->writing.empty()) state_->start();
}

std::size_t Pipe::queued() const { return state_->queued; }

void Pipe::stop_reading() { uv_read_stop(reinterpret_cast<uv_stream_t*>(&state_->in)); }

}  // namespace sg::host
