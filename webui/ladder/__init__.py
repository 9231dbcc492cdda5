"""Users, bots, matches and ladders: the tables, all writes (`actions`) and all reads (`queries`)."""
