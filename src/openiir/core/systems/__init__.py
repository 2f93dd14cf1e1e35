"""Connectors to systems under test: HTTP, WebSocket, Socket.IO, standard streams, Python callables."""

from openiir.core.systems.connector import Session, open_session
from openiir.core.systems.declaration import Exchange, SystemSpec
from openiir.core.systems.faults import ConnectionDropped, ConnectionFailed, SystemFault
from openiir.core.systems.http import SharedConnections
from openiir.core.systems.probe import probe_system
from openiir.core.systems.reading import read_system, read_systems
from openiir.core.systems.replies import SystemReply
from openiir.core.systems.retriever import RetrieverReply, RetrieverSpec
