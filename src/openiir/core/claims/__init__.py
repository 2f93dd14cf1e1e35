"""Claims: extraction, stance, relations, argument strength, and the argument graph."""

from openiir.core.claims.claim_index import ClaimIndex
from openiir.core.claims.extract import EXTRACTOR, EarlierClaim, extract_claims
from openiir.core.claims.graph import claim_graph, graph_measures
from openiir.core.claims.open_replies import unanswered_edges
from openiir.core.claims.questions import HEARD, ClaimSource, ClaimsReply, ExtractClaims
from openiir.core.claims.relation import relate
from openiir.core.claims.settle import settle
from openiir.core.claims.stance import stance
from openiir.core.claims.strength import balance, influence, strengths
from openiir.core.claims.text import CLAIM_THRESHOLD, claimhood, is_question, specificity
