"""Triton, TileLang and CuTe DSL compile to machine code without a GPU, and what they compiled needs none of them."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

LANGUAGES = {"triton": "triton", "tilelang": "tilelang", "cute": "nvidia_cutlass_dsl"}
ARCHS = ("sm_80", "sm_90a", "sm_100a")

_WARM_UP = """
import sys
for name in {hidden!r}: sys.modules[name] = None
import torch, opyard
from opyard.ops import RMSNormFwdOp
spec = lambda dtype, *shape: opyard.TensorSpec(torch.device("cuda:0"), dtype, shape)
with opyard.use(op="RMSNormFwdOp", implementation={language!r}):
    op = RMSNormFwdOp(normalized_shape=[1024], eps=1e-6)
    for dtype in [getattr(torch, name) for name in {dtypes!r}]:
        for arch in {archs!r}:
            print(op.warmup(spec(dtype, 8, 1024), spec(dtype, 1024) if {weighted} else None, arch=arch))
"""


def warm_up(
    store: Path,
    language: str,
    *archs: str,
    dtypes: tuple[str, ...] = ("bfloat16",),
    weighted: bool = True,
    hidden: tuple[str, ...] = (),
) -> subprocess.CompletedProcess[str]:
    code = _WARM_UP.format(hidden=hidden, language=language, archs=archs, dtypes=dtypes, weighted=weighted)
    environment = {**os.environ, "OPYARD_CACHE_DIR": str(store)}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


def images(store: Path) -> list[bytes]:
    """The machine code in the store: an ELF file at the end of an artefact."""
    texts = [file.read_bytes() for file in store.glob("*.artefact")]
    return [text[text.index(b"\x7fELF") :] for text in texts if b"\x7fELF" in text]


def kernels(image: bytes) -> dict[str, list[int]]:
    """Name and parameter sizes of each kernel, by the sections that the driver reads."""
    (table,) = struct.unpack_from("<Q", image, 40)
    size, count, names_at = struct.unpack_from("<HHH", image, 58)
    sections = [struct.unpack_from("<IIQQQQ", image, table + size * i) for i in range(count)]
    found = {}
    for name_at, _, _, _, begin, length in sections:
        name = image[sections[names_at][4] + name_at :].split(b"\0")[0].decode()
        if name.startswith(".nv.info."):
            records = image[begin : begin + length]
            sizes = re.findall(rb"\x04\x17\x0c\x00....(..)....(..)", records, re.DOTALL)
            found[name.removeprefix(".nv.info.")] = [
                high >> 2 for _, high in sorted(struct.unpack("<HH", low + high) for low, high in sizes)
            ]
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_becomes_a_kernel_with_plain_parameters(tmp_path: Path, language: str) -> None:
    done = warm_up(tmp_path / "store", language, *ARCHS)
    assert done.stdout.split() == [language] * len(ARCHS), done.stderr
    code = images(tmp_path / "store")
    assert len(code) == len(ARCHS)
    for image in code:
        assert struct.unpack_from("<H", image, 18) == (190,)  # NVIDIA's number among machines
        ((name, sizes),) = kernels(image).items()
        assert "rms_norm" in name or name == "kernel_kernel"
        assert sizes.count(8) >= 3
        assert sizes.count(4) == 1
        assert set(sizes) == {4, 8}


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_dtypes_and_no_weight(tmp_path: Path, language: str) -> None:
    done = warm_up(tmp_path / "store", language, "sm_90a", dtypes=("float16", "float32"), weighted=False)
    assert done.stdout.split() == [language] * 2, done.stderr


@pytest.mark.parametrize(("language", "module"), LANGUAGES.items())
def test_without_the_package_it_refuses_with_what_to_install(tmp_path: Path, language: str, module: str) -> None:
    done = warm_up(tmp_path / "store", language, "sm_90a", hidden=(module,))
    assert done.returncode != 0
    assert re.search(rf"{language} is not installed: pip install [\w-]+", done.stderr)


@pytest.mark.parametrize(("language", "module"), LANGUAGES.items())
def test_what_is_stored_needs_no_package(tmp_path: Path, language: str, module: str) -> None:
    store = tmp_path / "store"
    assert warm_up(store, language, "sm_90a").returncode == 0
    before = sorted(store.glob("*.artefact"))
    done = warm_up(store, language, "sm_90a", hidden=(module,))
    assert done.stdout.strip() == language, done.stderr
    assert sorted(store.glob("*.artefact")) == before


def test_the_command_fills_lists_verifies_and_clears_a_store(tmp_path: Path) -> None:
    environment = {**os.environ, "OPYARD_CACHE_DIR": str(tmp_path / "store")}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "from opyard.cli import main; main()", "cache", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    built = run("build", "--arch", "sm_90a", "RMSNormFwdOp", "SiLUAndMulFwdOp")
    assert built.returncode == 0, built.stderr
    assert "RMSNormFwdOp by cuda" in built.stdout
    assert "0 artefacts built" in run("build", "--arch", "sm_90a", "RMSNormFwdOp").stdout
    listed = json.loads(run("list", "--json").stdout)["artefacts"]
    assert all(row["whole"] for row in listed)
    assert any("sm_90a" in row["origin"] and "RmsNorm" in row["origin"] for row in listed)
    assert run("verify").returncode == 0
    Path(listed[0]["path"]).write_bytes(b"not an artefact")
    assert run("verify").returncode == 1
    assert run("verify", "--drop").returncode == 1
    assert run("verify").returncode == 0
    assert f"{len(listed) - 1} artefacts removed" in run("clear").stdout
    assert json.loads(run("list", "--json").stdout)["artefacts"] == []


def test_wrong_use_of_the_command_is_one_line(tmp_path: Path) -> None:
    environment = {**os.environ, "OPYARD_CACHE_DIR": str(tmp_path / "store")}
    for arguments in (["--arch", "sm_90a", "NoSuchFwdOp"], ["--arch", "volta", "RMSNormFwdOp"]):
        command = [sys.executable, "-c", "from opyard.cli import main; main()", "cache", "build", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == (2 if "NoSuchFwdOp" in arguments else 1)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arch", ARCHS)
def test_every_kernel_that_workloads_need_compiles(tmp_path: Path, arch: str) -> None:
    environment = {**os.environ, "OPYARD_CACHE_DIR": str(tmp_path / "store")}
    command = [sys.executable, "-c", "from opyard.cli import main; main()", "cache", "build", "--arch", arch]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 workloads failed" in done.stdout
    for operator in ("RMSNormFwdOp", "SoftmaxFwdOp", "GELUFwdOp", "AddFwdOp", "SumFwdOp", "RoPEFwdOp"):
        assert f"{operator} by cuda" in done.stdout
