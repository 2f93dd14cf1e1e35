"""Find the titles, facets and values of a catalogue in what somebody wrote."""

from openiir.scenarios.conversational.titles.facets import Facets
from openiir.scenarios.conversational.titles.gazetteer import Gazetteer, ValueMention
from openiir.scenarios.conversational.titles.linking import Linker, TitleMention
from openiir.scenarios.conversational.titles.title_index import Titles

__all__ = ["Facets", "Gazetteer", "Linker", "TitleMention", "Titles", "ValueMention"]
