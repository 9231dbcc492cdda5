"""Hooks of notices."""

from typing import Final

from django.core.mail import EmailMessage

from webui.core.subjects import Hook
from webui.notices.values import NoticeMail

emails_due: Final = Hook[[], None]()
"""Due emails are about to be sent. Receivers write their notices that have become due."""
digest_of: Final = Hook[[NoticeMail], EmailMessage | None]()
"""Return the email of a notice of the kind `digest`. Return None if there is nothing to say any more."""
