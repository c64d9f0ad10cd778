// The names of runs and checkpoints: what every file system takes, whose, wherever a run's folder is copied to.
#pragma once
#include <string>
#include <string_view>

namespace sg::host {

/// RUN/FILE.safetensors in its two parts.
struct CheckpointName {
  std::string run, file;
  std::string whole() const { return run + "/" + file; }
};

bool is_run(std::string_view name);
/// A checkpoint's name within its run's folder.
bool is_checkpoint_file(std::string_view name);

/// Both throw store.name_refused.
CheckpointName checkpoint_name(const std::string& name);
void check_run(const std::string& name);

}  // namespace sg::host
