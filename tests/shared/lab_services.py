"""Starts services of compose.yaml without containers, and tells how commands beside them ended.

Run in a network of its own, where the services' names lead to loopback. Neo4j is left out, a stand-in takes
the place of Ollama, and a small server that of the search engines that SearXNG asks.
"""

import json
import os
import subprocess
import sys
import time

from small_server import SmallServer

from openiir.testing.standin import StandIn

FOUND = {"title": "Ropes", "url": "https://example.org/r", "content": "Worn ropes part at sea."}
OLLAMA, ENGINE = 11434, 9000


def main(order):
    """Run the commands of an order: `first`, those that `serve`, each with its health check, and `then`."""
    asked = []

    def answer(path, body):
        asked.append(path)
        return 200, {"found": [FOUND]}

    serving = []
    try:
        with StandIn(port=OLLAMA), SmallServer(answer, ENGINE):
            for words in order["first"]:
                subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
            for words, variables, check in order["serve"]:
                serving.append(subprocess.Popen(words, env={**os.environ, **variables}, stdout=sys.stderr))
                wait_until_healthy(serving[-1], check)
            ended = [subprocess.run(words, capture_output=True, text=True) for words in order["then"]]
    finally:
        for server in reversed(serving):
            server.kill()
    told = [[one.returncode, one.stdout, one.stderr] for one in ended]
    print(json.dumps({"ended": told, "searched": len(asked)}))


def wait_until_healthy(server, check):
    """Repeat the health check of a server until it succeeds."""
    last = time.monotonic() + 30
    while subprocess.run(check, capture_output=True).returncode:
        if server.poll() is not None or time.monotonic() > last:
            raise TimeoutError(check)
        time.sleep(0.05)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
