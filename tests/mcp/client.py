"""A session of the reference client with `BINARY mcp --root FOLDER`."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(binary: str, folder: str) -> None:
    server = StdioServerParameters(command=binary, args=["mcp", "--root", folder])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools

        async def call(name: str, **arguments: object) -> tuple[str, bool]:
            result = await session.call_tool(name, arguments)
            return result.content[0].text, bool(result.model_dump(by_alias=True)["isError"])

        report = json.loads((await call("check", path="softmax.py"))[0])
        simpler = json.loads((await call("simplify", expr="(4*i+j)%4", given=["0 <= j", "j < 4"]))[0])
        outside = "refused" if (await call("opt", path="../secret.py"))[1] else "read"
        errors = report["summary"]["errors"]
        print(f"{len(tools)} tools, {errors} findings of level error, {simpler['after']}, {outside}")


asyncio.run(main(*sys.argv[1:]))
