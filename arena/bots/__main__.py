"""`python3 -m arena.bots FILE`: play with the bot in a Python file, as `arena bot run FILE` does, without any option.

Address and token come from the environment. Hosted bots start so, if they are one file without a start of its own.
"""

import sys

from arena.bots.channel import Refused
from arena.bots.loading import NotLoaded, load_bot
from arena.bots.process import run


def main() -> None:
    """Play until the process is stopped."""
    if len(sys.argv) != 2:
        sys.exit("usage: python3 -m arena.bots FILE.py")
    try:
        run(load_bot(sys.argv[1]))
    except (NotLoaded, Refused, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
