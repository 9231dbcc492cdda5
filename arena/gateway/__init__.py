"""The gRPC server that bots dial: bot streams on one side, the bus on the other. `python -m arena.gateway` starts one.

It owns sockets and nothing else, and can restart alone: it looks into no match, and everything that it remembers can
be asked for again. Where to look:

- `service`: a stream from hello to its final status.  `stream`: its outbox, writer and pings.
- `registry`: all sessions, and what happens to them.  `seats`: one match of one session; asks and their times.
- `buslink`: to and from the bus.  `identity`: who a token is.  `errors`: every refusal.  `limits`: every number.
- `server`: the process, its tasks and its drain.
"""
