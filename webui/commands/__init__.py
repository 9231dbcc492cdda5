"""The commands that need the server. They join the command `arena` by an entry point (pyproject.toml).

This module holds only the table. A command's modules are imported when it is called.
"""

from arena.cli.lazy import CommandTable, Lazy

COMMANDS = CommandTable(
    extra="server",
    needs="django",
    commands={
        "up": Lazy("webui.commands.up", "up", "Run a whole arena on this machine, until Ctrl-C."),
        "user": Lazy("webui.commands.user", "app", "Users, their bots and tokens, without the site."),
        "ratings": Lazy("webui.commands.ratings", "app", "The ratings of the ladders."),
        "report": Lazy("webui.commands.report", "app", "Fairness reports over the records of many matches."),
        "admin": Lazy("webui.commands.admin", "app", "Look after a deployment: its health, its backups."),
    },
)

_EVENT = "webui.commands.event"
EVENT_COMMANDS = CommandTable(
    extra="server",
    needs="django",
    commands={
        "new": Lazy(_EVENT, "new", "Create an event from its terms."),
        "list": Lazy(_EVENT, "listing", "All events."),
        "show": Lazy(_EVENT, "show", "The standings of an event."),
        "publish": Lazy(_EVENT, "publish", "Open an event to entrants."),
        "enter": Lazy(_EVENT, "enter", "Enter bots."),
        "leave": Lazy(_EVENT, "leave", "Withdraw a bot."),
        "start": Lazy(_EVENT, "start", "Freeze the field and start."),
        "pause": Lazy(_EVENT, "pause", "Schedule nothing more until it is resumed."),
        "resume": Lazy(_EVENT, "resume", "Resume a paused event."),
        "reveal": Lazy(_EVENT, "reveal", "Show hidden results."),
        "again": Lazy(_EVENT, "again", "Have games played again."),
        "disqualify": Lazy(_EVENT, "disqualify", "Put an entrant last in all its games."),
        "cancel": Lazy(_EVENT, "cancel", "Cancel an event."),
        "export": Lazy(_EVENT, "export", "Write an event's document and replays for verification."),
    },
)
"""Commands that join `arena event`."""
