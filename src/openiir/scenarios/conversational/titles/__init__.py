"""Recognition of a catalogue's titles and attribute values in free text."""

from openiir.scenarios.conversational.titles.facets import Facets
from openiir.scenarios.conversational.titles.gazetteer import Gazetteer, ValueMention
from openiir.scenarios.conversational.titles.linking import Linker, TitleMention
from openiir.scenarios.conversational.titles.title_index import Titles

__all__ = ["Facets", "Gazetteer", "Linker", "TitleMention", "Titles", "ValueMention"]
