"""Web application of the server: routes below /api, the built web app elsewhere."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles

import openiir
from openiir.core.errors import OpeniirError, UnknownName
from openiir.runs.interviews import InterviewRooms
from openiir.runs.reasons import withhold_addresses
from openiir.runs.settings import Settings
from openiir.server.guard import Access, RequestGuard
from openiir.server.reading import Reader
from openiir.server.routes import probes, routes
from openiir.server.sharing import ServerState

COMPRESSION = 4
"""Level of gzip: 1 (fast) to 9 (small)."""


def build_app(root: Path, access: Access, settings: Settings) -> FastAPI:
    """Build the web application for the runs below `root`."""
    rooms = InterviewRooms(settings)

    @asynccontextmanager
    async def close_rooms(_: FastAPI) -> AsyncIterator[None]:
        yield
        await rooms.close()

    app = FastAPI(
        title="openiir", version=openiir.__version__, docs_url=None, redoc_url=None, lifespan=close_rooms
    )
    app.state.server = ServerState(root, Reader(root, settings), access, rooms)
    # Replies may be compressed: none holds the token, and no other page can have words put into one.
    app.add_middleware(GZipMiddleware, compresslevel=COMPRESSION)
    app.add_middleware(RequestGuard, access=access)
    app.add_exception_handler(OpeniirError, _tell_error)
    app.add_exception_handler(RequestValidationError, _tell_mistakes)
    app.include_router(probes)
    app.include_router(routes)
    built = files("openiir") / "web" / "app"
    if built.is_dir():
        app.mount("/", StaticFiles(directory=str(built), html=True))
    return app


async def _tell_error(request: Request, error: Exception) -> JSONResponse:
    words = withhold_addresses(str(error).replace(f"{request.app.state.server.root}/", ""))
    return JSONResponse({"detail": words}, 404 if isinstance(error, UnknownName) else 400)


async def _tell_mistakes(_: Request, error: Exception) -> JSONResponse:
    """Tell what is wrong with a request in words, without repeating what was sent."""
    assert isinstance(error, RequestValidationError)
    mistakes = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
    return JSONResponse({"detail": "; ".join(mistakes)}, 422)
