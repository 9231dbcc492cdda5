"""The package of this name, which redis-py needs before Python 3.11.3.

The installed packages are for a later Python. An ordinary user of the tests has the system's one (`tests.kit.users`).
"""

from asyncio import timeout as timeout
