// dialog.open: the person picks in the desktop's own dialog, the picker grants what was picked, and this process, which
// is locked to what was granted before, says so and ends. The browser's side starts the next one.
#include <iostream>

#include "native_host/host.h"

namespace sg::host {
namespace {

Failure unavailable(const std::string& why) {
  return Failure("dialog.unavailable", "No file chooser can be shown here: " + why +
                                           ". Grant a folder at a terminal instead: shadegrad-host grant DIR");
}

}  // namespace

/// The line to the picker, and the request that its next answer is for.
struct Host::PickerLine {
  std::unique_ptr<Pipe> pipe;
  AnswerReader reader;
  std::optional<Id> open;
  bool lost = false;

  void say(Ask ask) { pipe->write(std::string(1, static_cast<char>(ask))); }
};

void Host::hear_picker() {
  if (!picker_ends_.from || !picker_ends_.to) return;
  picker_ = std::make_shared<PickerLine>();
  picker_->pipe =
      std::make_unique<Pipe>(loop_, picker_ends_.from.release(), picker_ends_.to.release(),
                             Pipe::Events{
                                 [this](std::string_view bytes) {
                                   try {
                                     picker_->reader.feed(bytes, [this](const Answer& answer) { picked(answer); });
                                   } catch (const std::exception& e) {
                                     std::cerr << "shadegrad-host: " << e.what() << "\n";
                                     picker_->pipe->stop_reading();
                                     lose_picker();
                                   }
                                 },
                                 [this] { lose_picker(); },
                                 [] {},
                                 [this](const std::string&) { lose_picker(); },
                             });
}

void Host::open_dialog(Id id, const DialogOpen& request) {
  if (!picker_ || picker_->lost) throw unavailable("the program that shows it does not run");
  if (picker_->open) throw Failure("dialog.busy", "A dialog is open already: answer it, or cancel it.");
  picker_->open = id;
  open_[id].cancellable = true;
  open_[id].at_cancel = [this] { picker_->say(Ask::close); };
  picker_->say(request.file ? Ask::file : Ask::folder);
}

void Host::picked(const Answer& answer) {
  if (!picker_->open) return;
  const Id id = *picker_->open;
  picker_->open.reset();
  const auto open = open_.find(id);
  if (open == open_.end()) return;  // the end of the host came first
  const bool was_cancelled = open->second.cancelled;
  const auto failed = [&](const Failure& failure) { end(id, std::make_exception_ptr(failure)); };
  switch (answer.kind) {
    case Answer::Kind::granted:
      // A cancel that came too late has cancelled nothing.
      open_.erase(id);
      reply(id, {{"granted", answer.text}, {"restart", true}});
      return restart_after_reply();
    case Answer::Kind::cancelled:
      if (was_cancelled) return end(id, cancelled(id));
      open_.erase(id);
      return reply(id, {{"granted", nullptr}, {"restart", false}});
    case Answer::Kind::refused:
      return failed(Failure("dialog.refused", answer.text));
    case Answer::Kind::unavailable:
      return failed(unavailable(answer.text));
    case Answer::Kind::failed:
      return failed(Failure("dialog.failed", answer.text));
  }
}

void Host::lose_picker() {
  picker_->lost = true;  // closed with the host: this may be called by the line itself
  picked({Answer::Kind::failed, "The program that shows the desktop's dialog ended: nothing was granted."});
}

}  // namespace sg::host
