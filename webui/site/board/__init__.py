"""The board as SVG, drawn from a position or view: one source for match pages, thumbnails and documents.

from webui.site.board import Sowing, draw_board
"""

from webui.site.board.drawing import Sowing, draw_board, draw_parts
from webui.site.board.names import tile_label

__all__ = ["Sowing", "draw_board", "draw_parts", "tile_label"]
