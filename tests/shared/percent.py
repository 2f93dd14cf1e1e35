"""Parser of scripts in the percent format: cells of code and Markdown, as in editors and Jupytext."""

from collections.abc import Iterator


def cells(script: str) -> Iterator[tuple[str, str]]:
    """Yield the kind (`code` or `markdown`) and text of each cell of a script."""
    for part in script.split("# %%")[1:]:
        head, _, body = part.partition("\n")
        if head.strip() == "[markdown]":
            yield (
                "markdown",
                "\n".join(line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines()),
            )
        else:
            yield "code", body.strip()
