"""The documentation at /docs: pages in Markdown, with facts and pictures that come from the code.

A page is a file in `en/`; translations lie in the folders of the other languages. Each file is a Django template that
renders to Markdown. `facts` provides numbers and tables from the code, and `pictures` provides boards drawn by the
engine, so nothing that could go out of date is written by hand.
"""

from webui.site.docs.http_api import SITE
from webui.site.docs.pages import GATEWAY, ORIGINAL, PAGES, DocsPage, find, read

__all__ = ["GATEWAY", "ORIGINAL", "PAGES", "SITE", "DocsPage", "find", "read"]
