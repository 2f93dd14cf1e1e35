"""Web application of the server: routes below /api, the built web app elsewhere."""

from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles

import openiir
from openiir.core.errors import OpeniirError, UnknownName
from openiir.runs.settings import Settings
from openiir.server.guard import Access, RequestGuard
from openiir.server.reading import Reader
from openiir.server.routes import ServerState, routes


def build_app(root: Path, access: Access, settings: Settings) -> FastAPI:
    """Build the web application for the runs below `root`."""
    app = FastAPI(title="openiir", version=openiir.__version__, docs_url=None, redoc_url=None)
    app.state.server = ServerState(root, Reader(root, settings), access, settings)
    app.add_middleware(RequestGuard, access=access)
    app.add_exception_handler(OpeniirError, _tell_error)
    app.include_router(routes)
    built = files("openiir") / "web" / "app"
    if built.is_dir():
        app.mount("/", StaticFiles(directory=str(built), html=True))
    return app


async def _tell_error(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, 404 if isinstance(error, UnknownName) else 400)
