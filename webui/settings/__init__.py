"""Settings of every process that touches the database: web, workers, gateway, `arena` commands.

Everything that differs between two deployments comes from the environment. Nothing is read from a file.

========================  ==============================================================  ===========================
variable                  meaning                                                         default
========================  ==============================================================  ===========================
ARENA_VAR                 directory of state: database, key, logs                         var/ of the checkout
DATABASE_URL              URL of the database; of the primary if there are several hosts  arena.sqlite3 in ARENA_VAR
REDIS_URL                 broker and bus: redis://, rediss:// or sentinel://              redis://127.0.0.1:6379/0
ARENA_SECRET_KEY          Django's key for sessions and sign-in                           one made once in ARENA_VAR
ARENA_FORMER_SECRET_KEYS  former keys that are still accepted, comma separated            none
ARENA_SIGNING_KEY         for workers: signs offers and records, 64 hex digits            one made once in ARENA_VAR
ARENA_DEBUG               1: error pages with traces; never in public                     0
ARENA_HOSTS               host names served, comma separated                              localhost,127.0.0.1,[::1]
ARENA_ORIGINS             origins trusted for forms, comma separated                      only the hosts themselves
ARENA_SITE_URL            address of the site for all links to it                         that of the request
ARENA_GATEWAY_ADDRESS     address that bots dial, https://host:port                       the site's host, 50051
ARENA_PROXIES             addresses and networks of trusted proxies                       127.0.0.1,::1
ARENA_EMAIL_URL           mail server: smtp://user:password@host:port                     files in ARENA_VAR/emails
ARENA_EMAIL_FROM          sender of emails                                                arena@localhost
ARENA_VERIFIED_EMAIL      1: issuing tokens requires a confirmed address                  0
ARENA_SIGN_UP             0: nobody can create an account on the site                     1
ARENA_PRIVATE_WEBHOOKS    1: webhooks may use private addresses                           0
ARENA_SECURITY_CONTACT    contact for security reports, for security.txt                  none
ARENA_SECURITY_EXPIRES    expiry of the contact, as 2027-12-31T00:00:00Z                  required with a contact
ARENA_DATA_LICENCE        name and address of the open data's licence                     CC BY 4.0
ARENA_RECORDS             record store: s3://bucket/prefix?endpoint_url=…                 records are in the database
ARENA_LEASE_SECONDS       seconds until a silent worker loses its match                   5
ARENA_MATCHES             rated matches that are scheduled or running at a time           8
ARENA_EVENT_MATCHES       matches of events that are, in addition                         8
ARENA_STORY_SECONDS       seconds of every 10 spent on match stories; 0: none             3
ARENA_SQLITE_SYNCHRONOUS  NORMAL or FULL                                                  NORMAL
ARENA_LOG_FORMAT          console or json                                                 console
ARENA_LOG_LEVEL           DEBUG, INFO, WARNING, ERROR                                     INFO
========================  ==============================================================  ===========================
"""

import os

from webui.settings.accounts import *
from webui.settings.environment import *
from webui.settings.site import *
from webui.settings.storage import *

# Set this before NumPy is imported. NumPy's threads spin while they wait for each other. On a machine with other work,
# a fit of ratings takes five to ten times as much processor time with two threads as with one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
