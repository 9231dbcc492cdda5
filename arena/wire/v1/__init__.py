"""Generated from proto/arena/wire/v1 by proto/generate.py; do not edit."""
