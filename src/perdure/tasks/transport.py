"""What HTTP clients of others (LLM, MCP) are given instead of a transport of their own.

It reads the URL as the door does, connects as the door does, and stops a body that is too large. It keeps no cookies,
follows no redirects, and asks no environment for proxies: a proxy would connect for us, unchecked.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from contextlib import contextmanager

import httpcore2
import httpx2

from perdure.tasks import targets
from perdure.tasks.failing import NonRetryable
from perdure.tasks.headers import FRAMING, refusal
from perdure.tasks.outbound import WATCHING
from perdure.tasks.redaction import hidden_host


class ResponseTooLarge(NonRetryable, public_name="ResponseTooLarge"):
    """The answer is larger than the door lets in."""


class DoorTransport(httpx2.AsyncBaseTransport):
    """Of one event loop. `network` decides what may be connected to."""

    def __init__(
        self, network: httpcore2.AsyncNetworkBackend, ssl_context: ssl.SSLContext, response_bytes_max: int
    ) -> None:
        self._pool = httpcore2.AsyncConnectionPool(ssl_context=ssl_context, network_backend=network)
        self._response_bytes_max = response_bytes_max

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = targets.checked(request.url)
        _require_sound(request, url)
        host = url.raw_host.decode("ascii")
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        watching, headers, leaving = WATCHING.get(), request.headers.raw, None
        if watching is not None:
            leaving = watching.leaving(request.method, url.scheme, hidden_host(url.host), url.port)
            if "traceparent" not in request.headers:
                headers = [*headers, (b"traceparent", leaving.traceparent.encode())]
        sent = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=headers,
            content=request.stream,
            # Only the times: `sni_hostname` would have certificates checked for another name.
            extensions={"timeout": request.extensions.get("timeout", {})},
        )
        try:
            with _in_words_of_the_client(host):
                response = await self._pool.handle_async_request(sent)
        except BaseException as error:
            if leaving is not None:
                leaving.failed(error)
            raise
        if leaving is not None:
            leaving.ended(response.status)
        assert isinstance(response.stream, AsyncIterable)
        return httpx2.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_CappedStream(response.stream, self._response_bytes_max, host),
            request=request,
        )

    async def aclose(self) -> None:
        await self._pool.aclose()


def _require_sound(request: httpx2.Request, url: httpx2.URL) -> None:
    """Clients send what others have given them. Of the headers that say whom a request is for and where it ends, only those are
    sent that the client has written from the URL and the body.
    """
    framing: list[tuple[str, str]] = []
    for raw_name, raw_value in request.headers.raw:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        if name in FRAMING:
            framing.append((name, value.lower()))
            continue
        why = refusal(name, value)
        if why is not None:
            raise targets.OutboundRefused(why)
    hosts = {request.url.netloc.decode("ascii").lower(), url.netloc.decode("ascii").lower()}
    names = [name for name, _ in framing]
    for name, value in framing:
        if names.count(name) > 1 or not _is_of_the_client(name, value, hosts):
            raise targets.OutboundRefused(
                f"the header {name!r} is set by the door, from the URL and the body; leave it out"
            )
    if "content-length" in names and "transfer-encoding" in names:
        raise targets.OutboundRefused("the headers say twice where the body ends; leave out 'transfer-encoding'")


def _is_of_the_client(name: str, value: str, hosts: set[str]) -> bool:
    match name:
        case "host":
            return value in hosts
        case "content-length":
            return value.isdecimal() and value.isascii()
        case "transfer-encoding":
            return value == "chunked"
        case _:
            return value in ("keep-alive", "close")


class _CappedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: AsyncIterable[bytes], bytes_max: int, host: str) -> None:
        self._stream, self._bytes_max, self._host = stream, bytes_max, host

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        with _in_words_of_the_client(self._host):
            async for part in self._stream:
                seen += len(part)
                if seen > self._bytes_max:
                    raise too_large(self._bytes_max)
                yield part

    async def aclose(self) -> None:
        close = getattr(self._stream, "aclose", None)
        if close is not None:
            await close()


def too_large(bytes_max: int) -> ResponseTooLarge:
    return ResponseTooLarge(
        f"the answer is larger than {bytes_max} bytes, the most that is let in; ask for less of it, in pages"
    )


@contextmanager
def _in_words_of_the_client(host: str) -> Iterator[None]:
    """The two libraries name their exceptions alike, but do not share them. Their messages may name the host."""
    try:
        yield
    except (
        httpcore2.TimeoutException,
        httpcore2.NetworkError,
        httpcore2.ProtocolError,
        httpcore2.UnsupportedProtocol,
    ) as error:
        said: type[httpx2.TransportError] = getattr(httpx2, type(error).__name__, httpx2.TransportError)
        raise said(_without_host(str(error), host)) from error


def _without_host(text: str, host: str) -> str:
    shown = hidden_host(host)
    return text if shown == host else re.sub(re.escape(host), lambda _: shown, text, flags=re.IGNORECASE)
