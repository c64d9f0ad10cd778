#include "train/copy.h"

#include <algorithm>

#include "core/check.h"

namespace sg::train {

Tensors download(const std::vector<Parameter>& from) {
  Tensors all;
  for (const Parameter& p : from) all.push_back({p.name, p.value.shape(), p.value.values()});
  return all;
}

const Values& values_for(const Parameter& p, const Tensors& values) {
  const auto found = std::find_if(values.begin(), values.end(), [&](const Values& v) { return v.name == p.name; });
  if (found == values.end())
    throw Error("checkpoint.missing", "the checkpoint has no tensor '" + p.name + "' that the model needs");
  if (!(found->shape == p.value.shape()))
    throw Error("checkpoint.mismatch", "tensor '" + p.name + "' of the checkpoint has the shape " + str(found->shape) +
                                           ", and the model's has " + str(p.value.shape()));
  return *found;
}

void upload(const Tensors& values, const std::vector<Parameter>& into) {
  for (Parameter p : into)
    p.value.set_value(Tensor::from(p.value.device(), p.value.shape(), values_for(p, values).values));
}

Download::Download(const std::vector<Parameter>& from) {
  for (const Parameter& p : from) {
    tensors_.push_back({p.name, p.value.shape(), std::vector<float>(static_cast<size_t>(p.value.size()))});
    readings_.push_back(p.value.device().begin_read(p.value.buffer(), p.value.size()));
  }
}

bool Download::poll(Device& device) {
  while (here_ < readings_.size() && device.finish_read(readings_[here_], tensors_[here_].values)) ++here_;
  return here_ == readings_.size();
}

}  // namespace sg::train
