"""Connectors to systems under test, by declaration: HTTP, WebSocket, standard input/output, Python callable."""
