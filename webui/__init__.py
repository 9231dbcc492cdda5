"""Everything Django: settings, the ladder (tables, actions, queries) and the pages."""
