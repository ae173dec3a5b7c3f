"""Write an RGB image as a PNG file with nothing but the standard library."""

import struct
import zlib
from pathlib import Path

import numpy as np


def write_png(path: str | Path, image: np.ndarray) -> Path:
    """Write `image`, uint8 `[height, width, 3]`, and return the absolute path.

    References:
        PNG specification (ISO/IEC 15948): signature, then IHDR, IDAT and IEND chunks, each with length and CRC; every
        row of pixels is preceded by its filter type, here 0 for none.
    """
    height, width, _ = image.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits a channel, colour type 2: RGB
    rows = np.concatenate([np.zeros((height, 1), np.uint8), image.reshape(height, width * 3)], axis=1)
    target = Path(path).resolve()
    target.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6))
        + chunk(b"IEND", b"")
    )
    return target
