"""A client process of its own: ``python asking.py ADDRESS AUTHKEY MODEL FROM TO`` asks one question a number.

Prints a JSON line: the answers, the errors by outcome, and whether litellm was imported here.
"""

from __future__ import annotations

import json
import sys

from pytest_haystack.errors import ModelError
from pytest_haystack.running.gateway.client import GatewayClient


def main(address: str, authkey: str, model: str, first: str, last: str) -> None:
    client = GatewayClient(address, authkey)
    answers, errors = [], []
    for number in range(int(first), int(last)):
        try:
            completion = client.complete(model, [{"role": "user", "content": f"number {number}"}], 10, 0)
            answers.append(completion.text)
        except ModelError as error:
            errors.append([error.outcome, str(error)])
    print(json.dumps({"answers": answers, "errors": errors, "litellm": "litellm" in sys.modules}))


if __name__ == "__main__":
    main(*sys.argv[1:])
