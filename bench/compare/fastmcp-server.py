# FastMCP's own OpenAPI server, stateless over streamable HTTP, which is its fastest way to answer.
import json
import sys

import httpx2
from fastmcp import FastMCP

port, document, upstream = sys.argv[1:4]
with open(document, encoding="utf-8") as file:
    spec = json.load(file)
server = FastMCP.from_openapi(openapi_spec=spec, client=httpx2.AsyncClient(base_url=upstream), name="bench")
server.run(
    transport="http",
    host="127.0.0.1",
    port=int(port),
    stateless_http=True,
    json_response=True,
    show_banner=False,
    log_level="error",
)
