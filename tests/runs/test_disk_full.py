"""A disk that refuses a write stops a run with words; with room again it goes on to the same content."""

import pytest


@pytest.mark.parametrize("kilobytes", [1, 40, 100, 150, 190])
def test_no_file_may_grow_beyond_a_size(kilobytes, by_model, served, sittings, openiir, tmp_path):
    settings = ["--settings", str(served()[1])]
    run = ["run", str(by_model), "--set", "config.steps=8", *settings, "--out"]
    (full,) = sittings({"argv": [*run, str(tmp_path / "full")], "file_size": 1024 * kilobytes})
    assert full["code"] == 1, full
    begun = (tmp_path / "full").exists()
    assert begun == (kilobytes > 100)
    assert ("Make space" if begun else "could not begin") in full["err"], full["err"]
    assert "Traceback" not in full["err"] and "ESCAPED" not in full["err"]
    whole = openiir(*run, tmp_path / "whole").content
    goes_on = ["resume", tmp_path / "full", *settings] if begun else [*run, tmp_path / "full"]
    resumed = openiir(*goes_on)
    assert resumed.content == whole
    assert openiir("replay", tmp_path / "full").content == whole


def test_a_full_disk(by_model, served, sittings, openiir, tmp_path):
    settings = ["--settings", str(served()[1])]
    run = ["run", str(by_model), "--set", "config.steps=8", *settings, "--out"]
    whole = openiir(*run, tmp_path / "whole").content
    disk = tmp_path / "disk"
    disk.mkdir()
    resume = ["resume", str(disk / "run"), *settings]
    steps = [
        ["fill", str(disk / "ballast"), "2700000"],
        [*run, str(disk / "run")],
        resume,
        ["rm", str(disk / "ballast")],
        resume,
        ["replay", str(disk / "run")],
    ]
    (done,) = sittings({"argvs": steps, "small": [str(disk), 3000]})
    if done["code"] == 77:
        pytest.skip("this machine lets us mount no small disk; the limit on file sizes stands for it")
    assert done["codes"] == [0, 1, 1, 0, 0, 0], done["err"]
    assert done["err"].count("Make space") == 2 and "Traceback" not in done["err"]
    assert [line for line in done["out"].splitlines() if line.startswith("content")] == [
        f"content: {whole}"
    ] * 2
