// The host itself: a message comes in, its handler runs, a reply goes out. Whatever may block runs on the thread pool,
// so the loop always answers; checkpoints go through one queue, in the order in which they were asked for. What goes
// wrong anywhere ends here as a reply: exceptions are caught in this file alone.
#pragma once
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "native_host/datasets.h"
#include "native_host/framing.h"
#include "native_host/grants.h"
#include "native_host/messages.h"
#include "native_host/picker.h"
#include "native_host/pipe.h"
#include "native_host/store.h"
#include "native_host/stream.h"

namespace sg::host {

/// How long the host works on after its input has ended: the browser kills it after two seconds.
inline constexpr unsigned kGraceMilliseconds = 500;

class Host {
 public:
  /// Without a picker nothing can be shown, and dialog.open says so.
  Host(Loop& loop, Grants grants, PickerEnds picker = {})
      : loop_(loop), grants_(std::move(grants)), picker_ends_(std::move(picker)) {}
  ~Host();
  /// Talks to the browser until it leaves; gives the program's exit status.
  int serve(int in, int out);

 private:
  struct Row;
  struct Description;
  struct PickerLine;
  struct Importing;
  /// A request that has no final reply yet.
  struct Open {
    bool cancellable = false;
    bool cancelled = false;
    bool streams = false;  // is a stream, or will be one when its file is open
    std::shared_ptr<Stream> stream;
    std::function<void()> at_cancel;  // what a cancel does at once, where nothing looks at `cancelled` by itself
  };
  using Job = std::function<Json()>;
  using Done = std::function<void(Json value, std::exception_ptr error)>;

  static const std::vector<Row>& rows();

  void received(std::string_view bytes);
  void message(const std::string& text);
  void drained();

  void hello(Id id, const Hello& request);
  void list(Id id, const DatasetList& request);
  void describe(Id id, const DatasetReading& request);
  void describe_slice(Id id, std::shared_ptr<Description> description);
  void read(Id id, const DatasetRead& request);
  void import(Id id, const DatasetReading& request);
  void import_slice(Id id, std::shared_ptr<Importing> importing);
  void end_import(Id id, std::shared_ptr<Importing> importing, Json value, std::exception_ptr error);
  void imports(Id id, const DatasetImports& request);
  void manifest(Id id, const DatasetManifest& request);
  void forget(Id id, const DatasetForget& request);
  void read_shard(Id id, const ShardRead& request);
  void credit(Id id, const FlowCredit& request);
  void cancel(Id id, const RequestCancel& request);
  void begin(Id id, const CheckpointBegin& request);
  void write(Id id, const CheckpointWrite& request);
  void commit(Id id, const CheckpointEnd& request);
  void abort(Id id, const CheckpointEnd& request);
  void list_checkpoints(Id id, const StoreList& request);
  void read_checkpoint(Id id, const CheckpointRead& request);
  void remove(Id id, const CheckpointRemove& request);
  void open_dialog(Id id, const DialogOpen& request);

  void hear_picker();
  void picked(const Answer& answer);
  void lose_picker();
  void list_runs(Id id, const StoreList& request);
  void describe_run(Id id, const RunDescribe& request);
  void remove_run(Id id, const RunRemove& request);

  using OpenStream = std::function<std::shared_ptr<Stream>()>;
  /// What remains once the file of a stream is open: announce it and let it flow.
  Done flow(Id id, std::shared_ptr<std::shared_ptr<Stream>> opened);
  void pump(const std::shared_ptr<Stream>& stream);
  void check_streams() const;

  /// The imported data sets, where the grants have them by now. For the pool.
  std::shared_ptr<Datasets> datasets();

  void on_pool(Job job, Done done);
  /// Like on_pool, but one at a time and in order, with the store.
  void in_store(std::function<Json(Store&)> job, Done done);
  void next_in_store();
  /// The usual `done`: replies to `id` with the value or the failure.
  Done reply_to(Id id, bool cancellable = false);
  static std::exception_ptr cancelled(Id id);

  void reply(Id id, Json fields);
  void fail(const Json& id, const std::exception_ptr& error);
  /// fail(), and the request or stream is open no longer.
  void end(Id id, const std::exception_ptr& error);
  void send(const Json& message);
  void send_text(std::string_view json);
  void finish(int status);
  /// Ends as at the end of the input, once what was sent so far is written: the browser then starts a new host, which
  /// has the folders that are granted by now. A reply says so first (host.restart, or the message's own).
  void restart_after_reply() { finish(0); }
  void finish_if_idle();

  Loop& loop_;
  Grants grants_;
  PickerEnds picker_ends_;
  std::unique_ptr<Pipe> pipe_;
  std::shared_ptr<PickerLine> picker_;
  Decoder decoder_;
  std::map<Id, Open> open_;
  std::map<std::int64_t, std::int64_t> unanswered_writes_;  // by handle
  std::deque<std::function<void()>> store_queue_;
  bool store_busy_ = false;
  std::unique_ptr<Store> store_;  // made and used by the store's queue alone
  std::mutex datasets_mutex_;
  std::shared_ptr<Datasets> datasets_;
  bool importing_ = false;
  std::int64_t frames_sent_ = 0;
  bool greeted_ = false;
  bool finishing_ = false;
  int status_ = 0;
};

}  // namespace sg::host
