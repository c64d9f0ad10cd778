"""Makes the golden files of tests/golden/reading: Parquet, Arrow, zip and gzip as the reference writers make them.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install pyarrow==26.0.1 numpy
    /tmp/venv/bin/python tests/golden/make_reading_golden.py

What they hold follows from the row's number, by the rules in `table` and in tests/extension/reading/golden.ts.
"""
import datetime
import decimal
import gzip
import io
import pathlib
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet

OUT = pathlib.Path(__file__).parent / "reading"
START = datetime.datetime(2021, 3, 4, 5, 6, 7)


def table(rows):
    n = range(rows)
    some = lambda make: [None if i % 7 == 3 else make(i) for i in n]
    return pa.table({
        "float": pa.array(some(lambda i: i / 4), pa.float32()),
        "double": pa.array(some(lambda i: i / 8), pa.float64()),
        "int": pa.array(some(lambda i: i - 5), pa.int16()),
        "long": pa.array(some(lambda i: i * 1000), pa.int64()),
        "flag": pa.array(some(lambda i: i % 2 == 0), pa.bool_()),
        "word": pa.array(some(lambda i: f"w{i % 3}"), pa.string()),
        "kind": pa.array(some(lambda i: f"k{i % 4}"), pa.string()).dictionary_encode(),
        "when": pa.array(some(lambda i: START + datetime.timedelta(minutes=i)), pa.timestamp("us")),
        "day": pa.array(some(lambda i: datetime.date(2020, 1, 1) + datetime.timedelta(days=i)), pa.date32()),
        "price": pa.array(some(lambda i: decimal.Decimal(i) / 100 - 1), pa.decimal128(9, 2)),
        "nested": pa.array([[i] for i in n], pa.list_(pa.int16())),
    })


def main():
    OUT.mkdir(exist_ok=True)
    small, large = table(40), table(3000)
    parquet.write_table(small, OUT / "snappy.parquet", compression="snappy")
    parquet.write_table(large, OUT / "groups_zstd.parquet", compression="zstd", row_group_size=1000)
    parquet.write_table(small, OUT / "gzip_v2.parquet", compression="gzip", data_page_version="2.0")
    parquet.write_table(pa.table({"nested": small["nested"]}), OUT / "nested_only.parquet")
    feather.write_feather(small, OUT / "plain.feather", compression="uncompressed")
    feather.write_feather(large, OUT / "lz4.feather", compression="lz4", chunksize=1000)
    feather.write_feather(small, OUT / "zstd.feather", compression="zstd")
    with pa.OSFile(str(OUT / "stream.arrows"), "wb") as sink, pa.ipc.new_stream(sink, small.schema) as writer:
        writer.write_table(small, max_chunksize=17)
    text = "a,b\n" + "".join(f"{i},{i / 2}\n" for i in range(200))
    (OUT / "table.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    np.savez_compressed(OUT / "arrays.npz", x=np.arange(12, dtype="<f4").reshape(4, 3), y=np.arange(4, dtype="<i8"))
    archive = zipfile.ZipFile(OUT / "one.zip", "w", zipfile.ZIP_DEFLATED)
    for name, body in [("data/", ""), ("data/table.csv", text), ("__MACOSX/data/._table.csv", "x"), (".hidden", "x")]:
        archive.writestr(zipfile.ZipInfo(name), body)
    archive.close()
    archive = zipfile.ZipFile(OUT / "two.zip", "w", zipfile.ZIP_STORED)
    for name in ["a.csv", "b.csv"]:
        archive.writestr(zipfile.ZipInfo(name), text)
    archive.close()


main()
