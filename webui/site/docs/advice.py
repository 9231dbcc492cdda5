"""What to do about everything that can be refused. The tests see that nothing is missing."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

FAULTS: dict[str, tuple[Promise, Promise]] = {
    "ILLEGAL": (
        _("The action is well written but not legal here."),
        _("Take one of the legal actions; see the codes below."),
    ),
    "MALFORMED": (
        _("The answer is no action of the notation, has none at all, or could not be read."),
        _("Compare it with [the notation](../notation/). An empty answer says at once that your program failed."),
    ),
    "LATE": (
        _("No answer before the smaller of bank and cap was used up."),
        _("Look at `bank_ms` and `cap_ms` of the request, keep a reserve, and never think on the thread that reads."),
    ),
    "GONE": (
        _("There was no stream for longer than the grace."),
        _("Reconnect at once with the same token and process name; the pending request comes again."),
    ),
    "FLOODING": (
        _("Too many messages that answer nothing."),
        _("Answer each request once; send neither keep-alives of your own nor repeated answers."),
    ),
    "NO_REVEAL": (
        _("The nonce was not revealed in time, or is not the one whose hash the offer was accepted with."),
        _("Keep the nonce until `RevealRequest` asks for it, and answer on the thread that reads."),
    ),
}

ABORTS: dict[str, tuple[Promise, Promise]] = {
    "DECLINED": (
        _("A bot said no to the offer."),
        _("Nothing. Say in Hello what you play, then you need not decline."),
    ),
    "NO_ANSWER": (_("A bot did not answer the offer."), _("Accept on the thread that reads, before any work.")),
    "NO_PLACE": (
        _("A bot was leaving, or played as many matches as its gateway lets it, when the offer came."),
        _("Nothing: it counts for nobody."),
    ),
    "BAD_NONCE": (
        _("A bot accepted without the hash of a nonce."),
        _("Put the SHA-256 of your nonce, 32 bytes, into `Accept.nonce_hash`."),
    ),
    "VOID": (_("Trouble of the arena's own."), _("Nothing: it counts for nobody, and a new match takes its place.")),
}

CODES: dict[str, Promise] = {
    "BACKTRACK": _("A drop may not go straight back to the tile before; `Turn.from` names it."),
    "BAD_SYNTAX": _("The text is no action of the notation: one space between words, small letters, tiles like `A1`."),
    "CANNOT_PAY": _("Too few coins, Elders, Artisans or Fakirs for it; compare your seat with the price."),
    "CHANCE_DUE": _("A draw or shuffle comes first. A bot never meets it; who feeds positions by hand does."),
    "EMPTY_TILE": _("There is nobody to pick up on that tile."),
    "GAME_OVER": _("The game has ended."),
    "MUST_KILL": _("A victim can be reached without Fakirs, so sparing is not allowed."),
    "MUST_MOVE": _("Some tile can be taken, so skipping is not allowed."),
    "MUST_PLACE": _("The palm or palace must be placed; passing is not allowed."),
    "MUST_PULL": _("The flute moves at least one meeple before it is done."),
    "NOT_ADJACENT": _("The tile is no step away: it is not beside it, or mountains, lake or chasm are between."),
    "NOT_IN_HAND": _("No meeple of that tribe is in hand."),
    "NO_CHANCE_DUE": _("Chance is the arena's to give, never a bot's."),
    "NO_EFFECT": _("It would change nothing, and what changes nothing cannot be paid for."),
    "NO_LAST_DROP": _("From there the last meeple could not end beside one of its own tribe."),
    "NO_MATCH": _("The last meeple must find one of its own tribe on the tile."),
    "NO_POWER": _("That Djinn is not yours, has no power to use here, or was used this round."),
    "NO_SUCH_CARD": _("That card is not within reach, or not in your hand."),
    "NO_SUCH_DJINN": _("That Djinn does not lie in the row."),
    "NO_SUCH_ITEM": _("You do not hold that item, or have used one this turn."),
    "NO_SUCH_MEEPLE": _("No meeple of that tribe stands there."),
    "NO_SUCH_PIECE": _("Neither camel nor tent of that kind is left."),
    "NO_SUCH_SPOT": _("Only the first spot of a price can be entered; see the turn track in the notation."),
    "NO_SUCH_TILE": _("The board has no such tile; look at its columns and rows."),
    "NO_SUCH_VICTIM": _("There is no such meeple to kill there, or in front of that seat."),
    "OUT_OF_RANGE": _("The tile is farther than Assassins and Fakirs reach."),
    "PROTECTED": _("Boaz protects what stands in front of that seat."),
    "SPOT_TAKEN": _("That spot of the turn track has no room left."),
    "USED": _("Once a round for a Djinn, once a player turn for an item."),
    "WRONG_CHANCE": _("The draw named is not one that can happen. A bot never meets it."),
    "WRONG_PAYMENT": _("That power takes another payment; see [its row](../djinns/)."),
    "WRONG_PHASE": _("Another kind of decision is due; look at `phase`."),
    "WRONG_TARGET": _("The power or item cannot be used on that target."),
    "WRONG_TILE": _("The tile of the last drop offers no such action."),
    "WRONG_TRIBE": _("The meeples that were lifted are of another tribe."),
}
