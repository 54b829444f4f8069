"""Signs in with the Python SDK, which registers itself, and calls a tool; the redirect arrives as a line of input."""

import asyncio
import sys
from urllib.parse import parse_qs, urlparse

from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.shared.auth import OAuthClientMetadata
from mcp import ClientSession


class Memory(TokenStorage):
    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def show(url):
    print(f"OPEN {url}", flush=True)


async def wait_for_callback():
    line = await asyncio.to_thread(sys.stdin.readline)
    fields = parse_qs(urlparse(line.strip()).query)
    return AuthorizationCodeResult(code=fields["code"][0], state=fields["state"][0], iss=fields["iss"][0])


async def main(url):
    auth = OAuthClientProvider(
        server_url=url,
        client_metadata=OAuthClientMetadata(
            client_name="Python SDK", redirect_uris=["http://127.0.0.1:7009/callback"]
        ),
        storage=Memory(),
        redirect_handler=show,
        callback_handler=wait_for_callback,
    )
    client = create_mcp_http_client(auth=auth)
    async with client, streamable_http_client(url, http_client=client) as (read, write, *_):
        async with ClientSession(read, write) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            result = await session.call_tool("list_orders", {})
            print("TOOLS", " ".join(tool.name for tool in tools), flush=True)
            print("CALLED", result.content[0].type, flush=True)


asyncio.run(main(sys.argv[1]))
