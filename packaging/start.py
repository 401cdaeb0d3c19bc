"""Start nDCG Desktop from a checkout, on any system, with nothing installed but Python.

    python3 packaging/start.py                  open the program on its worked example
    python3 packaging/start.py FILE...          open these files instead
    python3 packaging/start.py --test           run every check of the project
    python3 packaging/start.py --test ARG...    run pytest only, with these arguments

The first call makes the virtual environment .venv in the checkout and installs the project into
it. Later calls use it, and install again only when pyproject.toml has changed. Any other option is
handed to the program.
"""

import ctypes
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

# Stands before all that an older Python could stumble over.
if sys.version_info < (3, 11):  # noqa: UP036 - the message is for those who have an older one
    sys.exit(
        "start.py: nDCG Desktop needs Python 3.11 or newer; this is Python "
        f"{sys.version_info[0]}.{sys.version_info[1]} ({sys.executable})."
    )

CHECKOUT = Path(__file__).resolve().parent.parent
VENV = CHECKOUT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
# What the environment holds; see `fingerprint`. Says UNFINISHED while the work is under way.
STATE = VENV / "ndcg-desktop-state.txt"
UNFINISHED = "unfinished"

# System libraries that Qt's wheels expect, and the Debian packages that have them.
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
}
QT_WINDOW_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-shape.so.0": "libxcb-shape0",
}

CHECKS = {
    "ruff check": ["-m", "ruff", "check", "."],
    "ruff format --check": ["-m", "ruff", "format", "--check", "."],
    "mypy": ["-m", "mypy"],
    "lint-imports": ["-c", "from importlinter.cli import lint_imports_command as run; run()"],
    "pytest": ["-m", "pytest", "-n", "auto"],
}


class StartError(Exception):
    """Something that the user has to know, in one sentence."""


def say(message: str) -> None:
    """Print a line at once, so that it stands before what a child process prints."""
    print(f"start.py: {message}", flush=True)


def read_state() -> str:
    """Return what the last call noted about the environment, or an empty string."""
    try:
        return STATE.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def fingerprint(extra: str) -> str:
    """Return the note that stands for a finished installation of the project as it is now.

    The place of the checkout belongs to it, because an environment cannot be moved.
    """
    project = hashlib.sha256((CHECKOUT / "pyproject.toml").read_bytes()).hexdigest()
    return f"{CHECKOUT}\n{project}\n{extra}\n"


def can_import(module: str) -> bool:
    """Tell whether the environment's Python runs and finds a module."""
    try:
        command = [str(PYTHON), "-P", "-c", f"import {module}"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def is_ready(extra: str) -> bool:
    """Tell whether nothing needs to be installed; an installation with [test] serves for all."""
    finished = read_state() in {fingerprint(extra), fingerprint("[test]")}
    return finished and can_import("ndcg_desktop")


def is_ours_and_broken() -> bool:
    """Tell whether this script made the environment, and it must be made anew.

    So it is if the work was interrupted, the checkout was moved, or its Python was replaced.
    """
    state = read_state()
    if not state:
        return VENV.is_dir() and not any(VENV.iterdir())
    return not (state.startswith(f"{CHECKOUT}\n") and can_import("pip"))


def remove_environment() -> None:
    """Delete the environment."""
    say(f"{VENV} is incomplete or out of place; making it anew.")
    try:
        shutil.rmtree(VENV)
    except OSError as error:
        raise StartError(f"cannot delete {VENV} ({error}); please delete it yourself.") from error


def check_venv_module() -> None:
    """Stop if this Python lacks what makes environments: Debian has it in a package of its own."""
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        raise StartError(
            f"{sys.executable} lacks the modules venv and ensurepip. "
            "On Debian and Ubuntu: sudo apt install python3-venv"
        )


def make_environment() -> None:
    """Make the virtual environment, marked as unfinished from its first moment."""
    check_venv_module()
    say(f"making the environment {VENV}")
    try:
        VENV.mkdir()
        STATE.write_text(UNFINISHED, "utf-8")
    except OSError as error:
        raise StartError(f"cannot write to {VENV}: {error}") from error
    # not sys.executable, which may be the very environment that was deleted a moment ago
    python = getattr(sys, "_base_executable", sys.executable)
    if subprocess.run([python, "-m", "venv", str(VENV)], check=False).returncode != 0:
        raise StartError("the environment could not be made; the reason is above.")


def install(extra: str) -> None:
    """Install the project, editable, with its dependencies, and note that it is done."""
    if not can_import("pip"):
        raise StartError(f"{VENV} has no working pip and is not start.py's; please delete it.")
    say(f"installing the project into {VENV}; the first time this takes a few minutes")
    before = read_state()
    STATE.write_text(UNFINISHED, "utf-8")
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check"]
    result = subprocess.run([*command, "-e", f".{extra}"], cwd=CHECKOUT, check=False)
    if result.returncode < 0:  # ended by a signal, so it may have left half of its work
        raise StartError("the installation was interrupted; the next call will repair it.")
    if result.returncode != 0:  # pip has put back what it had begun
        STATE.write_text(before, "utf-8")
        raise StartError(
            "pip could not install the project; the reason is above. "
            "Is there a connection to the network?"
        )
    STATE.write_text(fingerprint(extra), "utf-8")


def prepare(extra: str = "") -> None:
    """See to it that the environment holds the project as pyproject.toml has it now."""
    if is_ready(extra):
        return
    if is_ours_and_broken():
        remove_environment()
    if not VENV.exists():
        make_environment()
    install(extra)


def can_load(library: str) -> bool:
    """Tell whether the system's loader finds a shared library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def check_qt_libraries() -> None:
    """On Linux, stop if a system library that Qt needs is missing, and say how to get it."""
    if not sys.platform.startswith("linux"):
        return
    needed = dict(QT_LIBRARIES)
    if not os.environ.get("QT_QPA_PLATFORM", "").startswith("offscreen"):
        needed |= QT_WINDOW_LIBRARIES
    missing = [library for library in needed if not can_load(library)]
    if missing:
        packages = " ".join(needed[library] for library in missing)
        raise StartError(
            f"Qt needs system libraries that are missing: {', '.join(missing)}. "
            f"On Debian and Ubuntu: sudo apt install {packages}"
        )


def check_display() -> None:
    """On Linux, stop if there is no screen to open a window on; Qt's own message misleads."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in screens):
        raise StartError(
            "there is no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set)."
        )


def run(arguments: list[str], folder: Path) -> int:
    """Run the environment's Python and return its exit code, as a shell would report it."""
    code = subprocess.run([str(PYTHON), *arguments], cwd=folder, check=False).returncode
    return code if code >= 0 else 128 - code


def test(arguments: list[str]) -> int:
    """Run all checks up to the first that fails; with arguments, pytest alone."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    check_qt_libraries()
    prepare("[test]")
    if arguments:
        return run([*CHECKS["pytest"], *arguments], CHECKOUT)
    for name, command in CHECKS.items():
        say(name)
        code = run(command, CHECKOUT)
        if code != 0:
            say(f"the step '{name}' failed with exit code {code}.")
            return code
    say("all checks passed.")
    return 0


def open_program(arguments: list[str]) -> int:
    """Open the program on the files given, or on the worked example."""
    check_display()
    check_qt_libraries()
    prepare()
    # -P: a file in the current folder must not pass for one of the program's modules
    return run(["-P", "-m", "ndcg_desktop.app", *(arguments or ["--example"])], Path.cwd())


def main(arguments: list[str]) -> int:
    """Do what the command line asks and return the exit code."""
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    try:
        if arguments[:1] == ["--test"]:
            return test(arguments[1:])
        return open_program(arguments)
    except StartError as error:
        print(f"start.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("start.py: interrupted.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
