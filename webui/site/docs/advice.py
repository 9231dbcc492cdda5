"""Advice for everything that can be refused. Tests check that no fault or code is missing."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

FAULTS: dict[str, tuple[Promise, Promise]] = {
    "ILLEGAL": (
        _("The action is well written but not legal here."),
        _("Take one of the legal actions; see the codes below."),
    ),
    "MALFORMED": (
        _("The answer is empty, could not be read, or is not an action of the notation."),
        _(
            "Compare it with [the notation](../notation/). Send an empty answer to report at once that your "
            "program failed."
        ),
    ),
    "LATE": (
        _("No answer arrived before the bank or the cap was used up."),
        _("Look at `bank_ms` and `cap_ms` of the request, keep a reserve, and never think on the thread that reads."),
    ),
    "GONE": (
        _("The bot was disconnected for longer than its grace."),
        _("Reconnect at once with the same token and process name; the pending request comes again."),
    ),
    "FLOODING": (
        _("The bot sent too many messages that answer no request."),
        _("Answer each request once; send neither keep-alives of your own nor repeated answers."),
    ),
    "NO_REVEAL": (
        _("The nonce was not revealed in time, or its hash is not the one sent with the acceptance."),
        _("Keep the nonce until `RevealRequest` asks for it, and answer on the thread that reads."),
    ),
}

ABORTS: dict[str, tuple[Promise, Promise]] = {
    "DECLINED": (
        _("A bot declined the offer."),
        _("Nothing. If your Hello names the rulesets that you play, you need not decline."),
    ),
    "NO_ANSWER": (_("A bot did not answer the offer."), _("Accept on the thread that reads, before any work.")),
    "NO_PLACE": (
        _("When the offer came, a bot was leaving, or already played as many matches as its gateway allows."),
        _("Nothing: it counts for nobody."),
    ),
    "BAD_NONCE": (
        _("A bot accepted without the hash of a nonce."),
        _("Put the SHA-256 of your nonce, 32 bytes, into `Accept.nonce_hash`."),
    ),
    "VOID": (_("A failure inside the arena."), _("Nothing: it counts for nobody, and a new match takes its place.")),
}

CODES: dict[str, Promise] = {
    "BACKTRACK": _("A drop may not go straight back to the previous tile; `Turn.from` names it."),
    "BAD_SYNTAX": _(
        "The text is not an action of the notation. Write one space between words, small letters, and tiles like `A1`."
    ),
    "CANNOT_PAY": _("You have too few coins, Elders, Artisans or Fakirs; compare your seat with the price."),
    "CHANCE_DUE": _(
        "A chance event (draw or shuffle) must be played first. Bots never see this error; it occurs only when you "
        "enter positions by hand."
    ),
    "EMPTY_TILE": _("That tile has no meeples to pick up."),
    "GAME_OVER": _("The game has ended."),
    "MUST_KILL": _("A victim can be reached without Fakirs, so sparing is not allowed."),
    "MUST_MOVE": _("Some tile can be taken, so skipping is not allowed."),
    "MUST_PLACE": _("The palm or palace must be placed; passing is not allowed."),
    "MUST_PULL": _("The flute moves at least one meeple before it is done."),
    "NOT_ADJACENT": _(
        "The tile is not one step away: it shares no edge, or mountains, the lake or the chasm are in the way."
    ),
    "NOT_IN_HAND": _("No meeple of that tribe is in hand."),
    "NO_CHANCE_DUE": _("No chance event is due. Only the arena plays chance events."),
    "NO_EFFECT": _("The power would change nothing, so it cannot be paid for."),
    "NO_LAST_DROP": _("After this drop, the last meeple could not reach a tile with one of its own tribe."),
    "NO_MATCH": _("The tile of the last drop must hold a meeple of the same tribe."),
    "NO_POWER": _("That Djinn is not yours, has no power to use here, or was used this round."),
    "NO_SUCH_CARD": _("That card is not within reach, or not in your hand."),
    "NO_SUCH_DJINN": _("That Djinn is not in the row."),
    "NO_SUCH_ITEM": _("You do not hold that item, or have used one this turn."),
    "NO_SUCH_MEEPLE": _("No meeple of that tribe stands there."),
    "NO_SUCH_PIECE": _("No piece of that kind, camel or tent, is left."),
    "NO_SUCH_SPOT": _("Only the first spot of a price can be entered; see the turn track in the notation."),
    "NO_SUCH_TILE": _("The board has no such tile; look at its columns and rows."),
    "NO_SUCH_VICTIM": _("There is no such meeple to kill there, or in front of that seat."),
    "OUT_OF_RANGE": _("The tile is farther than Assassins and Fakirs reach."),
    "PROTECTED": _("Boaz protects the meeples in front of that seat."),
    "SPOT_TAKEN": _("That spot of the turn track is full."),
    "USED": _("A Djinn can be used once a round, an item once a player turn."),
    "WRONG_CHANCE": _("That draw cannot happen here. Bots never see this error."),
    "WRONG_PAYMENT": _("That power takes another payment; see [its row](../djinns/)."),
    "WRONG_PHASE": _("Another kind of decision is due; look at `phase`."),
    "WRONG_TARGET": _("The power or item cannot be used on that target."),
    "WRONG_TILE": _("The tile of the last drop offers no such action."),
    "WRONG_TRIBE": _("The meeples that were lifted are of another tribe."),
}

HOSTING_FAULTS: dict[str, tuple[Promise, Promise]] = {
    "OUT_OF_MEMORY": (
        _("Its processes and its files in /tmp used more memory than allowed, so the arena ended it."),
        _("Keep smaller tables, or ask for more with `memory_mb` in `bot.toml`."),
    ),
    "EXITED": (
        _("Its program ended by itself in the middle of a match. The message has its exit code."),
        _("Read its standard error. A bot goes on until the arena closes its stream."),
    ),
    "CRASHED": (
        _("Its program was ended by a signal, such as SIGSEGV or SIGABRT."),
        _("Read its standard error, and repeat the match at home with `arena debug`."),
    ),
    "TOO_MANY_PROCESSES": (
        _("It could not start another process or thread, and ended."),
        _("Use a pool of a fixed size. More threads do not help: a bot has one core."),
    ),
    "DISK_FULL": (
        _("It wrote more to /tmp than fits there, and ended."),
        _("Write less, and delete files that are not needed any more. All else is read-only."),
    ),
    "OUTPUT_FLOOD": (
        _("It wrote too much to its standard output and standard error, so the arena ended it."),
        _("Write a few lines for each decision. The page of the match shows 64 KB of each."),
    ),
    "TOO_MUCH_PROCESSOR": (
        _("Its processes used more processor time than a match allows, so the arena ended it."),
        _("Look for an endless loop, and for a thread that goes on computing after the answer."),
    ),
    "START_FAILED": (
        _("It did not say hello in time after its start, or its command cannot be started."),
        _("Load large files after the hello, or on the first decision. Try it with `arena bot submit --dry-run`."),
    ),
    "BUILD_FAILED": (
        _("Its build command failed, took too long, or made too many files."),
        _("Read the log of the submission. A build has no network: hand in what it needs."),
    ),
    "EXAMINATION_FAILED": (
        _("It was built and started, and did not pass a check of the doctor."),
        _("The message names the check. `arena bot submit --dry-run` repeats it at home."),
    ),
}
