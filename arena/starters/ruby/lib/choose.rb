# The bot's strategy: replace it.
module Choose
  module_function

  # Returns the legal action with the highest worth (the first of equals) and the reason. The request has everything that your
  # seat may see, the legal actions, your seat, your clock, and the events since the last request (proto/arena/wire/v1/bot.proto).
  def choose(request)
    view = request.view
    action = request.legal.to_a.max_by.with_index { |candidate, place| [worth(view, candidate), -place] }
    [action, "worth #{worth(view, action)}"]
  end

  # Estimates the value of an action in points. The numbers are guesses: write better ones.
  def worth(view, action)
    case action.split
    in ["bid" | "build", number, *] then number.to_i # a later spot costs less
    in ["take", name] then meeples(tile(view, name)) # more meeples reach further
    in ["drop", name, _] # a tile that nobody owns yet may become ours
      tile(view, name)&.owner&.zero? ? tile(view, name).value : 0
    in ["buy", *cards] then 1 + cards.size
    in ["palm" | "palace" | "summon", *] then 3
    in ["sell", *goods] then goods.size >= 4 ? goods.size : -2 # keep small sets until they are larger
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
