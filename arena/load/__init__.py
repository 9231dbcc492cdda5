"""A load test of an arena of one's own: many bots that choose at random after a while, and many matches at once.

All of it goes by public ways, within the limits of every account: bots dial in over gRPC, each on a connection of its
own, and matches are challenges of the HTTP API, made with the bots' own tokens. Each bot belongs to an account of its
own, since an account has few challenges at a time (`arena admin load-bots` makes them on the server, and keeps them out
of rated matches).

`addresses`: where a load test may go, which is what is loopback or private. `site`: challenges. `bots`: one bot on its
stream. `hub`: what becomes of each match. `generator`: tables, each of which has one match after the other. `tally`,
`quantiles`: what is counted and measured.
"""
