"""The board as SVG, drawn from a position or view. Match pages, thumbnails and the documentation all use it.

from webui.board import Sowing, draw_board
"""

from webui.board.drawing import Sowing, draw_board, draw_parts
from webui.board.names import tile_label
from webui.board.thumbnail import draw_thumbnail, empty_board

__all__ = ["Sowing", "draw_board", "draw_parts", "draw_thumbnail", "empty_board", "tile_label"]
