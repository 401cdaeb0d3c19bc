"""Build the frozen program with PyInstaller, and check that it runs on its own.

Run in an environment that has the project and PyInstaller::

    python -m pip install ".[freeze]"
    python packaging/build_frozen.py

The folder ``dist/ndcg-desktop`` is the program: it can be copied to a computer that has no Python.
The check starts both executables in it with an empty environment.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "packaging" / "ndcg-desktop.spec"
FOLDER = ROOT / "dist" / "ndcg-desktop"
NEEDED = ("PyInstaller", "PySide6", "matplotlib", "numpy", "openpyxl", "pandas", "python_calamine")
PATIENCE = 180  # seconds for one start; a virus scanner may read the whole folder first


class BuildError(Exception):
    """Something that the person who builds has to know, in one sentence."""


def check_environment() -> None:
    """Stop if this interpreter lacks PyInstaller or what the program needs."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise BuildError(
            f"{sys.executable} lacks {', '.join(missing)}. Install the project with PyInstaller "
            'into this environment first: python -m pip install ".[freeze]"'
        )


def build() -> None:
    """Run PyInstaller on the spec; its intermediate files go to ``build/``."""
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level=WARN"]
    command += ["--distpath", str(ROOT / "dist"), "--workpath", str(ROOT / "build"), str(SPEC)]
    began = time.monotonic()
    if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
        raise BuildError("PyInstaller failed; its messages are above.")
    print(f"built {FOLDER} in {time.monotonic() - began:.0f} s, {size(FOLDER):.0f} MB")


def size(folder: Path) -> float:
    """Return what the files in ``folder`` take, in MB."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files) / 1e6


def example_table() -> Path:
    """Return the worked example as a CSV file, as the frozen program carries it."""
    found = next(FOLDER.rglob("worked-example.csv"), None)
    if found is None:
        raise BuildError(f"worked-example.csv is missing from the resources in {FOLDER}.")
    return found


def empty_environment(home: str) -> dict[str, str]:
    """Return as good as no environment: no PATH, no Python, no display; ``home`` is scratch."""
    environment = {"QT_QPA_PLATFORM": "offscreen", "HOME": home}
    if sys.platform == "win32":  # Windows programs do not start without these
        environment |= dict.fromkeys(("APPDATA", "LOCALAPPDATA", "TEMP", "USERPROFILE"), home)
        environment["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    return environment


def check_start(name: str, arguments: Iterable[str], expected: str) -> None:
    """Start an executable of the folder; it must print ``expected`` and exit with 0."""
    program = FOLDER / (f"{name}.exe" if sys.platform == "win32" else name)
    command = [str(program), *arguments]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        began = time.monotonic()
        try:
            result = subprocess.run(
                command,
                cwd=home,
                env=empty_environment(home),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise BuildError(f"{name} did not end within {PATIENCE} s.") from error
        except OSError as error:
            raise BuildError(f"{name} does not start: {error}") from error
        seconds = time.monotonic() - began
    judge(name, expected, result)
    print(f"{name} {' '.join(arguments)}: exit code 0, {expected!r} printed, {seconds:.1f} s")


def judge(name: str, expected: str, result: subprocess.CompletedProcess[str]) -> None:
    """Raise `BuildError` with the program's own words unless the run went as it must."""
    if result.returncode == 0 and expected in result.stdout:
        return
    print(result.stdout, result.stderr, sep="\n", file=sys.stderr)
    raise BuildError(
        f"{name} ended with exit code {result.returncode} and should have printed {expected!r}; "
        "what it did print is above."
    )


def main() -> int:
    """Build and check; return the exit code."""
    try:
        check_environment()
        build()
        check_start("ndcg-desktop", ["--self-check"], "nDCG@4 0.710")
        check_start("ndcg", ["score", str(example_table()), "-k", "4"], "0.710414")
    except BuildError as error:
        print(f"build_frozen.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
