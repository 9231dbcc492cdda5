"""Everything that uses Django: the settings, the subjects of the server and its pages."""
