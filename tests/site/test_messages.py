"""What an owner gets to reproduce a decision: the messages of the bot's seat as files, and the command on the board."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from arena.wire import codec
from arena.wire.history import unpack
from tests.kit.ladder import Kit, play_out
from tests.site.world import text
from webui.matches import ending, ownership

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_files_and_commands_are_for_the_owner_and_after_the_end(kit: Kit) -> None:
    claim = kit.claim(kit.match(kit.versions(2)))
    played = play_out(claim)
    ownership.append(claim.match_id, claim.epoch, 0, played.entries, 30)
    kit.begin_all()
    owner, other = Client(), Client()
    for client, name in ((owner, "owner1"), (other, "owner2")):
        client.force_login(get_user_model().objects.get(username=name))
    page, board = f"/account/bots/bot-1/matches/{claim.match_id}/", f"/matches/{claim.match_id}/"
    for form in ("binpb", "txtpb"):
        assert owner.get(f"{page}?format={form}").status_code == 404, "the match goes on"
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)

    answer = owner.get(f"{page}?format=binpb")
    assert f"naqala-{claim.match_id}-bot-1.binpb" in answer["Content-Disposition"]
    told = [codec.decode_server(payload) for payload in unpack(answer.content)]
    assert [one.WhichOneof("kind") for one in told[:2]] == ["offer", "reveal_request"]
    assert told[-1].HasField("match_end") and told[0].offer.terms.seat == 1
    asks = [one.request.index for one in told if one.HasField("request")]
    seats = {one.request.seat for one in told if one.HasField("request")}
    due = [at for at, event in enumerate(played.document["events"]) if event[0] == 1 and "ms" in [*event, {}][2]]
    assert (asks, seats) == (due, {1})
    assert f"# 3: request, index {asks[0]}\nrequest {{" in text(owner.get(f"{page}?format=txtpb"))
    for form in ("", "?format=binpb", "?format=txtpb"):
        assert other.get(page + form).status_code == 404 and Client().get(page + form).status_code == 302
    shown = text(owner.get(page))
    links = re.findall(r'href="/matches/\w+/\?d=(\d+)#again"', shown)
    assert list(map(int, links)) == asks and "?format=binpb" in shown

    def command(client: Client, at: object) -> str:
        found = re.search(r'<code id="again-\d">(.*?)</code>', text(client.get(f"{board}?d={at}")))
        return re.sub("<.*?>", "", found[1]) if found else ""

    words = f"arena debug http://testserver{board} --at {asks[5]} --seat 1 -- ./mybot"
    assert command(owner, asks[5]) == words and command(owner, asks[6] - 1) == words
    assert f"--at {asks[0]} " in command(owner, 0) and f"--at {asks[-1]} " in command(owner, 9999)
    assert "--seat 2 " in command(other, asks[5]) and command(Client(), asks[5]) == ""
