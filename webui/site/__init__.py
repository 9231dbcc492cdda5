"""The frame of the public pages: addresses, base templates, styles, scripts and the documentation."""
