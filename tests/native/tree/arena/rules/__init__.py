"""A package as small as a package can be that is built as the rules are."""

from arena._native import native_path

__path__ = native_path(__path__, __name__)
