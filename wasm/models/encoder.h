// What the models with a transformer encoder share: the fields of its layers, and the options made from them. The
// layers are pre-norm with GELU, and four times as wide within.
#pragma once
#include "models/model.h"
#include "nn/attention.h"

namespace sg::models {

inline Field heads_field() {
  return Field::integer("heads", 4, 1, 32,
                        "things that each layer may attend to at once; width must be a multiple of them");
}

/// From the fields width, heads and dropout; throws config.bad_field where they do not go together.
inline nn::TransformerOptions encoder_options(const Values& values) {
  const int width = whole(values, "width"), heads = whole(values, "heads");
  need_multiple("model.width", width, "model.heads", heads);
  return {.width = width,
          .heads = heads,
          .feedforward = 4 * width,
          .dropout = real(values, "dropout"),
          .norm_first = true,
          .gelu = true};
}

}  // namespace sg::models
