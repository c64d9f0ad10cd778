#include "native_host/host.h"

#include <algorithm>
#include <iostream>

#include "native_host/build.h"
#include "native_host/json.h"

namespace sg::host {
namespace {

constexpr std::size_t kMostOpen = 64;
constexpr std::size_t kMostQueued = 32u << 20;  // the browser has stopped reading above this

Json failure_reply(const Json& id, const std::exception_ptr& error) {
  Json reply = Json::object();
  const auto describe = [&](const std::string& code, const char* message) {
    reply["id"] = id;
    reply["ok"] = false;
    reply["code"] = code;
    reply["message"] = message;
  };
  try {
    std::rethrow_exception(error);
  } catch (const Failure& e) {
    reply = e.details();
    describe(e.code(), e.what());
  } catch (const std::exception& e) {
    const Failure fault("host.internal", std::string("The native host made a mistake; please report it: ") + e.what());
    describe(fault.code(), fault.what());
  }
  return reply;
}

}  // namespace

/// One message that the host understands.
struct Host::Row {
  std::string type;
  std::function<void(Host&, Id, Fields&)> handle;

  template <class Request>
  Row(const char* name, void (Host::*handler)(Id, const Request&))
      : type(name), handle([handler](Host& host, Id id, Fields& fields) {
          const Request request(fields);
          fields.finish();
          (host.*handler)(id, request);
        }) {}
};

const std::vector<Host::Row>& Host::rows() {
  static const std::vector<Row> rows{
      {"hello", &Host::hello},
      {"dataset.list", &Host::list},
      {"dataset.describe", &Host::describe},
      {"dataset.read", &Host::read},
      {"dataset.import", &Host::import},
      {"dataset.imports", &Host::imports},
      {"dataset.manifest", &Host::manifest},
      {"dataset.forget", &Host::forget},
      {"shard.read", &Host::read_shard},
      {"flow.credit", &Host::credit},
      {"request.cancel", &Host::cancel},
      {"checkpoint.begin", &Host::begin},
      {"checkpoint.write", &Host::write},
      {"checkpoint.commit", &Host::commit},
      {"checkpoint.abort", &Host::abort},
      {"checkpoint.list", &Host::list_checkpoints},
      {"checkpoint.read", &Host::read_checkpoint},
      {"checkpoint.remove", &Host::remove},
      {"dialog.open", &Host::open_dialog},
      {"run.list", &Host::list_runs},
      {"run.describe", &Host::describe_run},
      {"run.remove", &Host::remove_run},
  };
  return rows;
}

Host::~Host() = default;

int Host::serve(int in, int out) {
  pipe_ = std::make_unique<Pipe>(loop_, in, out,
                                 Pipe::Events{
                                     [this](std::string_view bytes) { received(bytes); },
                                     [this] { finish(0); },
                                     [this] { drained(); },
                                     [this](const std::string& why) {
                                       if (!finishing_)
                                         std::cerr << "shadegrad-host: the browser can't be written to: " << why
                                                   << "\n";
                                       finish(1);
                                       finish_if_idle();
                                     },
                                 });
  hear_picker();
  const auto complain = [](const Json&, const std::exception_ptr& error) {
    if (error) std::cerr << "shadegrad-host: " << failure_reply(nullptr, error)["message"] << "\n";
  };
  in_store(
      [](Store& store) {
        store.remove_leftovers();
        return Json();
      },
      complain);
  on_pool(
      [this] {
        datasets()->remove_leftovers();
        return Json();
      },
      complain);
  loop_.run();
  return status_;
}

void Host::drained() {
  const auto open = open_;  // by value: a stream that ends takes itself out
  for (const auto& [id, request] : open) {
    if (request.stream) pump(request.stream);
  }
  finish_if_idle();
}

void Host::received(std::string_view bytes) {
  try {
    decoder_.feed(bytes, [this](const std::string& text) { message(text); });
  } catch (const std::exception& e) {
    fail(nullptr, std::current_exception());
    std::cerr << "shadegrad-host: " << e.what() << "\n";
    finish(3);
  }
}

void Host::message(const std::string& text) {
  Json id = nullptr;
  std::string type;
  try {
    const Values message = read_json(text);
    if (message[0].get<Object>() == nullptr) throw Failure("message.malformed", "A message must be an object.");
    const Value* given = member(message[0], "id");
    const auto* number = given == nullptr ? nullptr : given->get<std::int64_t>();
    if (number == nullptr || *number < 1 || *number > kLargestWhole) {
      throw Failure("message.malformed", "A message needs a whole number from 1 as 'id'.");
    }
    id = *number;
    Fields fields(message[0]);
    const Id whole = fields.whole("id", 1, kLargestWhole);
    type = fields.text("type", 64);
    const auto row = std::find_if(rows().begin(), rows().end(), [&](const Row& r) { return r.type == type; });
    if (row == rows().end()) {
      throw Failure("message.unknown",
                    "This host (version " + std::string(kVersion) + ") knows no message '" + type + "'.");
    }
    if (!greeted_ && type != "hello") {
      throw Failure("protocol.hello_required", "The first message must be a 'hello' that succeeds.");
    }
    if (type != "flow.credit") {
      if (open_.count(whole)) {
        throw Failure("request.duplicate", "The id " + std::to_string(whole) + " is in use by an open request.");
      }
      if (open_.size() >= kMostOpen) {
        throw Failure("request.busy", std::to_string(kMostOpen) + " requests are open: wait for replies.");
      }
    }
    row->handle(*this, whole, fields);
  } catch (const std::exception&) {
    // Credit has no reply of its own: what is wrong with it ends its stream.
    if (type == "flow.credit") open_.erase(id.get<Id>());
    fail(id, std::current_exception());
  }
}

void Host::on_pool(Job job, Done done) {
  struct Outcome {
    Json value;
    std::exception_ptr error;
  };
  const auto outcome = std::make_shared<Outcome>();
  loop_.work(
      [job = std::move(job), outcome] {
        try {
          outcome->value = job();
        } catch (const std::exception&) {
          outcome->error = std::current_exception();
        }
      },
      [done = std::move(done), outcome] { done(std::move(outcome->value), outcome->error); });
}

void Host::in_store(std::function<Json(Store&)> job, Done done) {
  auto whole = [this, job = std::move(job)] {
    if (!store_) store_ = std::make_unique<Store>(grants_.checkpoints());
    return job(*store_);
  };
  store_queue_.push_back([this, whole = std::move(whole), done = std::move(done)] {
    on_pool(whole, [this, done](Json value, std::exception_ptr error) {
      store_busy_ = false;
      done(std::move(value), error);
      next_in_store();
    });
  });
  next_in_store();
}

void Host::next_in_store() {
  if (store_busy_ || store_queue_.empty()) return;
  store_busy_ = true;
  const auto start = std::move(store_queue_.front());
  store_queue_.pop_front();
  start();
}

Host::Done Host::reply_to(Id id, bool cancellable) {
  open_[id].cancellable = cancellable;
  return [this, id](Json value, const std::exception_ptr& error) {
    if (error) {
      end(id, error);
    } else if (open_[id].cancelled) {
      end(id, cancelled(id));
    } else {
      open_.erase(id);
      reply(id, std::move(value));
    }
  };
}

std::exception_ptr Host::cancelled(Id id) {
  return std::make_exception_ptr(Failure("request.cancelled", "The request " + std::to_string(id) + " was cancelled."));
}

void Host::end(Id id, const std::exception_ptr& error) {
  open_.erase(id);
  fail(id, error);
}

void Host::reply(Id id, Json fields) {
  fields["id"] = id;
  fields["ok"] = true;
  send(fields);
}

void Host::fail(const Json& id, const std::exception_ptr& error) {
  const Json reply = failure_reply(id, error);
  send(reply);
  if (reply["code"] == "host.restart") restart_after_reply();
}

void Host::send(const Json& message) {
  std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kOutboundCap) {
    const auto fault =
        std::make_exception_ptr(std::length_error("a reply of " + std::to_string(text.size()) + " bytes"));
    text = failure_reply(message["id"], fault).dump();
  }
  send_text(text);
}

void Host::send_text(std::string_view json) {
  pipe_->write(encode_frame(json));
  if (pipe_->queued() > kMostQueued && !finishing_) {
    std::cerr << "shadegrad-host: the browser has stopped reading\n";
    finish(1);
  }
  finish_if_idle();
}

void Host::finish(int status) {
  if (finishing_) return;
  finishing_ = true;
  status_ = status;
  pipe_->stop_reading();
  // Nobody is there to give credit or to pick: streams and dialogs end now, what else was asked for is still done.
  for (auto at = open_.begin(); at != open_.end();) {
    at->second.cancelled = at->second.cancellable;
    at = at->second.stream || at->second.at_cancel ? open_.erase(at) : std::next(at);
  }
  loop_.after(kGraceMilliseconds, [this] { loop_.stop(); });
  finish_if_idle();
}

void Host::finish_if_idle() {
  if (finishing_ && open_.empty() && loop_.jobs() == 0 && store_queue_.empty() && pipe_->queued() == 0) loop_.stop();
}

}  // namespace sg::host
