"""Services that every process needs and that need no framework: file locations, logs, metrics and others."""
