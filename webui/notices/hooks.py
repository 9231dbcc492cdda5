"""Hooks of notices."""

from typing import Final

from django.core.mail import EmailMessage

from webui.core.subjects import Hook
from webui.notices.values import NoticeMail

emails_due: Final = Hook[[], None]()
"""Emails are about to be sent: write the notices that are due by the time."""
digest_of: Final = Hook[[NoticeMail], EmailMessage | None]()
"""Return the email of a notice of the kind `digest`; None if there is nothing to say any more."""
