# The whole brain.
module Choose
  module_function

  # The legal action that is worth most, the first of equals, and why. The view has all that your seat may see
  # (proto/arena/wire/v1/game.proto).
  def choose(view, legal)
    action = legal.max_by.with_index { |candidate, place| [worth(view, candidate), -place] }
    [action, "worth #{worth(view, action)}"]
  end

  # What an action in the notation is worth, in points that are guessed: write better ones.
  def worth(view, action)
    case action.split
    in ["bid" | "build", number, *] then number.to_i # a late spot costs less
    in ["take", name] then meeples(tile(view, name)) # many meeples go far
    in ["drop", name, _] # a tile that nobody owns yet may become ours
      tile(view, name)&.owner&.zero? ? tile(view, name).value : 0
    in ["buy", *cards] then 1 + cards.size
    in ["palm" | "palace" | "summon", *] then 3
    in ["sell", *goods] then goods.size >= 4 ? goods.size : -2 # small sets wait until they are larger
    in ["end" | "pass" | "spare" | "skip"] then -1
    else 0
    end
  end

  def tile(view, name)
    view.board.tiles.find { |tile| tile.name == name }
  end

  def meeples(tile)
    group = tile&.meeples
    group ? group.viziers + group.elders + group.merchants + group.builders + group.assassins + group.artisans : 0
  end
end
