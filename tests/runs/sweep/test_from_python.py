"""Sweeps through the Python door."""

import asyncio

import openiir as door


def test_a_sweep_is_run_looked_at_and_compared(small, tmp_path, inlined, openiir):
    study = small()
    told = openiir(
        "sweep", study, "--vary", "config.warmth=[0.1, 0.9]", "--seeds", 2, "--out", tmp_path / "told"
    )

    async def cell():
        return door.sweep(
            study, vary={"config.warmth": [0.1, 0.9]}, seeds=2, out=tmp_path / "sweep", progress=False
        )

    swept = asyncio.run(cell())
    assert swept.content == told.content
    assert swept.cells["config.warmth"].to_pylist() == [0.1, 0.1, 0.9, 0.9]
    assert [run.content for run in swept.runs] == swept.cells["content"].to_pylist()
    assert "config.warmth=0.9" in swept._repr_html_()
    found = door.compare(swept, measures=["warmth.mean"])
    assert found.families[0].tests == 1 and "warmth=0.9" in found._repr_html_()


def test_a_range_may_be_written_as_on_the_command_line(small, tmp_path, inlined):
    ranges = ("0.2..0.8", {"low": 0.2, "high": 0.8})
    swept = [
        door.sweep(
            small(),
            vary={"config.warmth": axis},
            design="lhs",
            samples=3,
            out=tmp_path / str(n),
            progress=False,
        )
        for n, axis in enumerate(ranges)
    ]
    assert swept[0].content == swept[1].content and len(swept[0].runs) == 3
