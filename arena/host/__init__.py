"""What every process needs and no framework: where its files are, how it logs, how it is measured."""
