#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what the tests of decoding are held against: files of every kind, and Pillow's pixels of them.

    pip install pillow numpy
    python3 tests/plugins/image/make_file_references.py

Rewrites png/, formats/ and its part of references/ beside itself; with Pillow 13.0.0 it gives the files as they
are kept. Pixels are kept as the CRC-32 of their bytes.
"""

import io
import itertools
import os
import random
import struct
import warnings
import zlib

import numpy as np
from PIL import Image, ImageOps

HERE = os.path.dirname(os.path.abspath(__file__))
BACKGROUND = (12, 130, 250)  # as in picture_test.cpp
METHODS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


def lines(name, header, rows):
    with open(os.path.join(HERE, "references", name), "w") as f:
        f.write("# " + header + "\n")
        for row in rows:
            f.write(" ".join(str(v) for v in row) + "\n")


def crc(pixels):
    return zlib.crc32(np.ascontiguousarray(pixels).tobytes())


def unchanged(im):
    """The channels that the file has, 8 bits of each; palettes looked up."""
    if im.mode == "P":
        im = im.convert("RGBA" if "transparency" in im.info else "RGB")
    if im.mode == "I;16":
        return (np.asarray(im) >> 8).astype(np.uint8)
    return np.asarray(im.convert("L") if im.mode == "1" else im)


def picture_line(name, data, alpha=None, channels=None):
    """`alpha`: what is known better than Pillow does, which compares a tRNS colour with pixels that it has
    scaled, but not the colour. `channels`: of a file that Pillow opens with more than it has."""
    try:
        im = Image.open(io.BytesIO(data))
        im.load()
        im = ImageOps.exif_transpose(im)
        rgb = im.convert("RGB")
        plain = unchanged(im)
    except Exception:
        return [name, "refused"]
    if alpha is None:
        alpha = np.asarray(im.convert("RGBA"))[:, :, 3]
    gray = np.asarray(rgb.convert("L"))
    assert np.array_equal(gray, np.asarray(im.convert("L")))
    blended = Image.new("RGB", rgb.size, BACKGROUND)
    blended.paste(rgb, mask=Image.fromarray(alpha))
    crcs = [
        crc(rgb),
        crc(gray),
        crc(np.dstack([rgb, alpha])),
        crc(np.dstack([gray, alpha])),
        crc(blended),
        crc(blended.convert("L")),
        crc(plain if channels is None else plain[:, :, channels]),
    ]
    return [name, rgb.width, rgb.height, *crcs]


def trials():
    folder = os.path.join(HERE, "trials")
    rows = []
    for name in sorted(os.listdir(folder)):
        if name.endswith((".jpg", ".png")):
            with open(os.path.join(folder, name), "rb") as f:
                rows.append(picture_line(name, f.read()))
    lines("trials.txt", PICTURE_HEADER, rows)


PICTURE_HEADER = (
    f"Pillow {Image.__version__}, EXIF applied: file width height, crc of rgb, gray, rgb + alpha, gray + alpha, "
    "rgb blended, gray blended, unchanged; or refused"
)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def samples_of(color, depth, w, h, r):
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    top = 1 << depth
    colors = min(top, 11)  # a palette shorter than its indices' range
    return [
        [[r.randrange(colors if color == 3 else top) for _ in range(channels)] for _ in range(w)]
        for _ in range(h)
    ]


def png(color, depth, px, interlaced, r, transparent):
    h, w = len(px), len(px[0])
    passes = [
        (0, 0, 8, 8),
        (4, 0, 8, 8),
        (0, 4, 4, 8),
        (2, 0, 4, 4),
        (0, 2, 2, 4),
        (1, 0, 2, 2),
        (0, 1, 1, 2),
    ]
    raw = bytearray()
    for x0, y0, dx, dy in passes if interlaced else [(0, 0, 1, 1)]:
        for y in range(y0, h, dy):
            values = [v for x in range(x0, w, dx) for v in px[y][x]]
            if not values:
                continue
            bits = "".join(format(v, f"0{depth}b") for v in values)
            bits += "0" * (-len(bits) % 8)
            raw += b"\0" + int(bits, 2).to_bytes(len(bits) // 8, "big")
    out = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, depth, color, 0, 0, interlaced))
    if color == 3:
        out += chunk(b"PLTE", bytes(r.randrange(256) for _ in range(3 * min(1 << depth, 11))))
    if transparent:
        out += chunk(b"tRNS", transparent)
    out += chunk(b"gAMA", struct.pack(">I", 45455)) + chunk(b"tEXt", b"Comment\0none")
    return out + chunk(b"IDAT", zlib.compress(bytes(raw), 9)) + chunk(b"IEND", b"")


def pngs():
    r = random.Random(3)
    rows = []
    for color, depths in {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}.items():
        for depth in depths:
            for interlaced in (0, 1):
                for keyed in (False, True) if color in (0, 2, 3) else (False,):
                    name = f"type{color}_{depth}bit" + "_interlaced" * interlaced + "_trns" * keyed + ".png"
                    px = samples_of(color, depth, 19, 13, r)
                    key = px[6][9]  # so that the colour occurs
                    transparent = bytes([0, 128]) if color == 3 else b"".join(v.to_bytes(2, "big") for v in key)
                    data = png(color, depth, px, interlaced, r, transparent if keyed else b"")
                    with open(os.path.join(HERE, "png", name), "wb") as f:
                        f.write(data)
                    alpha = None
                    if color in (0, 2):
                        alpha = np.array([[0 if keyed and p == key else 255 for p in row] for row in px], np.uint8)
                    channels = [0, 3] if color == 4 and depth == 16 else None
                    rows.append(picture_line(name, data, alpha, channels))
    lines("png.txt", PICTURE_HEADER, rows)


def formats():
    im = Image.new("RGB", (16, 16), (200, 100, 50))
    for name, kind in {
        "webp": "WEBP",
        "gif": "GIF",
        "bmp": "BMP",
        "tiff": "TIFF",
        "jp2": "JPEG2000",
        "avif": "AVIF",
        "ico": "ICO",
        "icns": "ICNS",
        "ppm": "PPM",
        "dds": "DDS",
        "pcx": "PCX",
        "qoi": "QOI",
    }.items():
        im.save(os.path.join(HERE, "formats", "picture." + name), kind)


# --- Orientation ---------------------------------------------------------------------------------------------

SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8}


def entry(order, tag, kind, count, value, offset=None):
    """A directory entry; `value` is packed already, or stands at `offset`."""
    field = value.ljust(4, b"\0") if offset is None else struct.pack(order + "I", offset)
    return struct.pack(order + "HHI", tag, kind, count) + field


def tiff(order, *entries, tail=b"", count=None, start=8):
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", start)
    count = len(entries) if count is None else count
    return head + struct.pack(order + "H", count) + b"".join(entries) + struct.pack(order + "I", 0) + tail


def short(order, value):
    return entry(order, 274, 3, 1, struct.pack(order + "H", value))


def exif_cases():
    for order, value in itertools.product("<>", range(0, 11)):
        yield tiff(order, short(order, value))
    for order in "<>":
        for kind, form in {1: "B", 2: "B", 4: "I", 6: "b", 7: "B", 8: "h", 9: "i", 13: "I"}.items():
            yield tiff(order, entry(order, 274, kind, 1, struct.pack(order + form, 6)))
        yield tiff(order, entry(order, 274, 11, 1, struct.pack(order + "f", 6.0)))
        yield tiff(order, entry(order, 274, 11, 1, struct.pack(order + "f", 6.5)))
        for kind, value in {
            5: struct.pack(order + "II", 12, 2),
            10: struct.pack(order + "ii", -12, -2),
            12: struct.pack(order + "d", 8.0),
            16: struct.pack(order + "Q", 3),
        }.items():
            yield tiff(order, entry(order, 274, kind, 1, b"", offset=26), tail=value)
        yield tiff(order, entry(order, 274, 5, 1, b"", offset=26), tail=struct.pack(order + "II", 13, 2))
        yield tiff(order, entry(order, 274, 5, 1, b"", offset=26), tail=struct.pack(order + "II", 6, 0))
        yield tiff(order, entry(order, 274, 3, 2, struct.pack(order + "HH", 6, 3)))
        yield tiff(order, entry(order, 274, 3, 3, b"", offset=26), tail=struct.pack(order + "HHH", 7, 3, 1))
        yield tiff(order, entry(order, 274, 3, 0, struct.pack(order + "H", 6)), short(order, 8))
        yield tiff(order, entry(order, 274, 14, 1, struct.pack(order + "H", 6)), short(order, 8))
        yield tiff(order, entry(order, 274, 99, 1, struct.pack(order + "H", 6)), short(order, 8))
        yield tiff(order, short(order, 5), short(order, 8))
        # An entry before it that reaches beyond the end, that is larger than the whole, that is sound.
        yield tiff(order, entry(order, 271, 2, 20, b"", offset=30), short(order, 6))
        yield tiff(order, entry(order, 271, 2, 20, b"", offset=5000), short(order, 6))
        yield tiff(order, entry(order, 271, 2, 5000, b"", offset=0), short(order, 6))
        yield tiff(order, entry(order, 271, 2, 30, b"", offset=0), entry(order, 272, 2, 30, b"", offset=0), short(order, 6))
        yield tiff(order, entry(order, 271, 2, 6, b"", offset=38), short(order, 6), tail=b"maker\0")
        # More entries promised than there are; none; a directory elsewhere, or nowhere.
        yield tiff(order, short(order, 6), count=9)
        yield tiff(order, entry(order, 256, 3, 1, b"\1\1"), short(order, 6), count=1)
        yield tiff(order, short(order, 6), count=0)
        whole = tiff(order, short(order, 6), start=20)
        yield whole[:8] + b"twelve bytes" + whole[8:]
        yield tiff(order, short(order, 6), start=4000)
        for length in (1, 4, 7, 8, 9, 10, 15, 21, 22, 25):
            yield tiff(order, short(order, 6))[:length]
    little = tiff("<", short("<", 6))
    yield b"MM" + little[2:]
    yield b"II\0*" + little[4:]
    yield b"MM*\0" + tiff(">", short(">", 6))[4:]
    yield b"XX*\0" + little[4:]
    yield b"Exif\0\0" + little
    yield b"Exif\0\0Exif\0\0" + little
    yield b""


XMP = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" '
    "%s</rdf:Description></x:xmpmeta>"
)


def xmp_cases():
    yield (XMP % 'tiff:Orientation="6">').encode()
    yield (XMP % "><tiff:Orientation>8</tiff:Orientation>").encode()
    yield (XMP % 'tiff:Orientation="9">').encode()
    yield (XMP % "tiff:Orientation='6'>").encode()
    yield (XMP % 'tiff:Orientation="x" tiff:Orientation="5">').encode()
    yield (XMP % ">").encode()
    yield b'tiff:Orientation="'


def app1(body):
    return b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body


def jpeg_cases():
    """Segments to stand behind the start of a JPEG."""
    adobe = b"http://ns.adobe.com/xap/1.0/\0"
    sound = tiff("<", short("<", 6))
    for case in exif_cases():
        yield app1(b"Exif\0\0" + case)
    for case in xmp_cases():
        yield app1(adobe + case)
        yield app1(b"Exif\0\0" + tiff("<", entry("<", 256, 3, 1, b"\1\0"))) + app1(adobe + case)
        yield app1(adobe + case) + app1(b"Exif\0\0" + sound)
    yield app1(b"Exif\0\0" + tiff("<", short("<", 9))) + app1(adobe + next(xmp_cases()))
    yield app1(adobe + next(xmp_cases())) + app1(adobe + list(xmp_cases())[1])
    for cut in (0, 3, 8, 12, 20):
        yield app1(b"Exif\0\0" + sound[:cut]) + app1(b"Exif\0\0" + sound[cut:])
    yield app1(b"Exif\0\0" + sound) + app1(b"Exif\0\0" + tiff("<", short("<", 3)))
    yield app1(b"exif\0\0" + sound)
    yield app1(b"Exif\0" + sound)
    yield app1(b"")


def raw_profile(data):
    return f"\nexif\n{len(data):8}\n{data.hex()}\n".encode()


def png_cases():
    """Chunks to stand before a PNG's data, and behind it."""
    sound = b"Exif\0\0" + tiff(">", short(">", 6))
    other = b"Exif\0\0" + tiff(">", short(">", 3))
    for case in exif_cases():
        yield chunk(b"eXIf", case), b""
    yield b"", chunk(b"eXIf", sound)
    for text in (
        raw_profile(sound),
        raw_profile(sound).upper().replace(b"EXIF", b"exif"),
        raw_profile(sound)[:-3] + b"\n",
        raw_profile(sound).replace(b"45", b"4g"),
        b"\nexif\n8\n",
        b"nothing",
        raw_profile(b"Exif\0\0"),
        b"\nexif\n28\n" + sound.hex()[:20].encode() + b"\n" + sound.hex()[20:].encode() + b"\n",
    ):
        key = b"Raw profile type exif\0"
        yield chunk(b"tEXt", key + text), b""
        yield chunk(b"zTXt", key + b"\0" + zlib.compress(text)), b""
        yield chunk(b"iTXt", key + b"\0\0\0\0" + text), b""
        yield b"", chunk(b"zTXt", key + b"\0" + zlib.compress(text))
    yield chunk(b"eXIf", sound) + chunk(b"tEXt", b"Raw profile type exif\0" + raw_profile(other)), b""
    yield chunk(b"tEXt", b"Raw profile type exif\0" + raw_profile(other)), chunk(b"eXIf", sound)
    yield chunk(b"eXIf", sound) + chunk(b"eXIf", other), b""
    yield chunk(b"zTXt", b"Raw profile type exif\0\0" + b"not deflated"), b""
    yield chunk(b"tEXt", b"Raw profile type exi\0" + raw_profile(sound)), b""
    for case in xmp_cases():
        key = b"XML:com.adobe.xmp\0"
        yield chunk(b"iTXt", key + b"\0\0\0\0" + case), b""
        yield b"", chunk(b"iTXt", key + b"\1\0en\0titel\0" + zlib.compress(case))
        yield chunk(b"iTXt", key + b"\1\1\0\0" + zlib.compress(case)), b""
        yield chunk(b"tEXt", key + case), b""
        yield chunk(b"iTXt", key + b"\0\0\0\0" + case) + chunk(b"eXIf", other), b""
        yield chunk(b"iTXt", key + b"\0\0"), b""


def orientation_of(data, plain):
    """Pillow's; upright where Pillow cannot make sense of the metadata."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            im = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
        except Exception:
            return 1
    pixels = im.tobytes()
    if im.size == plain.size and pixels == plain.tobytes():
        return 1
    for number, method in METHODS.items():
        turned = plain.transpose(method)
        if im.size == turned.size and pixels == turned.tobytes():
            return number
    raise AssertionError("no orientation")


def orientations():
    # All eight views of it differ.
    plain = Image.fromarray(np.random.default_rng(1).integers(0, 256, (5, 7, 3), dtype=np.uint8))
    rows = []
    file = io.BytesIO()
    plain.save(file, "JPEG")
    jpeg = file.getvalue()
    decoded = Image.open(io.BytesIO(jpeg))
    decoded.load()
    for segments in jpeg_cases():
        rows.append(["jpeg", orientation_of(jpeg[:2] + segments + jpeg[2:], decoded), segments.hex()])
    file = io.BytesIO()
    plain.save(file, "PNG")
    data = file.getvalue()
    at, end = data.index(b"IDAT") - 4, len(data) - 12
    for before, behind in png_cases():
        whole = data[:at] + before + data[at:end] + behind + data[end:]
        rows.append(["png", orientation_of(whole, plain), before.hex() or "-", behind.hex() or "-"])
    lines(
        "orientations.txt",
        f"Pillow {Image.__version__}: jpeg orientation segments, or png orientation chunks-before chunks-behind",
        rows,
    )


if __name__ == "__main__":
    for folder in ("references", "png", "formats"):
        os.makedirs(os.path.join(HERE, folder), exist_ok=True)
    trials()
    pngs()
    formats()
    orientations()
