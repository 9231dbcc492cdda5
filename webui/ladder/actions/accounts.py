"""Users, bots, versions and tokens."""

from allauth.account.models import EmailAddress
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.text import slugify

from webui.ladder.models import Bot, BotState, BotToken, BotVersion, User
from webui.ladder.tokens import PREFIX_LENGTH, SCOPES, new_token, token_digest
from webui.ladder.values import BadRequest, NameTaken, NewToken, NotFound


def create_user(name: str, password: str | None, *, email: str = "", role: str = "player") -> int:
    """A new user, `player` or `admin`. Without a password nobody can sign in as this user."""
    if role not in {"player", "admin"}:
        raise BadRequest(f"role {role!r}: use player or admin")
    is_admin = role == "admin"
    user = User(username=User.normalize_username(name), email=email, is_staff=is_admin, is_superuser=is_admin)
    try:
        User.username_validator(name)
        if email:
            validate_email(email)
        if password is not None:
            validate_password(password, user)
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages)) from error
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError as error:
        raise NameTaken(f"there is a user named {name!r} already: choose another name") from error
    return user.pk


@transaction.atomic
def set_email(user_id: int, email: str) -> None:
    """Another address for letters, or none. It is not verified; only what is sent to it gives a way in."""
    try:
        if email:
            validate_email(email)
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages)) from error
    email = email.lower()
    if not User.objects.filter(pk=user_id).update(email=email):
        raise NotFound(f"there is no user {user_id}")
    # The library of sign-in keeps addresses as well: a former one must not lead in any more.
    EmailAddress.objects.filter(user_id=user_id).delete()
    if email:
        EmailAddress.objects.create(user_id=user_id, email=email, primary=True)


def register_bot(owner_id: int, name: str, *, description: str = "", is_house: bool = False) -> int:
    """A new bot of this owner."""
    name = " ".join(name.split())
    slug = slugify(name)
    if not slug or len(name) > 40 or len(description) > 500:
        raise BadRequest(
            "a bot's name has 1 to 40 characters, at least one of them a letter or digit, "
            "and its description at most 500"
        )
    if not User.objects.filter(pk=owner_id).exists():
        raise NotFound(f"there is no user {owner_id}")
    try:
        with transaction.atomic():
            bot = Bot.objects.create(
                owner_id=owner_id, name=name, slug=slug, description=description, is_house=is_house
            )
    except IntegrityError as error:
        raise NameTaken(f"there is a bot named {name!r}, or nearly so, already: choose another name") from error
    return bot.pk


def update_bot(bot_id: int, *, description: str) -> None:
    """Change what a bot says of itself."""
    if len(description) > 500:
        raise BadRequest("a bot's description has at most 500 characters")
    if not Bot.objects.filter(pk=bot_id).update(description=description):
        raise NotFound(f"there is no bot {bot_id}")


def set_bot_state(bot_id: int, state: str) -> None:
    """Pause a bot, or make it active again. Its running matches go on."""
    if state not in BotState.values:
        raise BadRequest(f"state {state!r}: use one of {', '.join(BotState.values)}")
    if not Bot.objects.filter(pk=bot_id).update(state=state):
        raise NotFound(f"there is no bot {bot_id}")


def register_version(bot_id: int, version: str) -> int:
    """The id of this version of the bot, new or known: a bot says its version whenever it dials in."""
    version = version.strip()
    if not 1 <= len(version) <= 40:
        raise BadRequest("a version has 1 to 40 characters")
    try:
        return BotVersion.objects.get_or_create(bot_id=bot_id, name=version)[0].pk
    except IntegrityError as error:
        raise NotFound(f"there is no bot {bot_id}") from error


def issue_token(bot_id: int, *, scopes: tuple[str, ...] = SCOPES) -> NewToken:
    """A new token for the bot. This is the only time that it exists in clear."""
    if unknown := set(scopes) - set(SCOPES):
        raise BadRequest(f"unknown scopes {sorted(unknown)}: use {', '.join(SCOPES)}")
    if not Bot.objects.filter(pk=bot_id).exists():
        raise NotFound(f"there is no bot {bot_id}")
    token = new_token()
    row = BotToken.objects.create(
        bot_id=bot_id, digest=token_digest(token), prefix=token[:PREFIX_LENGTH], scopes=list(scopes)
    )
    return NewToken(row.pk, token)


def revoke_token(token_id: int) -> None:
    """End a token for good. Revoking it again changes nothing."""
    if not BotToken.objects.filter(pk=token_id).exists():
        raise NotFound(f"there is no token {token_id}")
    BotToken.objects.filter(pk=token_id, revoked_at=None).update(revoked_at=Now())


def note_token_used(token_id: int) -> None:
    """Remember that a bot came in with this token just now."""
    BotToken.objects.filter(pk=token_id).update(last_used_at=Now())
