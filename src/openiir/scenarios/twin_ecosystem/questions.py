"""What a searcher is asked about a result page, and the cascade model by which searchers answer offline."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.prompting import ThoughtfulReply, bullet_lines, cut_text, number_lines
from openiir.plugin import Columns, CrowdQuestion, Draw, Record, Source
from openiir.scenarios.twin_ecosystem.model.reading import SearchReading


class UsedResult(ThoughtfulReply):
    """The result that a searcher acts on."""

    uses: int = Field(ge=0, le=50, description="number of the result that you act on; 0 for none of them")


@dataclass(frozen=True)
class UseResult(CrowdQuestion[UsedResult]):
    """Which result do you act on?"""

    query: str
    remembered: tuple[str, ...]
    results: tuple[str, ...]
    """Title, provider and opening of each result, from the top."""
    looks: Annotated[tuple[float, ...], Source("drawn")]
    """How useful each result looks to this searcher; 1 is what the best ones claim to be."""
    behaviour: SearchReading
    kind: ClassVar[str] = "twin_ecosystem.use"
    example: ClassVar[Record | None] = UsedResult(
        thoughts="The second is the railway's own page, and it is of today.", uses=2
    )

    def prompt(self) -> str:
        before = f"What you looked up before:\n{bullet_lines(self.remembered)}\n\n" if self.remembered else ""
        return f"""{before}You need to know something and ask a search engine: "{self.query}"

It shows these results:

{number_lines(self.results)}

Which one do you follow? You will do what it says."""

    def allowed(self) -> dict[str, list[int]]:
        return {"uses": list(range(len(self.results) + 1))}

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: SearchReading) -> Columns:
        """Cascade: read from the top until a result is used (Craswell et al., WSDM 2008), or leave."""
        return {"uses": behaviour.choose(columns["looks"], draw)}


def describe_result(text: str, provider: str, trusted: bool) -> str:
    """Describe a document as a result page does: title and provider, and its opening below."""
    title, _, rest = text.partition("\n")
    by = provider.replace("-", " ") + (", a checked publisher" if trusted else "")
    return f"{cut_text(title, 100)} ({by})\n   {cut_text(' '.join(rest.split()), 220)}"
