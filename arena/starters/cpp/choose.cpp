#include "choose.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

using arena::wire::v1::DecisionRequest;
using arena::wire::v1::GameView;
using arena::wire::v1::Meeples;
using arena::wire::v1::Tile;

namespace {

const Tile& find_tile(const GameView& view, const std::string& name) {
  for (const Tile& tile : view.board().tiles()) {
    if (tile.name() == name) return tile;
  }
  return Tile::default_instance();
}

int count(const Meeples& group) {
  return group.viziers() + group.elders() + group.merchants() + group.builders() + group.assassins() + group.artisans();
}

/// Estimates the value of an action in points. The numbers are guesses: write better ones.
int worth(const GameView& view, const std::string& action) {
  std::istringstream stream(action);
  const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  const std::string& verb = words[0];
  const int arguments = static_cast<int>(words.size()) - 1;
  if (verb == "bid" || verb == "build") return std::stoi(words[1]);              // a later spot costs less
  if (verb == "take") return count(find_tile(view, words[1]).meeples());         // more meeples reach further
  if (verb == "drop") {                                                          // a tile that nobody owns yet may become ours
    const Tile& tile = find_tile(view, words[1]);
    return tile.owner() == 0 ? static_cast<int>(tile.value()) : 0;
  }
  if (verb == "buy") return 1 + arguments;
  if (verb == "sell") return arguments >= 4 ? arguments : -2;  // keep small sets until they are larger
  if (std::set<std::string>{"palm", "palace", "summon"}.contains(verb)) return 3;
  if (std::set<std::string>{"end", "pass", "spare", "skip"}.contains(verb)) return -1;
  return 0;
}

}  // namespace

Choice choose(const DecisionRequest& request) {
  const GameView& view = request.view();
  const auto best = std::ranges::max_element(request.legal(), {}, [&](const std::string& action) { return worth(view, action); });
  return {*best, "worth " + std::to_string(worth(view, *best))};
}
