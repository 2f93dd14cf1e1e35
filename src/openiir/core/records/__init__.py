"""Frozen data records of a run: personas, events, calls, chunks, claims, measures."""

from openiir.core.records.budget import Budget
from openiir.core.records.call import Call, CallDetails, CallSource, Place, TransportTry
from openiir.core.records.chunk import Chunk, Search, SearchHit
from openiir.core.records.claim import Citation, Claim, Edge, EdgeType
from openiir.core.records.endpoint_use import RateGrant, RateLimits, SpendingLimit
from openiir.core.records.event import Event
from openiir.core.records.measure import Measure
from openiir.core.records.message import Image, Message
from openiir.core.records.persona import ActivityProfile, BigFive, Persona, RetrievalMode
from openiir.core.records.probe import ProbeReport, ProbeStep
from openiir.core.records.record import ConfigTable, Record
