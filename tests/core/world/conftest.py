import asyncio
import contextlib
import io

import pytest
from aiohttp import web

from openiir.core.hashing import sha256
from openiir.core.world import SourceDocument


def _pdf(*contents):
    """A PDF of one page for each content stream, with a font F1 and a one-pixel picture I1."""
    count = len(contents)
    kids = " ".join(f"{5 + 2 * i} 0 R" for i in range(count))
    resources = "<< /Font << /F1 3 0 R >> /XObject << /I1 4 0 R >> >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
        b" /Length 1 >>\nstream\n\x80\nendstream",
    ]
    for i, content in enumerate(contents):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources {resources}"
            f" /Contents {6 + 2 * i} 0 R >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    return (
        data
        + (
            f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
            f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
        ).encode()
    )


@pytest.fixture(scope="session")
def make_pdf():
    """Bytes of a PDF with the given pages, each a list of lines."""

    def make(*pages):
        contents = []
        for lines in pages:
            shown = b"\n".join(b"(%s) Tj T*" % line.encode("latin-1") for line in lines)
            contents.append(b"BT /F1 10 Tf 12 TL 50 740 Td\n" + shown + b"\nET")
        return _pdf(*contents)

    return make


@pytest.fixture(scope="session")
def picture_pdf():
    return _pdf(b"q 200 0 0 200 50 500 cm /I1 Do Q")


@pytest.fixture(scope="session")
def encrypted_pdf(make_pdf):
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter()
    writer.append_pages_from_reader(PdfReader(io.BytesIO(make_pdf(["A secret line of text."]))))
    writer.encrypt("sesame", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.fixture
def make_source():
    def make(text, name="a.txt"):
        return SourceDocument(name=name, media="text/plain", text=text, sha256=sha256(text))

    return make


@pytest.fixture
def serve():
    """Run a coroutine function against a loopback server with the given handlers, by path."""

    @contextlib.asynccontextmanager
    async def site(handlers):
        app = web.Application()
        for path, handler in handlers.items():
            app.router.add_route("*", path, handler)
        runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        try:
            yield runner.addresses[0][1]
        finally:
            await runner.cleanup()

    def run(handlers, body):
        async def all_of_it():
            async with site(handlers) as port:
                return await body(f"http://127.0.0.1:{port}")

        return asyncio.run(all_of_it())

    return run
