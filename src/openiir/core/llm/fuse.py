"""When one call has been given up, the endpoint is taken for dead: those that still wait need not try for hours."""

from dataclasses import dataclass, field

from openiir.core.errors import EndpointError
from openiir.core.llm.failures import Refused
from openiir.core.llm.provider import Provider, Reply, Request


@dataclass
class Fuse:
    """Whole until a call was given up; a refusal of one request is no reason to blow it."""

    blown: str = ""
    """Why it blew; empty while it is whole."""

    def check(self) -> None:
        """Raises EndpointError once it is blown."""
        if self.blown:
            raise EndpointError(f"not asked any more, since an earlier call was given up: {self.blown}")


@dataclass(frozen=True)
class Blowing:
    """A provider around the retries: a call that they give up blows the fuse."""

    inner: Provider
    fuse: Fuse = field(default_factory=Fuse)

    async def complete(self, request: Request) -> Reply:
        """The inner provider's reply."""
        try:
            return await self.inner.complete(request)
        except Refused:
            raise
        except EndpointError as given_up:
            self.fuse.blown = self.fuse.blown or str(given_up)
            raise
