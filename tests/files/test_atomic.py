"""Files written whole or not at all."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.files.table import FileError

OLD, NEW = b"the old file\n", b"the new file\n"


def save(path, data=NEW):
    """Write these bytes."""
    atomic_write(path, lambda file: file.write(data))


def names(folder):
    """The names of all that is in a folder."""
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def path(tmp_path):
    """A file with the old content, alone in its folder."""
    path = tmp_path / "grades.csv"
    path.write_bytes(OLD)
    return path


def test_a_file_is_replaced(path):
    """The new content takes the place of the old, and nothing else is left."""
    save(path)

    assert path.read_bytes() == NEW
    assert names(path.parent) == ["grades.csv"]


def test_a_new_file_has_the_usual_mode(tmp_path):
    """A new file may be read by whoever may read any other new file."""
    (tmp_path / "usual").touch()
    save(tmp_path / "new.csv")

    assert (tmp_path / "new.csv").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no such mode")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_the_mode_is_kept(path, mode):
    """An existing file keeps its permissions, whatever the umask."""
    path.chmod(mode)
    save(path)

    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no such mode")
def test_the_temporary_file_is_as_private_as_the_old_one(path):
    """While it is being written, nobody can read what they could not read before."""
    path.chmod(0o600)
    modes = []

    def write(file):
        modes.append(stat.S_IMODE(os.fstat(file.fileno()).st_mode))

    atomic_write(path, write)

    assert modes == [0o600]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can")
def test_the_owner_is_kept(path):
    """A file saved by an administrator stays its owner's."""
    os.chown(path, 12345, 23456)
    save(path)

    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)


def test_a_link_stays_a_link(tmp_path, path):
    """What a link points at is replaced, in its own folder, and the link stays."""
    (tmp_path / "desk").mkdir()
    link = tmp_path / "desk" / "link.csv"
    link.symlink_to(path)
    save(link)

    assert link.is_symlink()
    assert path.read_bytes() == NEW
    assert names(tmp_path / "desk") == ["link.csv"]


def test_a_link_to_nothing_gets_its_file(tmp_path):
    """A link whose file has gone is filled again."""
    link = tmp_path / "link.csv"
    link.symlink_to(tmp_path / "gone.csv")
    save(link)

    assert (tmp_path / "gone.csv").read_bytes() == NEW


def refusal(path, data=NEW):
    """What a save that must fail says; the old file is whole and alone."""
    with pytest.raises(FileError) as refused:
        save(path, data)
    assert path.read_bytes() == OLD
    assert names(path.parent) == ["grades.csv"]
    return str(refused.value)


def test_a_read_only_file_is_refused(path):
    """A file that its owner made read-only stays as it is, for root too."""
    path.chmod(0o444)

    assert "read-only" in refusal(path)


def test_a_folder_is_refused(tmp_path):
    """A folder is not replaced by a file."""
    with pytest.raises(FileError, match="folder"):
        save(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no such files")
def test_what_is_no_file_is_refused(tmp_path):
    """A pipe or a device is not replaced by a file."""
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(FileError, match="no ordinary file"):
        save(tmp_path / "pipe.csv")


def test_a_missing_folder_is_named(tmp_path):
    """Saving where there is no folder says which one is missing."""
    with pytest.raises(FileError, match="“week 3” is not there"):
        save(tmp_path / "week 3" / "grades.csv")


def test_a_read_only_folder_is_named(path, monkeypatch):
    """A folder in which no file can be made is named."""

    def refuse(*arguments):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)

    assert f"“{path.parent.name}” does not allow writing" in refusal(path)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind root"
)
def test_a_folder_without_permission_is_refused(path):
    """The same for a folder that the system itself protects."""
    path.parent.chmod(0o500)
    try:
        assert "does not allow writing" in refusal(path)
    finally:
        path.parent.chmod(0o700)


def test_a_file_open_elsewhere_is_left(path, monkeypatch):
    """Where the system refuses the last step, as Windows does for open files, nothing changes."""

    def refuse(old, new):
        raise PermissionError(errno.EACCES, "Access is denied", str(old), None, str(new))

    monkeypatch.setattr(os, "replace", refuse)

    assert "open in another program" in refusal(path)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "no room left"),
        (errno.EDQUOT, "no room left"),
        (errno.EROFS, "disk is read-only"),
        (errno.EIO, "cannot be written"),
    ],
)
def test_a_disk_that_fails_is_explained(path, monkeypatch, code, words):
    """A disk that is full, protected or broken leaves the old file, and says what to do."""

    def fail(descriptor):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)

    message = refusal(path)
    assert words in message
    assert message.startswith("grades.csv: ")
    assert "to another place" in message


def test_a_full_disk_during_writing_leaves_the_old_file(path):
    """Room that runs out half-way through leaves the old file, and no half of the new one."""

    def write(file):
        file.write(NEW[:5])
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(FileError, match="no room left"):
        atomic_write(path, write)
    assert path.read_bytes() == OLD
    assert names(path.parent) == ["grades.csv"]


def test_a_name_that_is_too_long_is_explained(tmp_path):
    """The system's limit on names is told as such."""
    with pytest.raises(FileError, match="name is too long"):
        save(tmp_path / f"{'x' * 300}.csv")


@pytest.mark.parametrize("error", [ValueError("a mistake"), KeyboardInterrupt()])
def test_what_is_no_matter_of_files_passes_through(path, error):
    """Any other failure of the writer cleans up and is raised as it is."""

    def write(file):
        file.write(NEW)
        raise error

    with pytest.raises(type(error)):
        atomic_write(path, write)
    assert path.read_bytes() == OLD
    assert names(path.parent) == ["grades.csv"]


def test_a_folder_that_cannot_be_synced_is_no_failure(path, monkeypatch):
    """Windows cannot open folders: the file is saved all the same."""
    real = os.open

    def no_folders(name, flags, *rest):
        if Path(name).is_dir():
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(name, flags, *rest)

    monkeypatch.setattr(os, "open", no_folders)
    save(path)

    assert path.read_bytes() == NEW


SAVING = """
import sys
from pathlib import Path
from ndcg_desktop.files.atomic import atomic_write

path, size = Path(sys.argv[1]), int(sys.argv[2])
contents = [bytes([letter]) * size for letter in b"ab"]
print("ready", flush=True)
for turn in range(1_000_000):
    def write(file):
        for begin in range(0, size, 1 << 16):
            file.write(contents[turn % 2][begin : begin + (1 << 16)])
    atomic_write(path, write)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no such signal")
def test_a_killed_save_leaves_a_whole_file(path):
    """Killed at whatever moment, a program leaves the old file or the new one, never a part."""
    size = 1 << 20
    path.write_bytes(b"a" * size)
    for delay in (0.001, 0.004, 0.009, 0.016, 0.025, 0.036):
        process = subprocess.Popen(
            [sys.executable, "-c", SAVING, path, str(size)], stdout=subprocess.PIPE
        )
        with process:
            process.stdout.readline()
            time.sleep(delay)
            process.kill()
        assert process.returncode == -signal.SIGKILL
        assert path.read_bytes() in (b"a" * size, b"b" * size)


@pytest.mark.slow
@pytest.mark.skipif(
    not sys.platform.startswith("linux") or os.geteuid() != 0, reason="mounting is for root"
)
def test_a_real_full_disk_leaves_the_old_file(tmp_path):
    """On a disk of 64 KiB, a file of 1 MiB is refused and the old one stays."""
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", tmp_path], check=False
    )
    if mount.returncode:
        pytest.skip("this machine does not let root mount")
    try:
        path = tmp_path / "grades.csv"
        path.write_bytes(OLD)

        assert "no room left" in refusal(path, b"x" * (1 << 20))
    finally:
        subprocess.run(["umount", tmp_path], check=True)
