"""Writes a file whole or not at all: whatever happens, the old file or the new one is there."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ndcg_desktop.files.table import FileError

_NEW_FILE = 0o666  # the umask takes from it what it takes from any new file
_ANYONE_WRITES = 0o222


def atomic_write(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Let ``write`` fill a new file, and put it in the place of ``path`` once it is on the disk.

    A link stays a link, and what it points at is replaced; an existing file keeps its mode. On
    any failure, one of ``write`` too, the old file stays as it was and nothing is left beside it.
    (A process killed half-way may leave a file ``.ndcg-save-….tmp``.)

    Raises FileError for a file or folder that cannot be written, and whatever ``write`` raises
    that is not an OSError.
    """
    place = Path(os.path.realpath(path))
    try:
        old = _permitted(path, place)
        _replace(place, write, old)
    except OSError as error:
        raise FileError(path, f"{_explained(error, place)} Nothing was changed.") from error
    _sync_folder(place.parent)


def _permitted(path: Path, place: Path) -> os.stat_result | None:
    """Look at the file that is to be replaced, None where there is none yet.

    Raises FileError where it may not be. A read-only file could be replaced all the same, but
    whoever made it read-only meant it to stay.
    """
    try:
        old = place.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(old.st_mode):
        raise FileError(path, "This is a folder. Choose a name for the file in it.")
    if not stat.S_ISREG(old.st_mode):
        raise FileError(path, "This is no ordinary file. Choose another name.")
    if not old.st_mode & _ANYONE_WRITES or not os.access(place, os.W_OK):
        raise FileError(
            path,
            "The file is read-only. Allow writing in its properties, or use Save as. "
            "Nothing was changed.",
        )
    return old


def _replace(place: Path, write: Callable[[BinaryIO], object], old: os.stat_result | None) -> None:
    # In the same folder, as only within a disk can a file take another's place in one step.
    temporary = place.with_name(f".ndcg-save-{secrets.token_hex(8)}.tmp")
    try:
        # With the old file's mode from the start: nobody else may read it in the meantime.
        mode = _NEW_FILE if old is None else stat.S_IMODE(old.st_mode)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(temporary, flags, mode), "wb") as file:
            write(file)
            file.flush()
            if old is not None:
                _keep_owner_and_mode(file.fileno(), old)
            os.fsync(file.fileno())
        temporary.replace(place)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _keep_owner_and_mode(descriptor: int, old: os.stat_result) -> None:
    if sys.platform == "win32":  # where the folder says who may do what
        return
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        # A file shared by a group has to stay the group's. Not everyone may give it back, though.
        with suppress(OSError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _explained(error: OSError, place: Path) -> str:
    """Say what went wrong and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "There is no room left on the disk. Make room, or save to another place."
    if error.errno == errno.EROFS:
        return "The disk is read-only. Save to another place."
    if error.errno == errno.ENAMETOOLONG:
        return "The name is too long. Choose a shorter one."
    folder = place.parent.name or "/"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return f"The folder “{folder}” is not there. Save to another place."
    if isinstance(error, PermissionError):
        if error.filename2 is not None:  # two names: it was the last step that failed
            return (
                "The file cannot be replaced. It may be open in another program: close it there "
                "and save again, or use Save as."
            )
        return f"The folder “{folder}” does not allow writing. Save to another place."
    why = error.strerror or error
    return f"The file cannot be written ({why}). Try again, or save to another place."


def _sync_folder(folder: Path) -> None:
    """Have the file's new name on the disk too, where the system can do that: Windows cannot."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
