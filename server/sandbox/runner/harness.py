"""Runs one script in Pyodide. It is part of the memory snapshot: what is imported here is there at once."""

import builtins
import importlib.util
import io
import linecache
import os
import sys
import traceback
import types

NAME = "<code>"
FOLDER = "/mnt/data"
MAX_FRAMES = 20
MAX_ERROR_CHARACTERS = 16_000

# What scripts import most often from the standard library.
PRELOADED = """
abc array argparse ast asyncio base64 bisect calendar cmath codecs collections collections.abc
configparser contextlib copy csv dataclasses datetime decimal difflib email email.message enum fnmatch
fractions functools gc glob gzip hashlib heapq hmac html html.parser inspect io itertools json keyword
locale logging math mimetypes numbers operator os os.path pathlib pickle platform pprint queue random re
secrets shutil signal statistics string struct tempfile textwrap threading time timeit token tokenize
traceback types typing unicodedata urllib.parse uuid warnings weakref xml.etree.ElementTree zipfile
zlib zoneinfo
""".split()


def preload():
    for name in PRELOADED:
        importlib.import_module(name)


def prepare():
    """Makes a process that came from the snapshot one of its own."""
    import random

    random.seed()
    for name in list(os.environ):
        if name not in ("HOME", "LANG", "MPLBACKEND", "PATH"):
            del os.environ[name]
    for name in list(sys.modules):
        if name == "pyodide_js" or name.startswith("pyodide_js."):
            del sys.modules[name]
    sys.executable = ""
    sys.stdout = sys.__stdout__ = open_output(1, "strict")
    sys.stderr = sys.__stderr__ = open_output(2, "backslashreplace")
    os.makedirs(os.path.join(FOLDER, "generated"))
    os.chdir(FOLDER)


def open_output(descriptor, errors):
    """Nothing is held back: what was printed before a script is killed has to be seen."""
    raw = io.FileIO(descriptor, "w", closefd=False)
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, write_through=True)


class Artefacts:
    """Files that the script gives out, within the limits."""

    def __init__(self, file_bytes, total_bytes, count):
        self.file_bytes = file_bytes
        self.total_bytes = total_bytes
        self.count = count
        self.contents = {}

    def add(self, name, content):
        others = {key: value for key, value in self.contents.items() if key != name}
        if len(content) > self.file_bytes:
            problem = f"{name!r} has {len(content)} bytes: a file may have {self.file_bytes}"
            raise ValueError(problem)
        if len(content) + sum(map(len, others.values())) > self.total_bytes:
            problem = f"{name!r} is too much: all files may have {self.total_bytes} bytes together"
            raise ValueError(problem)
        if len(others) >= self.count:
            raise ValueError(f"{name!r} is one too many: a script may save {self.count} files")
        self.contents[name] = content

    def list(self):
        return list(self.contents.items())


def create_save_file(artefacts):
    def save_file(filename, content):
        """Gives a file out: text, bytes, or a buffer that has them."""
        name = os.path.basename(str(filename).replace("\\", "/")).strip()
        if name in ("", ".", "..") or len(name.encode()) > 200 or not name.isprintable():
            raise ValueError(f"save_file needs a file name, but got {filename!r}")
        if hasattr(content, "getvalue"):
            content = content.getvalue()
        if isinstance(content, str):
            content = content.encode()
        if not isinstance(content, (bytes, bytearray, memoryview)):
            kind = type(content).__name__
            raise TypeError(f"save_file takes str, bytes or a buffer, but got {kind}")
        artefacts.add(name, bytes(content))
        return name

    return save_file


def capture_plots(pyplot, save_file):
    """What is shown, or saved under a name, is given out."""
    figure_class = pyplot.matplotlib.figure.Figure
    save_to_file = figure_class.savefig
    shown = [0]

    def savefig(self, fname, *args, **kwargs):
        save_to_file(self, fname, *args, **kwargs)
        if isinstance(fname, (str, os.PathLike)):
            path = os.fspath(fname)
            if not os.path.splitext(path)[1]:
                path += "." + kwargs.get("format", "png")
            with open(path, "rb") as file:
                save_file(path, file.read())

    def show(*args, **kwargs):
        for number in pyplot.get_fignums():
            shown[0] += 1
            picture = io.BytesIO()
            save_to_file(pyplot.figure(number), picture, format="png")
            save_file(f"plot_{shown[0]}.png", picture)
        pyplot.close("all")

    figure_class.savefig = savefig
    pyplot.show = show


class PlotFinder:
    """Meets the import of pyplot, whoever imports it."""

    def __init__(self, save_file):
        self.save_file = save_file

    def find_spec(self, name, path=None, target=None):
        if name != "matplotlib.pyplot":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            capture_plots(module, self.save_file)

        spec.loader.exec_module = exec_module
        return spec


def describe(error):
    """The traceback as Python prints it, without the frame of this file."""
    frames = error.__traceback__ and error.__traceback__.tb_next
    try:
        lines = traceback.format_exception(type(error), error, frames, limit=-MAX_FRAMES)
        return "".join(lines)[-MAX_ERROR_CHARACTERS:]
    except BaseException:
        return f"{type(error).__name__}, which could not be described"


def run_script(code, artefacts):
    """Returns the traceback of what the script raised, or None."""
    linecache.cache[NAME] = (len(code), None, code.splitlines(keepends=True), NAME)
    save_file = create_save_file(artefacts)
    sys.meta_path.insert(0, PlotFinder(save_file))
    # Pickles and data classes look their module up there.
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__builtins__ = builtins
    main.save_file = save_file
    sys.argv = [NAME]
    try:
        exec(compile(code, NAME, "exec", dont_inherit=True), main.__dict__)
    except SystemExit as error:
        return None if error.code in (None, 0) else describe(error)
    except BaseException as error:
        return describe(error)
    return None


def warm_up():
    """What the first script would wait for otherwise. Its output is not heard."""
    code = """
import asyncio
async def wait(): await asyncio.sleep(0)
asyncio.run(wait())
print(f"{1 / 3:.3f}")
1 / 0
"""
    run_script(code, Artefacts(0, 0, 0))
    del sys.meta_path[0]
    linecache.cache.clear()
