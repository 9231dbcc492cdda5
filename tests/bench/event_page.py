"""The page of a large event, beside a page that reads nothing: `python -m tests.bench.event_page`.

A Swiss of 64 bots with six rounds, the last one being played, is written into a private PostgreSQL and served as in
production. Its page is asked for in turn with the sign-up form: what counts is the ratio, and that the median stays
under 100 ms. Who is not signed in is served the page that was made for others; for who is, it is made anew each time.
"""

from __future__ import annotations

from tests.bench.pages import measure, private_arena, served

BOTS, ROUNDS = 64, 6
TIMES = 60


def fill() -> str:
    """The event, its last round half played: its games have matches, eight of which run. A visitor's cookie."""
    from django.db import connection
    from django.test import Client

    from arena.events import FactKind
    from tests.kit.events import Played, by_chance
    from tests.kit.ladder import Kit
    from tests.kit.stored_events import bots, store
    from tests.site.world import sign_in
    from webui.accounts import actions as account_actions
    from webui.events import models as event_models

    kit = Kit()
    owner = account_actions.create_user("orga", None)
    versions = bots(owner, [f"Bot {number} of the field" for number in range(1, BOTS + 1)])
    played = Played({"kind": "swiss", "rounds": ROUNDS}, 2, BOTS, name="Swiss of 64")
    for _ in range(ROUNDS - 1):
        played.draw()
        played.play(by_chance())
    played.draw()
    for pairing in played.event.pairings()[: BOTS // 4]:
        number, table, game = pairing.key
        played.say(FactKind.RESULT, round=number, table=table, game=game, placements=by_chance()(pairing))
    row = store(played, owner, "swiss-of-64", versions)
    running = 0
    for number, drawn in enumerate(played.event.rounds, start=1):
        for table in drawn.tables:
            match = kit.match([versions[seat - 1] for seat in table.seats], rated=False)
            is_over = (number, table.number, 0) in played.event.games
            if not is_over and running < 8:
                kit.claim(match)
                running += 1
            event_models.EventMatch.objects.create(
                event=row, round=number, table=table.number, game=0, attempt=0, match_id=match, is_counted=is_over
            )
    client = Client()
    sign_in(client, account_actions.create_user("visitor", None))
    connection.close()
    return f"sessionid={client.cookies['sessionid'].value}"


def main() -> None:
    with private_arena():
        cookie = fill()
        with served() as port:
            address = "/events/swiss-of-64/"
            pages = {"event": [address], "event, signed in": [address], "list of events": ["/events/"]}
            measure(port, pages, TIMES, {"event, signed in": cookie})


if __name__ == "__main__":
    main()
