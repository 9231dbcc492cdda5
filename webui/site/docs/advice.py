"""What to do about everything that can be refused. The tests see that nothing is missing."""

FAULTS = {
    "ILLEGAL": (
        "The action is well written but not legal here.",
        "Take one of the legal actions; see the codes below.",
    ),
    "MALFORMED": (
        "The answer is no action of the notation, has none at all, or could not be read.",
        "Compare it with [the notation](../notation/). An empty answer says at once that your program failed.",
    ),
    "LATE": (
        "No answer before the smaller of bank and cap was used up.",
        "Look at `bank_ms` and `cap_ms` of the request, keep a reserve, and never think on the thread that reads.",
    ),
    "GONE": (
        "There was no stream to ask on when the time was up, or the grace is used up.",
        "Reconnect at once with the same token and process name; the pending request comes again.",
    ),
    "FLOODING": (
        "Too many messages that answer nothing.",
        "Answer each request once; send neither keep-alives of your own nor repeated answers.",
    ),
}

ABORTS = {
    "DECLINED": ("A bot said no to the offer.", "Nothing. Say in Hello what you play, then you need not decline."),
    "NO_ANSWER": ("A bot did not answer the offer.", "Accept on the thread that reads, before any work."),
    "VOID": ("Trouble of the arena's own.", "Nothing: it counts for nobody, and a new match takes its place."),
}

CODES = {
    "BACKTRACK": "A drop may not go straight back to the tile before; `Turn.from` names it.",
    "BAD_SYNTAX": "The text is no action of the notation: one space between words, small letters, tiles like `A1`.",
    "CANNOT_PAY": "Too few coins, Elders, Artisans or Fakirs for it; compare your seat with the price.",
    "CHANCE_DUE": "A draw or shuffle comes first. A bot never meets it; who feeds positions by hand does.",
    "EMPTY_TILE": "There is nobody to pick up on that tile.",
    "GAME_OVER": "The game has ended.",
    "MUST_KILL": "A victim can be reached without Fakirs, so sparing is not allowed.",
    "MUST_MOVE": "Some tile can be taken, so skipping is not allowed.",
    "MUST_PLACE": "The palm or palace must be placed; passing is not allowed.",
    "MUST_PULL": "The flute moves at least one meeple before it is done.",
    "NOT_ADJACENT": "The tile is no step away: it is not beside it, or mountains, lake or chasm are between.",
    "NOT_IN_HAND": "No meeple of that tribe is in hand.",
    "NO_CHANCE_DUE": "Chance is the arena's to give, never a bot's.",
    "NO_EFFECT": "It would change nothing, and what changes nothing cannot be paid for.",
    "NO_LAST_DROP": "From there the last meeple could not end beside one of its own tribe.",
    "NO_MATCH": "The last meeple must find one of its own tribe on the tile.",
    "NO_POWER": "That Djinn is not yours, has no power to use here, or was used this round.",
    "NO_SUCH_CARD": "That card is not within reach, or not in your hand.",
    "NO_SUCH_DJINN": "That Djinn does not lie in the row.",
    "NO_SUCH_ITEM": "You do not hold that item, or have used one this turn.",
    "NO_SUCH_MEEPLE": "No meeple of that tribe stands there.",
    "NO_SUCH_PIECE": "Neither camel nor tent of that kind is left.",
    "NO_SUCH_SPOT": "Only the first spot of a price can be entered; see the turn track in the notation.",
    "NO_SUCH_TILE": "The board has no such tile; look at its columns and rows.",
    "NO_SUCH_VICTIM": "There is no such meeple to kill there, or in front of that seat.",
    "OUT_OF_RANGE": "The tile is farther than Assassins and Fakirs reach.",
    "PROTECTED": "Boaz protects what stands in front of that seat.",
    "SPOT_TAKEN": "That spot of the turn track has no room left.",
    "USED": "Once a round for a Djinn, once a player turn for an item.",
    "WRONG_CHANCE": "The draw named is not one that can happen. A bot never meets it.",
    "WRONG_PAYMENT": "That power takes another payment; see [its row](../djinns/).",
    "WRONG_PHASE": "Another kind of decision is due; look at `phase`.",
    "WRONG_TARGET": "The power or item cannot be used on that target.",
    "WRONG_TILE": "The tile of the last drop offers no such action.",
    "WRONG_TRIBE": "The meeples that were lifted are of another tribe.",
}
