"""The documentation at /docs: pages in Markdown, with facts and pictures that come from the code.

A page is a file of `en/`, and perhaps of other languages: a Django template whose result is Markdown. `facts` has the
numbers and tables of the code, `pictures` boards drawn by the engine: what could go out of date is nowhere written by
hand.
"""

from webui.site.docs.http_api import SITE
from webui.site.docs.pages import GATEWAY, ORIGINAL, PAGES, DocsPage, find, read

__all__ = ["GATEWAY", "ORIGINAL", "PAGES", "SITE", "DocsPage", "find", "read"]
