require "minitest/autorun"
require_relative "../lib/choose"
require_relative "../lib/wire"

class ChooseTest < Minitest::Test
  VIEW = Wire::GameView.new(
    board: Wire::Board.new(
      tiles: [
        Wire::Tile.new(name: "A1", value: 6, meeples: Wire::Meeples.new(elders: 2)),
        Wire::Tile.new(name: "B1", value: 8, meeples: Wire::Meeples.new(builders: 1), owner: 2),
        Wire::Tile.new(name: "C1", value: 4, meeples: Wire::Meeples.new(viziers: 1, assassins: 2))
      ]
    )
  )

  {
    "bid 10" => ["bid 10", "bid 2"],
    "take C1" => ["take A1", "take B1", "take C1"],
    "drop A1 w" => ["drop A1 w", "drop B1 w", "drop C1 w"],
    "build 3" => ["build 0", "build 3"],
    "end" => ["sell fish ivory", "end"],
    "use enki w A1" => ["use enki w A1", "end"],
    "palm A1" => ["palm A1", "palm A2 w"]
  }.each do |want, legal|
    define_method("test_takes_#{want.tr(' ', '_')}") do
      action, why = Choose.choose(Wire::DecisionRequest.new(view: VIEW, legal: legal))
      assert_equal want, action
      assert_match(/\Aworth /, why)
    end
  end
end
