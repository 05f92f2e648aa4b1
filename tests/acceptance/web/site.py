"""A page over a real memory, asked as a browser asks."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import httpx2

from r_memory.config.settings import Settings
from r_memory.memory import Memory
from r_memory.serving.http.app import page_door
from r_memory.serving.http.plan import Address, HttpPlan
from r_memory.web.app import Site
from r_memory.web.visits import own_token

HOST = "http://127.0.0.1:8765"
_SIGN = re.compile(r'name="sign" value="([0-9a-f]{64})"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """Somebody who is signed in, or not."""

    http: httpx2.AsyncClient
    token: str

    async def enter(self) -> "Browser":
        answer = await self.http.get("/enter", params={"token": self.token})
        assert answer.status_code == 303, answer.text
        return self

    async def see(self, path: str, **asked: str) -> str:
        """The page, which must be there."""
        answer = await self.http.get(path, params=asked or None)
        assert answer.status_code == 200, answer.text
        return answer.text

    async def send(self, path: str, *, origin: str = HOST, sign: str | None = None, **fields: str) -> httpx2.Response:
        """A form of the page, with the sign of this visit unless another is given."""
        if sign is None:
            found = _SIGN.search((await self.http.get("/ask")).text)
            sign = "" if found is None else found[1]
        headers = {"origin": origin} if origin else {}
        return await self.http.post(path, data={"sign": sign, **fields}, headers=headers)

    async def decide(self, **fields: str) -> httpx2.Response:
        """A decision, shown first and then written."""
        shown = await self.send("/decide", **fields)
        if shown.status_code != 200 or "What this writes" not in shown.text:
            return shown
        return await self.send("/decide", sure="1", **fields)


@asynccontextmanager
async def browsing(
    memory: Memory, settings: Settings, *, decides: bool = True, plan: HttpPlan | None = None, who: str = "nurse"
) -> AsyncIterator[Browser]:
    """A browser before the pages of a memory."""
    plan = plan or HttpPlan(settings=replace(settings, http_token=""), address=Address(host="127.0.0.1", port=8765))

    async def opened() -> Memory:
        return memory

    app = page_door(Site(who=who, decides=decides)(opened, plan), plan)
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url=HOST) as http:
        yield Browser(http=http, token=own_token(plan))
