"""Writes the golden files of the readers (tests/golden/io) with the programs that such files come from, and what has to
be read from them (expected_*.json). Needs numpy, scipy and safetensors; run by hand:  python3 tests/golden/make_io_golden.py
"""

import json
import pathlib
import struct
import wave

import numpy as np
import scipy.io.wavfile
from safetensors.numpy import save_file

OUT = pathlib.Path(__file__).parent / "io"
EXPECTED = {}


def plain(array):
    """A column's values as JSON: rows in order, elements row-major, None where there is no finite value."""
    flat = np.asarray(array).ravel(order="C")
    if flat.dtype.kind == "M":
        return [None if np.isnat(v) else float((v - np.datetime64(0, "s")) / np.timedelta64(1, "us")) / 1e6 for v in flat]
    if flat.dtype.kind == "S":
        return [v.decode("utf-8", "replace") or None for v in flat]
    if flat.dtype.kind == "U":
        return [str(v) or None for v in flat]
    with np.errstate(over="ignore"):
        return [float(v) if np.isfinite(np.float32(v)) else None for v in flat.astype(np.float64)]


def type_of(array, elements):
    if elements:
        return "elements"
    return {"M": "datetime", "S": "category", "U": "category"}.get(array.dtype.kind, "number")


def expect(file, rows, columns, **facts):
    """columns: (name, array of one column, shape of a row or ())."""
    EXPECTED[file] = {
        "rows": int(rows),
        "columns": [
            {"name": name, "type": type_of(np.asarray(a), shape), "shape": list(shape), "values": plain(a)}
            for name, a, shape in columns
        ],
        "facts": facts,
    }


def columns_of(array):
    array = np.atleast_1d(array)
    if array.dtype.names:
        return [(n, array[n], array[n].shape[1:]) for n in array.dtype.names]
    if array.ndim == 1:
        return [("value", array, ())]
    if array.ndim == 2:
        if array.shape[1] == 1:
            return [("value", array[:, 0], ())]
        return [(f"column_{c + 1}", array[:, c], ()) for c in range(array.shape[1])]
    return [("value", array, array.shape[1:])]


def npy(name, array, version=None):
    with open(OUT / name, "wb") as f:
        np.lib.format.write_array(f, array, version=version, allow_pickle=False)
    expect(name, np.atleast_1d(array).shape[0], columns_of(array), shape=list(array.shape))


def make_npy():
    random = np.random.default_rng(20261130)
    for dtype in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"]:
        for end in "<>":
            if end == ">" and np.dtype(dtype).itemsize == 1:
                continue
            if dtype[0] == "f":
                array = (random.normal(size=(5, 3)) * 100).astype(end + dtype)
                array[1, 2] = np.nan
                array[2, 0] = np.inf
                array[3, 1] = np.finfo(dtype).tiny
                array[4, 1] = np.finfo(np.float16).max
            elif dtype == "b1":
                array = random.integers(0, 2, size=(5, 3)).astype("?")
            else:
                info = np.iinfo(dtype)
                array = random.integers(info.min, info.max, size=(5, 3), dtype=dtype, endpoint=True).astype(end + dtype)
                array[0, 0], array[1, 0] = info.min, info.max
            npy(f"{'big' if end == '>' else 'little'}_{dtype}.npy", array)
    two = np.arange(24, dtype="<f4").reshape(8, 3) / 7
    npy("fortran.npy", np.asfortranarray(two))
    npy("fortran_big.npy", np.asfortranarray(two.astype(">i2")))
    npy("v2.npy", two, version=(2, 0))
    npy("v3.npy", two, version=(3, 0))
    npy("one_dimension.npy", np.arange(100, dtype="<i4"))
    npy("scalar.npy", np.float32(2.5).reshape(()))
    npy("one_column.npy", np.arange(6, dtype="<f8").reshape(6, 1))
    npy("images_u1.npy", random.integers(0, 256, size=(6, 4, 5), dtype=np.uint8))
    npy("signals_f4.npy", random.normal(size=(7, 2, 3, 2)).astype("<f4"))
    npy("mask.npy", random.integers(0, 2, size=(4, 3, 3)).astype("?"))
    npy("texts_U.npy", np.array(["Zürich", "Genf", "", "Zürich", "日本", "😀 x", "Genf", "日本", "😀 x", "Genf"]))
    npy("texts_U_big.npy", np.array(["a", "bb", "a", "bb"]).astype(">U2"))
    npy("texts_S.npy", np.array([b"red", b"green", b"red", b"", b"green", b"red"]))
    npy("times_ns.npy", np.array(["2020-01-01T00:00", "2020-01-01T00:10", "NaT", "1969-12-31T23:59:59.5"], "M8[ns]"))
    npy("times_D.npy", np.array(["2020-02-28", "2020-02-29", "2020-03-01"], "M8[D]"))
    npy("times_M.npy", np.array(["1969-12", "1970-01", "2024-02"], "M8[M]"))
    npy("times_Y.npy", np.array(["1900", "1970", "2024"], ">M8[Y]"))
    npy("times_25s.npy", np.array([0, 1, 4], "M8[25s]"))
    members = np.dtype([("t", "M8[s]"), ("open", "<f4"), ("n", ">i2"), ("flag", "?"), ("who", "U3"), ("v", "<f8", (2, 2))])
    rows = np.zeros(4, members)
    rows["t"] = np.array([0, 60, 120, 180], "M8[s]")
    rows["open"] = [1.5, np.nan, 3, 4]
    rows["n"] = [1, -2, 300, 4]
    rows["flag"] = [True, False, True, True]
    rows["who"] = ["ann", "bob", "ann", "bob"]
    rows["v"] = np.arange(16).reshape(4, 2, 2)
    npy("structured.npy", rows)
    aligned = np.zeros(3, np.dtype([("a", "u1"), ("b", "<f8"), ("c", "<i4")], align=True))
    aligned["a"], aligned["b"], aligned["c"] = [1, 2, 3], [0.5, 1.5, 2.5], [-1, -2, -3]
    npy("aligned.npy", aligned)


def idx(name, array):
    code = {"u1": 8, "i1": 9, "i2": 11, "i4": 12, "f4": 13, "f8": 14}[array.dtype.str[1:]]
    with open(OUT / name, "wb") as f:
        f.write(struct.pack(">BBBB", 0, 0, code, array.ndim))
        f.write(struct.pack(f">{array.ndim}I", *array.shape))
        f.write(array.astype(array.dtype.newbyteorder(">")).tobytes())
    shape = array.shape[1:]
    expect(name, array.shape[0], [("value" if shape else "label", array, shape)])
    if array.dtype == np.uint8 and not shape:
        column = EXPECTED[name]["columns"][0]
        column["type"], column["values"] = "category", [str(v) for v in array]
    elif not shape:
        EXPECTED[name]["columns"][0]["name"] = "value"


def make_idx():
    random = np.random.default_rng(7)
    idx("labels-idx1-ubyte", random.integers(0, 10, size=30, dtype=np.uint8))
    idx("images-idx3-ubyte", random.integers(0, 256, size=(5, 6, 4), dtype=np.uint8))
    idx("bytes_i1.idx", random.integers(-128, 128, size=(3, 4), dtype=np.int8))
    idx("shorts.idx", random.integers(-30000, 30000, size=9).astype(np.int16))
    idx("ints.idx", random.integers(-(2**31), 2**31, size=(4, 2)).astype(np.int32))
    idx("floats.idx", random.normal(size=(4, 2, 2)).astype(np.float32))
    idx("doubles.idx", random.normal(size=5))


def wav_columns(array):
    array = array if array.ndim == 2 else array[:, None]
    names = {1: ["mono"], 2: ["left", "right"]}.get(array.shape[1], [f"channel_{c + 1}" for c in range(array.shape[1])])
    return [(n, array[:, c], ()) for c, n in enumerate(names)]


def make_wav():
    time = np.arange(60) / 8000
    tone = np.sin(2 * np.pi * 440 * time)
    stereo = np.stack([tone, -tone / 2], 1)

    def scipy_file(name, rate, array, scale, offset=0.0):
        scipy.io.wavfile.write(OUT / name, rate, array)
        expect(name, len(array), wav_columns((array.astype(np.float64) - offset) / scale), sampleRate=rate)

    scipy_file("pcm8.wav", 8000, (128 + 127 * tone).astype(np.uint8), 128.0, 128)
    scipy_file("pcm16.wav", 44100, (32767 * stereo).astype(np.int16), 32768.0)
    scipy_file("pcm32.wav", 48000, (2147483647 * tone).astype(np.int32), 2147483648.0)
    scipy_file("float32.wav", 16000, stereo.astype(np.float32), 1.0)
    scipy_file("float64.wav", 16000, stereo, 1.0)
    whole = np.clip(np.round(tone * 8388607), -8388608, 8388607).astype(int)
    with wave.open(str(OUT / "pcm24.wav"), "wb") as f:
        f.setparams((1, 3, 22050, 0, "NONE", ""))
        f.writeframes(b"".join(int(v).to_bytes(3, "little", signed=True) for v in whole))
    expect("pcm24.wav", len(whole), wav_columns(whole / 8388608.0), sampleRate=22050)
    # By hand, after Microsoft's and EBU's texts: an extensible header with four channels, an odd chunk before the data,
    # and RF64, whose sizes stand in ds64.
    four = np.stack([tone, -tone, tone / 3, tone / 4], 1)
    pcm = (32767 * four).astype("<i2")
    guid = struct.pack("<H", 1) + bytes.fromhex("000000001000800000aa00389b71")
    form = struct.pack("<HHIIHHHHI", 0xFFFE, 4, 8000, 8000 * 8, 8, 16, 22, 16, 0x33) + guid
    chunks = b"fmt " + struct.pack("<I", len(form)) + form + b"LIST" + struct.pack("<I", 5) + b"abcde\0"
    chunks += b"data" + struct.pack("<I", pcm.nbytes) + pcm.tobytes()
    (OUT / "extensible.wav").write_bytes(b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks)
    expect("extensible.wav", len(pcm), wav_columns(pcm / 32768.0), sampleRate=8000)
    mono = (32767 * tone).astype("<i2")
    form = struct.pack("<HHIIHH", 1, 1, 8000, 16000, 2, 16)
    ds64 = struct.pack("<QQQI", 0, mono.nbytes, len(mono), 0)
    chunks = b"ds64" + struct.pack("<I", len(ds64)) + ds64 + b"fmt " + struct.pack("<I", len(form)) + form
    chunks += b"data" + struct.pack("<I", 0xFFFFFFFF) + mono.tobytes()
    (OUT / "rf64.wav").write_bytes(b"RF64" + struct.pack("<I", 0xFFFFFFFF) + b"WAVE" + chunks)
    expect("rf64.wav", len(mono), wav_columns(mono / 32768.0), sampleRate=8000)


def make_safetensors():
    random = np.random.default_rng(11)
    tensors = {
        "images": random.integers(0, 256, size=(6, 3, 4), dtype=np.uint8),
        "labels": np.array([0, 1, 2, 1, 0, 2], np.int64),
        "half": random.normal(size=(6, 2)).astype(np.float16),
        "features": random.normal(size=(6, 3)).astype(np.float32),
        "weights": random.normal(size=6),
    }
    save_file(tensors, OUT / "data.safetensors")
    content = (OUT / "data.safetensors").read_bytes()
    header = json.loads(content[8 : 8 + struct.unpack("<Q", content[:8])[0]])
    order = sorted((n for n in header if n != "__metadata__"), key=lambda n: header[n]["data_offsets"][0])
    columns = []
    for name in order:
        a = tensors[name]
        if a.ndim == 1:
            columns.append((name, a, ()))
        elif a.ndim == 2:
            columns += [(f"{name}.{c}", a[:, c], ()) for c in range(a.shape[1])]
        else:
            columns.append((name, a, a.shape[1:]))
    expect("data.safetensors", 6, columns)


def write_plain_shard():
    """A shard without hashes (FORMATS.md): three rows from the seventh on, one of them missing."""
    header = {
        "__metadata__": {"first_row": "6", "format": "shadegrad-shard/2", "rows": "3"},
        "c2": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]},
        "c2.null": {"dtype": "U8", "shape": [1], "data_offsets": [12, 13]},
        "lines": {"dtype": "I64", "shape": [1, 2], "data_offsets": [13, 29]},
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    values = struct.pack("<fIfB2q", 1, 0x7FC00000, -2.5, 2, 6, 8)
    (OUT / "plain_shard.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + values)


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    write_plain_shard()
    for make in [make_npy, make_idx, make_wav, make_safetensors]:
        EXPECTED.clear()
        make()
        lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in sorted(EXPECTED.items()))
        name = f"expected_{make.__name__.removeprefix('make_')}.json"
        (OUT / name).write_text("{\n" + lines + "\n}\n", encoding="utf-8")
