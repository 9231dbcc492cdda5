"""Settings of every process that touches the database: web, workers, gateway, `arena` commands.

Everything that differs between two deployments comes from the environment; nothing is read from a file:

=========================  ==================================================  ===================================
variable                   meaning                                             without it
=========================  ==================================================  ===================================
ARENA_VAR                  directory of state: database, key, logs             var/ of the checkout
DATABASE_URL               database, as a URL; of several hosts the primary   arena.sqlite3 in ARENA_VAR
REDIS_URL                  broker and bus; redis://, rediss:// or sentinel:// redis://127.0.0.1:6379/0
ARENA_SECRET_KEY           Django's key for sessions and sign-in               a fresh one a checkout, see below
ARENA_FORMER_SECRET_KEYS   former ones that still hold, comma separated        none
ARENA_SIGNING_KEY          signs offers, records: 64 hex digits, for workers  one made in ARENA_VAR
ARENA_DEBUG                1: error pages with traces; never in public         0
ARENA_HOSTS                host names served, comma separated                  localhost,127.0.0.1,[::1]
ARENA_ORIGINS              origins trusted for forms, comma separated          none beyond the hosts themselves
ARENA_SITE_URL             address of the site, in all links to it             that of the request
ARENA_GATEWAY_ADDRESS      host:port that bots dial, shown with a token        the site's host, 50051
ARENA_PROXIES              addresses and networks of proxies in front         127.0.0.1,::1
ARENA_EMAIL_URL            the mail server, as smtp://user:password@host:port  files in ARENA_VAR/emails
ARENA_EMAIL_FROM           the sender of emails                                arena@localhost
ARENA_VERIFIED_EMAIL       1: only who has a confirmed address issues tokens   0
ARENA_SIGN_UP              0: nobody makes an account on the site              1
ARENA_PRIVATE_WEBHOOKS    1: webhooks may lead into the network around it    0
ARENA_SECURITY_CONTACT     whom to tell of a fault, for security.txt           none is named
ARENA_SECURITY_EXPIRES     until when that holds, as 2027-12-31T00:00:00Z      needed with a contact
ARENA_DATA_LICENCE         name and address of the open data's licence         CC BY 4.0
ARENA_RECORDS              s3://bucket/prefix?endpoint_url=…: their store  records are in the database
ARENA_LEASE_SECONDS        how long a worker may be silent                     5
ARENA_STORY_SECONDS        of every 10, spent on stories of matches; 0: none   3
ARENA_SQLITE_SYNCHRONOUS   NORMAL or FULL                                      NORMAL
ARENA_LOG_FORMAT           console or json                                     console
ARENA_LOG_LEVEL            DEBUG, INFO, WARNING, ERROR                         INFO
=========================  ==================================================  ===================================
"""

import os

from webui.settings.accounts import *
from webui.settings.environment import *
from webui.settings.site import *
from webui.settings.storage import *

# For NumPy, which is imported later: its threads spin while they wait for each other. On a machine that has other work
# a fit of ratings takes five to ten times as much processor time with two of them as with one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
