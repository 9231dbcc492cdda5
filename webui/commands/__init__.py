"""The commands that need the server. They join the command `arena` by an entry point (pyproject.toml).

This module holds only the table. A command's modules are imported when it is called.
"""

from arena.cli.lazy import CommandTable, Lazy

COMMANDS = CommandTable(
    extra="server",
    # Some of these are often installed for another reason. All together come with the extra alone.
    needs=("celery", "dj_database_url", "django", "msgspec", "redis", "uvicorn"),
    commands={
        "up": Lazy("webui.commands.up", "up", "Run a whole arena on this machine, until Ctrl-C."),
        "user": Lazy("webui.commands.user", "app", "Users, their bots and tokens, without the site."),
        "ratings": Lazy("webui.commands.ratings", "app", "The ratings of the ladders."),
        "report": Lazy("webui.commands.report", "app", "Fairness reports over the records of many matches."),
        "admin": Lazy("webui.commands.admin", "app", "Look after a deployment: its health, its backups."),
    },
)
