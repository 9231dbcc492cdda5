"""Acts of staff: every right is tried against every act, on its page, and every act is a command."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from arena.cli.files import InputError
from arena.hosting.faults import HostingFault
from arena.hosting.messages import RunnerFacts
from tests.ladder.staff import run
from tests.site.seed import PASSWORD
from tests.site.world import World, limited, sign_in, text
from webui.accounts import actions as account_actions
from webui.accounts.models import AuditEntry, User
from webui.accounts.names import skeleton_of
from webui.accounts.values import OPERATOR, Act, Actor
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.bots.models import Bot
from webui.hosting import actions as hosting_actions
from webui.hosting import jobs
from webui.hosting.models import Runner, Submission, SubmissionState
from webui.ladders.models import Ladder, LadderTerms
from webui.matches.models import Match
from webui.notices import actions as notice_actions
from webui.notices.emails import send_due_mails
from webui.notices.models import BotNotice
from webui.staff import hosting_acts, locks, orders, people_queries, roles
from webui.staff.act import StaffAct
from webui.staff.acts import ACTS
from webui.staff.models import MatchOrder
from webui.staff.values import GRANTED, Right, Role

pytestmark = pytest.mark.django_db

WHY = "Its gateway has died"
NEW = "a slower caravan"


def confirm(user_id: int) -> None:
    account_actions.set_email(user_id, "lena@example.org")
    EmailAddress.objects.update(verified=True)


def nothing(world: World) -> None:
    pass


def register(world: World) -> None:
    hosting_actions.register_runner("north")


def register_paused(world: World) -> None:
    register(world)
    hosting_acts.pause_runner(Runner.objects.get().pk, "x", is_paused=True, by=OPERATOR)


@dataclass
class Case:
    """One act that changes something."""

    subject: Callable[[World], str]
    right: Right
    form: dict[str, Any] = field(default_factory=dict)
    """Fields that a page is sent beside the reason."""
    words: tuple[str, ...] = ()
    """Words of the command beside the subject and the reason."""
    before: Callable[[World], Any] = nothing


CASES = {
    "void": Case(lambda world: world.running, Right.CHANGE_MATCH),
    "again": Case(lambda world: world.aborted, Right.CHANGE_MATCH),
    "ladder": Case(
        lambda world: "3",
        Right.CHANGE_LADDER,
        {"is_open": "on", "share": "9", "bank": "60", "increment": "1", "cap": "10", "revision": "0"},
        ("--share", "9"),
    ),
    "delay": Case(lambda world: world.ladder, Right.CHANGE_LADDER, {"delay": "4", "seen": "0"}, ("--delay", "4")),
    "message": Case(lambda world: "lena", Right.CHANGE_USER, {"text": WHY, "number": "7"}, (WHY,)),
    "lock-user": Case(lambda world: "lena", Right.CHANGE_USER),
    "unlock-user": Case(
        lambda world: "lena", Right.CHANGE_USER, before=lambda world: locks.lock_user(world.owner, "x", by=OPERATOR)
    ),
    "send-password-link": Case(lambda world: "lena", Right.CHANGE_USER, before=lambda world: confirm(world.owner)),
    "set-role": Case(
        lambda world: "lena",
        Right.GRANT,
        {"role": "staff", "rights": ["bots.view_bot", "matches.view_match"]},
        ("--role", "staff", "--right", "bots.view_bot", "--right", "matches.view_match"),
    ),
    "lock-bot": Case(lambda world: "long-ledger", Right.CHANGE_BOT),
    "unlock-bot": Case(
        lambda world: "long-ledger",
        Right.CHANGE_BOT,
        before=lambda world: locks.lock_bot(world.bot, "x", by=OPERATOR),
    ),
    "take-down-sources": Case(
        lambda world: "long-ledger",
        Right.CHANGE_BOT,
        before=lambda world: Submission.objects.filter(pk=world.submission).update(
            state=SubmissionState.READY, ended_at=Now(), licence="MIT", published_at=Now()
        ),
    ),
    "correct-bot": Case(
        lambda world: "long-ledger",
        Right.CHANGE_BOT,
        {"name": "Short Ledger", "description": "New."},
        ("--name", "Short Ledger", "--description", "New."),
    ),
    "withdraw-submission": Case(lambda world: str(world.submission), Right.CHANGE_HOSTING),
    "lock-submission": Case(lambda world: str(world.submission), Right.CHANGE_HOSTING),
    "unlock-submission": Case(
        lambda world: str(world.submission),
        Right.CHANGE_HOSTING,
        before=lambda world: hosting_acts.lock_submission(world.submission, "x", by=OPERATOR),
    ),
    "pause-runner": Case(lambda world: "north", Right.CHANGE_HOSTING, before=register),
    "resume-runner": Case(lambda world: "north", Right.CHANGE_HOSTING, before=register_paused),
    "revoke-runner": Case(lambda world: "north", Right.CHANGE_HOSTING, before=register),
    "pause-hosting": Case(lambda world: "all", Right.CHANGE_HOSTING),
    "resume-hosting": Case(
        lambda world: "all",
        Right.CHANGE_HOSTING,
        before=lambda world: hosting_acts.pause_hosting("x", is_paused=True, by=OPERATOR),
    ),
}


def address(act: StaffAct[Any], case: Case, world: World) -> str:
    return reverse(f"staff-{act.key}", args=[case.subject(world)])


def state() -> list[Any]:
    """Return all rows that an act can change."""
    return [
        AuditEntry.objects.count(),
        BotNotice.objects.count(),
        list(MatchOrder.objects.values_list("match", "kind")),
        list(Match.objects.order_by("pk").values_list("pk", "state")),
        list(LadderTerms.objects.values_list("pk", "share")),
        list(Ladder.objects.order_by("pk").values_list("pk", "delay")),
        list(Bot.objects.order_by("pk").values_list("name", "description", "state")),
        list(User.objects.order_by("pk").values_list("username", "is_active", "is_staff", "is_superuser", "password")),
    ]


def test_every_act_is_tried() -> None:
    assert {act.key: act.right for act in ACTS} == {key: case.right for key, case in CASES.items()}


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.key)
def test_an_act_needs_its_own_right_and_no_other(world: World, act: StaffAct[Any]) -> None:
    case = CASES[act.key]
    case.before(world)
    where, form = address(act, case, world), {**case.form, "reason": WHY}
    clerk, me = limited(), User.objects.get(username="clerk").pk
    for right in (None, *(right for right in GRANTED if right is not act.right)):
        roles.set_role(me, Role.STAFF, [right] if right else [], "A test", by=OPERATOR)
        before = state()
        assert clerk.get(where).status_code == clerk.post(where, form).status_code == 403, right
        assert state() == before, right
    before = state()
    for who, status in (("stranger", 302), ("other", 404)):
        client = world.client(who)
        assert client.get(where).status_code == client.post(where, form).status_code == status, who
    assert state() == before
    if act.right is Right.GRANT:
        clerk = world.client("staff")
    else:
        roles.set_role(me, Role.STAFF, [act.right], "A test", by=OPERATOR)
    assert clerk.get(where).status_code == 200
    before = state()
    answer = clerk.post(where, form)
    assert answer.status_code == 302 and state() != before
    assert world.client("staff").get(answer["Location"]).status_code == 200, "there is the page to which it leads"


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.key)
def test_an_act_asks_for_a_fresh_password_and_a_reason(world: World, act: StaffAct[Any]) -> None:
    case = CASES[act.key]
    case.before(world)
    where, before = address(act, case, world), state()
    client = Client()
    client.force_login(User.objects.get(pk=world.staff))
    for answer in (client.get(where), client.post(where, {**case.form, "reason": WHY})):
        assert answer.status_code == 302 and answer["Location"].startswith("/account/confirm/")
    if act.reason is not None:
        assert world.client("staff").post(where, case.form).status_code == 422
    assert state() == before


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.key)
def test_an_act_is_a_command(world: World, act: StaffAct[Any]) -> None:
    case = CASES[act.key]
    case.before(world)
    words = (act.key, case.subject(world), *case.words)
    if act.reason is not None:
        with pytest.raises(SystemExit):
            run(*words)
        words += ("--reason", WHY)
    before = state()
    assert run(*words) == f"{act.key} {case.subject(world)}: done\n"
    assert state() != before
    entry = AuditEntry.objects.latest("pk")
    assert (entry.actor, entry.reason) == (None, WHY)
    with pytest.raises(InputError, match="there is no"):
        run(act.key, "nobody", *words[2:])


def test_pages_offer_the_acts_that_are_possible_now(world: World) -> None:
    client = world.client("staff")
    shown = {
        "/staff/users/lena/": ["message", "lock-user", "set-role"],
        "/staff/users/warden/": ["message", "set-role"],
        "/staff/bots/long-ledger/": ["lock-bot", "correct-bot"],
        f"/staff/matches/{world.running}/": ["void"],
        f"/staff/matches/{world.aborted}/": ["again"],
        f"/staff/matches/{world.finished}/": [],
        f"/staff/submissions/{world.submission}/": ["withdraw-submission", "lock-submission"],
        "/staff/runners/north/": ["pause-runner", "revoke-runner"],
    }
    register(world)
    for where, keys in shown.items():
        page = text(client.get(where))
        subject = where.rstrip("/").rpartition("/")[2]
        known = {act.key: reverse(f"staff-{act.key}", args=[subject]) for act in ACTS if act.path}
        assert [key for key, page_of in known.items() if f'href="{page_of}"' in page] == keys, where
    confirm(world.owner)
    assert "/staff/users/lena/password/" in text(client.get("/staff/users/lena/"))
    locks.lock_user(world.owner, WHY, by=OPERATOR)
    page = text(client.get("/staff/users/lena/"))
    assert "/staff/users/lena/unlock/" in page and "/staff/users/lena/password/" not in page
    assert "cannot be done now" in text(client.get("/staff/users/lena/password/"))


def test_the_owner_reads_why_a_version_is_locked(world: World) -> None:
    staff, owner = world.client("staff"), world.client("owner")
    page = f"/staff/submissions/{world.submission}/"
    staff.post(f"{page}lock/", {"reason": "It mines."})
    assert Submission.objects.get(pk=world.submission).lock_reason == "It mines."
    assert "It mines." in text(owner.get(f"/bots/long-ledger/submissions/{world.submission}/"))
    notice = BotNotice.objects.get(kind="locked")
    assert (notice.about, notice.data["version"], notice.data["why"]) == ("long-ledger", "h1", "It mines.")
    assert "version h1 was locked" in text(owner.get("/account/notices/"))
    assert "It mines." in text(staff.get(page)) and "unlock/" in text(staff.get(page))
    assert "locked" in text(staff.get("/staff/hosting/?kind=locked"))


def test_the_owner_reads_why_a_version_was_withdrawn(world: World) -> None:
    world.client("staff").post(f"/staff/submissions/{world.submission}/withdraw/", {"reason": "It mines."})
    owner = world.client("owner")
    page = text(owner.get("/account/notices/"))
    assert "version h1 was withdrawn" in page and "It mines." in page
    page = text(owner.get(f"/bots/long-ledger/submissions/{world.submission}/"))
    assert "have withdrawn this version: It mines." in " ".join(page.split())


def test_staff_see_runners_and_submissions_in_every_state(world: World) -> None:
    staff = world.client("staff")
    assert "There is no runner" in text(staff.get("/staff/hosting/"))
    register(world)
    runner = Runner.objects.get()
    hosting_actions.note_runner(runner.pk, RunnerFacts(cores=2, places=16, process="runner-1"))
    page = text(staff.get("/staff/hosting/"))
    assert "north" in page and "Long Ledger h1" in page and "silent" not in page
    job = jobs.take_job(runner.pk)
    assert job is not None
    assert "Long Ledger h1" in text(staff.get("/staff/runners/north/"))
    jobs.fail_job(job.id, job.epoch, HostingFault.BUILD_FAILED, "no compiler")
    for kind, is_listed in (("FAILED", True), ("open", False), ("READY", False), ("playing", False), ("locked", False)):
        page = text(staff.get(f"/staff/hosting/?kind={kind}&bot=long-ledger"))
        assert ("Long Ledger h1" in page) is is_listed, kind
    assert "no compiler" in text(staff.get(f"/staff/submissions/{world.submission}/"))
    staff.post("/staff/hosting/all/pause/", {"reason": WHY})
    assert "paused" in text(staff.get("/staff/hosting/"))


# A link for a new password


def test_a_password_link_goes_to_the_owner_alone(world: World) -> None:
    confirm(world.owner)
    notice_actions.choose_mail(world.owner, is_wanted=False, language="en")
    staff = world.client("staff")
    assert "lena@example.org" in text(staff.get("/staff/users/lena/password/"))
    assert "The link is sent" in text(staff.post("/staff/users/lena/password/", {"reason": WHY}, follow=True))
    entry = AuditEntry.objects.latest("pk")
    assert (entry.act, entry.actor_id, entry.account_id, entry.reason) == (
        Act.PASSWORD_LINK_SENT, world.staff, world.owner, WHY
    )  # fmt: skip
    assert send_due_mails() == 1
    (letter,) = mail.outbox
    assert letter.to == ["lena@example.org"] and WHY in letter.body and "switch these emails off" not in letter.body
    (link,) = re.findall(r"(/account/password/new/\S+)", letter.body)
    for page in ("/staff/audit/", "/staff/users/lena/"):
        assert link.split("-")[-1] not in text(staff.get(page)), "staff do not see the link"
    visitor = Client()
    form = visitor.get(link, follow=True).redirect_chain[-1][0]
    assert visitor.post(form, {"password1": NEW, "password2": NEW}).status_code == 302
    row = User.objects.get(pk=world.owner)
    assert row.check_password(NEW) and not row.check_password(PASSWORD)
    assert 'name="password1"' not in text(Client().get(link, follow=True)), "once"
    assert "link for a new password by email" in text(world.client("owner").get("/account/notices/"))
    assert "Link for a new password sent by staff" in text(world.client("owner").get("/account/history/"))


def test_no_password_link_without_a_confirmed_address(world: World) -> None:
    client, where = world.client("staff"), "/staff/users/lena/password/"
    assert client.post(where, {"reason": WHY}).status_code == 422
    account_actions.set_email(world.owner, "lena@example.org")
    assert client.post(where, {"reason": WHY}).status_code == 422
    EmailAddress.objects.update(verified=True)
    locks.lock_user(world.owner, WHY, by=OPERATOR)
    assert client.post(where, {"reason": WHY}).status_code == 422
    assert not AuditEntry.objects.filter(act=Act.PASSWORD_LINK_SENT).exists()
    assert send_due_mails() == 1 and "locked" in mail.outbox[0].subject, "of the lock alone"


def test_an_account_is_sent_few_password_links(world: World) -> None:
    confirm(world.owner)
    client, where = world.client("staff"), "/staff/users/lena/password/"
    assert [client.post(where, {"reason": WHY}).status_code for _ in range(4)] == [302, 302, 302, 422]
    assert send_due_mails() == 3


# Emails about the account


def test_who_is_locked_unlocked_or_gets_a_role_gets_an_email_whatever_the_settings(world: World) -> None:
    confirm(world.owner)
    notice_actions.choose_mail(world.owner, is_wanted=False, language="es")
    for act, subject in (
        (lambda: locks.lock_user(world.owner, WHY, by=OPERATOR), "bloqueada"),
        (lambda: locks.unlock_user(world.owner, WHY, by=OPERATOR), "desbloqueada"),
        (lambda: roles.set_role(world.owner, Role.STAFF, [Right.VIEW_USER], WHY, by=OPERATOR), "Permisos"),
        (lambda: roles.set_role(world.owner, Role.PLAYER, [], WHY, by=OPERATOR), "Permisos"),
    ):
        mail.outbox.clear()
        assert act() and not act(), "done once"
        assert (send_due_mails(), send_due_mails()) == (1, 0)
        (letter,) = mail.outbox
        assert letter.to == ["lena@example.org"] and subject in letter.subject
        assert "Cuenta: lena" in letter.body and WHY in letter.body and "/notices/" not in letter.body
    assert "Ya no formas parte" in letter.body
    page = text(world.client("owner").get("/account/notices/"))
    assert "Your account is no longer locked." in page and "your rights have changed" in page


# Roles


def test_an_admin_gives_rights_that_hold_at_once(world: World) -> None:
    admin, other = world.client("staff"), world.client("other")
    where = "/staff/users/tariq/role/"
    assert other.get("/staff/").status_code == 404
    form = {"role": "staff", "rights": ["bots.view_bot", "matches.view_match"], "reason": WHY}
    assert admin.post(where, form).status_code == 302
    assert [other.get(f"/staff/{page}").status_code for page in ("", "matches/", "bots/", "users/")] == [
        200, 200, 200, 403
    ]  # fmt: skip
    entry = AuditEntry.objects.latest("pk")
    assert (entry.act, entry.account_id, entry.reason) == (Act.ROLE_CHANGED, world.other, WHY)
    assert entry.changes == {"role": ["player", "staff"], "rights": ["", "matches.view_match, bots.view_bot"]}
    page = text(admin.get(where))
    assert re.findall(r'value="([\w.]+)"[^>]* checked', page) == ["matches.view_match", "bots.view_bot"]
    assert "nothing was changed" in text(admin.post(where, form, follow=True))
    assert admin.post(where, {"role": "player", "rights": ["bots.view_bot"], "reason": WHY}).status_code == 302
    assert other.get("/staff/").status_code == 404 and not User.objects.get(pk=world.other).user_permissions.exists()
    for wrong in (
        {"role": "king"},
        {"role": "staff", "rights": ["staff.grant"]},
        {"role": "staff", "rights": ["accounts.add_user"]},
    ):
        assert admin.post(where, {**wrong, "reason": WHY}).status_code == 422


def test_nobody_gives_himself_rights(world: World) -> None:
    clerk = limited(*GRANTED)
    for name in ("clerk", "warden", "lena"):
        where = f"/staff/users/{name}/role/"
        assert clerk.post(where, {"role": "admin", "reason": WHY}).status_code == 403
        assert where not in text(clerk.get(f"/staff/users/{name}/"))
    assert User.objects.get(is_superuser=True).pk == world.staff


def test_the_last_admin_stays(world: World) -> None:
    client = world.client("staff")
    where = "/staff/users/warden/role/"
    for role in ("player", "staff"):
        answer = client.post(where, {"role": role, "reason": WHY})
        assert answer.status_code == 422 and "last admin" in text(answer)
    assert client.post("/staff/users/tariq/role/", {"role": "admin", "reason": WHY}).status_code == 302
    assert client.post(where, {"role": "player", "reason": WHY}).status_code == 302
    assert not User.objects.get(pk=world.staff).is_superuser


def test_the_house_and_locked_accounts_get_no_role(world: World) -> None:
    house = account_actions.create_user("arena", None, role="house")
    bot_actions.register_bot(house, "House", is_house=True)
    locks.lock_user(world.owner, WHY, by=OPERATOR)
    for name in ("arena", "lena"):
        answer = world.client("staff").post(f"/staff/users/{name}/role/", {"role": "staff", "reason": WHY})
        assert answer.status_code == 422, name
    assert User.objects.filter(is_staff=True).count() == 1 and not bot_queries.can_sign_in(house)


def test_a_command_keeps_the_rights_that_it_does_not_name(world: World) -> None:
    run("set-role", "tariq", "--role", "staff", "--right", "bots.view_bot", "--reason", WHY)
    assert run("set-role", "tariq", "--reason", WHY) == "set-role tariq: nothing was changed\n"
    assert people_queries.staff_user("tariq").rights == [Right.VIEW_BOT]


# Names and descriptions of bots


@pytest.mark.parametrize(
    "form",
    [
        {"name": "Bot 1", "description": ""}, {"name": "Long\u202eLedger", "description": ""},
        {"name": "", "description": ""}, {"name": "Naqala", "description": ""}, {"name": "…", "description": ""},
        {"name": "Long Ledger", "description": "\x07"},
    ],
    ids=str,
)  # fmt: skip
def test_a_bot_gets_no_name_that_breaks_a_rule(world: World, form: dict[str, str]) -> None:
    answer = world.client("staff").post("/staff/bots/long-ledger/correct/", {**form, "reason": WHY})
    assert answer.status_code == 422 and Bot.objects.get(pk=world.bot).name == "Long Ledger"


def test_a_bot_is_renamed(world: World) -> None:
    form = {"name": "Short Ledger", "description": "New.\r\n", "reason": WHY, "slug": "bot-1", "state": "PAUSED"}
    answer = world.client("staff").post("/staff/bots/long-ledger/correct/", form)
    assert answer["Location"] == "/staff/bots/short-ledger/"
    bot = Bot.objects.get(pk=world.bot)
    assert (bot.name, bot.slug, bot.skeleton, bot.description, bot.state) == (
        "Short Ledger", "short-ledger", skeleton_of("Short Ledger"), "New.", "ACTIVE"
    )  # fmt: skip
    (entry,) = AuditEntry.objects.filter(account=world.owner, act=Act.BOT_CORRECTED)
    assert (entry.actor_id, entry.reason) == (world.staff, WHY)
    assert entry.changes == {"name": ["Long Ledger", "Short Ledger"], "description": ["Counts <twice>.", "New."]}
    history = text(world.client("owner").get("/account/history/"))
    assert "Bot renamed by staff" in history and WHY in history


def test_an_order_of_somebody_who_is_no_longer_staff_is_refused(world: World) -> None:
    clerk = account_actions.create_user("clerk", PASSWORD)
    roles.set_role(clerk, Role.STAFF, [Right.CHANGE_MATCH], WHY, by=Actor(world.staff))
    client = Client()
    sign_in(client, clerk)
    assert client.post(f"/staff/matches/{world.running}/void/", {"reason": WHY}).status_code == 302
    roles.set_role(clerk, Role.PLAYER, [], WHY, by=Actor(world.staff))
    assert client.get(f"/staff/matches/{world.running}/void/").status_code == 404
    assert orders.carry_out_orders() == 0 and MatchOrder.objects.get().state == "refused"
