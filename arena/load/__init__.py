"""A load test of your own arena: many bots that choose at random after a while, and many matches at once.

It uses only public interfaces, within the limits of every account. Each bot has its own gRPC connection. Matches are
challenges of the HTTP API, made with the bots' own tokens. Each bot has its own account, because an account may have
only a few challenges at a time. `arena admin load-bots` makes the bots on the server, and keeps them out of rated
matches.

- `addresses`: the allowed targets of a load test, which are loopback or private.
- `site`: challenges.
- `bots`: one bot on its stream.
- `hub`: the state of each match.
- `generator`: tables, each of which plays one match after the other.
- `tally`, `quantiles`: counts and measurements.
"""
