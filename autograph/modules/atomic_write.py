"""Writing a file so that a failure never costs what was there before."""

import os
import stat
import tempfile
from pathlib import Path


def replace_file(target: Path, content: bytes, mode_of: Path | None = None) -> None:
    """Puts `content` at `target`: written beside it, then moved over it in one step.

    Until the move the old content is untouched, whatever happens (full disk, interrupt, crash); after it the new one
    is complete. A link stays a link: the file it leads to is replaced. The permissions of an existing file stay; a new
    file gets those of `mode_of`. What is no regular file (a pipe, `/dev/null`) is written directly.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     replace_file(Path(folder, "a.py"), b"x = 1")
    ...     Path(folder, "a.py").read_bytes(), len(os.listdir(folder))
    (b'x = 1', 1)

    Raises:
        OSError: when it cannot be written; the old content is still there.
    """
    target = Path(os.path.realpath(target))
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    pattern = target if target.exists() else mode_of
    mode = stat.S_IMODE(pattern.stat().st_mode) if pattern else 0o666 & ~_umask()
    descriptor, beside = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, mode)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


def _umask() -> int:
    current = os.umask(0o022)  # there is no call that only reads it
    os.umask(current)
    return current
