"""What the golden files share: how they are written, and what a case of a layer or a loss holds.

    NAME/inputs.X           what goes in (indices, lengths and masks as whole floats)
    NAME/parameters.P       the module's parameters under PyTorch's names, NAME/buffers.B its buffers before the call
    NAME/output             what comes out
    NAME/projection         fixed numbers; the scalar that is differentiated is the sum of output * projection
    NAME/d.inputs.X, NAME/d.parameters.P, NAME/after.B      gradients, and buffers after the call
"""
import json
import pathlib
import struct
import zlib

import torch

HERE = pathlib.Path(__file__).parent
torch.set_num_threads(1)


class Golden:
    """One file: safetensors written by hand, so that nothing but torch and numpy is needed."""

    def __init__(self):
        self.tensors = {}

    def add(self, name, value):
        assert name not in self.tensors, name
        value = value.detach() if isinstance(value, torch.Tensor) else torch.tensor(value)
        self.tensors[name] = value.to(torch.float32).contiguous().numpy().copy()

    def write(self, name):
        header = {"__metadata__": {"torch": torch.__version__.split("+")[0], "made by": "tests/golden/make_golden.py"}}
        data = b""
        for key in sorted(self.tensors):
            raw = self.tensors[key].astype("<f4").tobytes()
            header[key] = {
                "dtype": "F32",
                "shape": list(self.tensors[key].shape),
                "data_offsets": [len(data), len(data) + len(raw)],
            }
            data += raw
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        (HERE / name).write_bytes(struct.pack("<Q", len(text)) + text + data)
        print(f"{name}: {len(self.tensors)} tensors, {8 + len(text) + len(data)} bytes")


def numbers(*sizes, low=-1.0, high=1.0):
    return torch.rand(sizes) * (high - low) + low


def seed(name):
    torch.manual_seed(zlib.crc32(name.encode()))


def store_case(golden, name, inputs, learnt, parameters, output):
    """Adds what went in, what came out, and the gradients of the sum of output * projection."""
    projection = numbers(*output.shape)
    (output * projection).sum().backward()
    golden.add(f"{name}/output", output)
    golden.add(f"{name}/projection", projection)
    for key, value in inputs.items():
        golden.add(f"{name}/inputs.{key}", value)
        if key in learnt:
            golden.add(f"{name}/d.inputs.{key}", value.grad)
    for key, value in parameters:
        golden.add(f"{name}/parameters.{key}", value)
        golden.add(f"{name}/d.parameters.{key}", value.grad)
