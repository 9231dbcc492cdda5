"""Bundles, manifests, builds and the runtime of hosted bots, for the arena and for authors at home, without Django."""
