"""The parts of `arena up`: processes that it starts, watches, restarts and stops, and its output.

- `launch` becomes a child process.
- `process` is one child, and `fleet` all of them.
- `liveness` judges a child that gives no sign of work.
- `parts` lists the processes of an arena.
- `accounts` creates accounts and bots.
- `report` prints the table, the lines and the JSON.
"""
