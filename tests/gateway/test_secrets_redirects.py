"""A server that sends the question about its window elsewhere."""

from __future__ import annotations

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from pytest_haystack.running.gateway.client import GatewayClient
from pytest_haystack.running.gateway.process import GatewayProcess
from tests.gateway.entries import CANARY, entry

OTHER = "GATEWAY_TEST_OTHER"


def test_no_key_goes_to_the_server_that_a_redirect_names(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OTHER, f"other-{CANARY}")
    seen: list[dict[str, str]] = []

    def models(request: Request) -> Response:
        seen.append(dict(request.headers))
        return Response('{"data": [{"id": "served", "max_model_len": 4096}]}', content_type="application/json")

    with HTTPServer() as elsewhere:
        elsewhere.expect_request("/models").respond_with_handler(models)
        moved = Response(status=302, headers={"Location": elsewhere.url_for("/models")})
        httpserver.expect_request("/v1/models", headers={"Authorization": f"Bearer {CANARY}"}).respond_with_response(
            moved
        )
        told = {**entry("m", httpserver.url_for("/v1"), model="openai/served"), "headers_env": {"x-gate": OTHER}}
        with GatewayProcess.start({"m": told}, None, warm=False) as gateway:
            client = GatewayClient(gateway.address, gateway.authkey)
            assert client.context_window("m") == 4096
            client.close()

    assert len(seen) == 1
    assert CANARY not in str(seen)
