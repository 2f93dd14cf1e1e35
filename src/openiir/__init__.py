"""An open simulation platform for information-retrieval research."""

__version__ = "0.1.0"
