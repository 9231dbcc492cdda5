"""Authors who hand in versions of their bots."""

from __future__ import annotations

from pathlib import Path

from arena.hosting.bundle import Bundle, pack
from arena.hosting.limits import DEFAULT_LIMITS, HostingLimits
from arena.hosting.messages import HelloFacts
from webui.accounts import actions as account_actions
from webui.accounts.values import Actor
from webui.bots import actions as bot_actions
from webui.hosting import actions, jobs
from webui.hosting.values import SubmissionValue

FACTS = HelloFacts(sdk="python/1", player_counts=(2, 3), expansions=("artisans",), wants_legal=True)


class Author:
    """A user with a bot."""

    def __init__(self, name: str, folder: Path) -> None:
        self.user = account_actions.create_user(name, None)
        self.bot = bot_actions.register_bot(self.user, f"{name.capitalize()} one")
        self.actor = Actor(self.user)
        self._folder = folder
        self._made = 0

    def bundle(self, text: str = "print('hello')\n", limits: HostingLimits = DEFAULT_LIMITS) -> Bundle:
        """Return the bundle of a bot that is one Python file."""
        self._made += 1
        source = self._folder / f"source{self._made}.py"
        source.write_text(text)
        return pack(source, "bot.py", self._folder / f"bundle{self._made}", limits)

    def submit(self, version: str, text: str = "print('hello')\n") -> SubmissionValue:
        """Hand in a version."""
        return actions.submit(self.actor, self.bot, version, "", self.bundle(text))

    def host(self, version: str, runner: int, text: str = "print('hello')\n") -> SubmissionValue:
        """Hand in a version, which a runner builds and examines."""
        made = self.submit(version, text)
        job = jobs.take_job(runner)
        assert job is not None and job.id == made.id
        jobs.finish_build(job.id, job.epoch, job.source)
        jobs.finish_examination(job.id, job.epoch, FACTS)
        return made
