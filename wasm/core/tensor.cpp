#include "core/tensor.h"

#include <algorithm>

#include "core/check.h"

namespace sg {

/// Floats on a device, released with their last user.
struct Tensor::Storage {
  Device* device;
  Buffer buffer;
  Storage(Device& d, int64_t floats) : device(&d), buffer(d.allocate(floats)) {}
  ~Storage() { device->release(buffer); }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
};

Tensor Tensor::empty(Device& device, const Shape& shape) {
  SG_CHECK(shape.size() > 0, "an empty tensor " + str(shape) + " cannot be made");
  check_elements(shape.size());  // an op may have changed its sizes one by one
  return Tensor(std::make_shared<Body>(Body{std::make_shared<Storage>(device, shape.size()), shape}));
}

Tensor Tensor::from(Device& device, const Shape& shape, std::span<const float> values) {
  SG_CHECK(static_cast<int64_t>(values.size()) == shape.size(),
           std::to_string(values.size()) + " values for a tensor of shape " + str(shape));
  Tensor t = empty(device, shape);
  device.upload(t.buffer(), values);
  return t;
}

Tensor Tensor::full(Device& device, const Shape& shape, float value) {
  return make(params::fill{.value = value}, device, shape);
}

const Shape& Tensor::shape() const {
  SG_CHECK(defined(), "an undefined tensor was used");
  return body_->shape;
}
Device& Tensor::device() const { return *body_->storage->device; }
Buffer Tensor::buffer() const { return body_->storage->buffer; }

std::vector<float> Tensor::values() const {
  std::vector<float> out(static_cast<size_t>(size()));
  device().download(buffer(), out);
  return out;
}

float Tensor::item() const {
  SG_CHECK(size() == 1, "item: a tensor of shape " + str(shape()) + " is not one number");
  return values()[0];
}

bool Tensor::requires_grad() const { return body_ && body_->requires_grad; }
Tensor& Tensor::set_requires_grad() {
  body_->requires_grad = true;
  return *this;
}
Tensor Tensor::grad() const { return body_->grad; }
void Tensor::clear_grad() { body_->grad = {}; }

void Tensor::set_value(const Tensor& value) {
  SG_CHECK(value.shape() == shape(), "set_value: " + str(value.shape()) + " into " + str(shape()));
  body_->storage = value.body_->storage;
}

Tensor Tensor::detach() const { return view(shape()); }

Tensor Tensor::view(const Shape& shape) const {
  SG_CHECK(shape.size() == size(), "view: " + str(this->shape()) + " as " + str(shape));
  return Tensor(std::make_shared<Body>(Body{body_->storage, shape}));
}

std::vector<Tensor> run_kernel(Kernel kernel, std::span<const std::byte> parameters, std::span<const Tensor> inputs,
                               Device& device, const Shape& shape) {
  std::vector<Buffer> in;
  in.reserve(inputs.size());
  for (const Tensor& t : inputs) {
    SG_CHECK(&t.device() == &device, std::string(info(kernel).name) + ": its inputs are on different devices");
    in.push_back(t.buffer());
  }
  const size_t count = info(kernel).outputs.size();
  std::vector<Tensor> results;
  std::vector<Buffer> out;
  for (size_t i = 0; i < count; ++i) {
    results.push_back(Tensor::empty(device, shape));
    out.push_back(results.back().buffer());
  }
  device.run({kernel, in, out, parameters});
  return results;
}

}  // namespace sg
