"""Whether an answer is legal where it was asked for."""

from __future__ import annotations

from arena.local.reproduction import Reply
from arena.rules import RulesError, parse_action
from arena.wire.history import Sent, legal_in


def judge(reply: Reply, request: Sent) -> str:
    """What is wrong with an answer to a request, in a sentence; empty if nothing is.

    Without the position, as in a transcript, only the first action can be judged."""
    if reply.problem:
        return reply.problem
    state = request.state
    try:
        if state is None:
            if parse_action(reply.actions[0]).text not in legal_in(request.payload):
                return f"ILLEGAL: {reply.actions[0]!r} is not among the legal actions"
            return ""
        seat = state.to_act
        for text in reply.actions:
            state = state.play(state.parse(text))
            if state.due is not None or state.to_act != seat:
                break  # what follows is dropped
    except RulesError as error:
        return f"{error.code}: {error}"
    return ""
