#include "choose.h"

#include <iostream>
#include <map>

int main() {
  arena::wire::v1::GameView view;
  const auto add = [&](const char* name, unsigned value, unsigned owner) {
    auto* tile = view.mutable_board()->add_tiles();
    tile->set_name(name);
    tile->set_value(value);
    tile->set_owner(owner);
    return tile->mutable_meeples();
  };
  add("A1", 6, 0)->set_elders(2);
  add("B1", 8, 2)->set_builders(1);
  auto* meeples = add("C1", 4, 0);
  meeples->set_viziers(1);
  meeples->set_assassins(2);

  int failed = 0;
  for (const auto& [want, legal] : std::map<std::string, std::vector<std::string>>{
           {"bid 10", {"bid 10", "bid 2"}},
           {"take C1", {"take A1", "take B1", "take C1"}},
           {"drop A1 w", {"drop A1 w", "drop B1 w", "drop C1 w"}},
           {"build 3", {"build 0", "build 3"}},
           {"end", {"sell fish ivory", "end"}},
           {"use enki w A1", {"use enki w A1", "end"}},
       }) {
    arena::wire::v1::DecisionRequest request;
    *request.mutable_view() = view;
    request.mutable_legal()->Assign(legal.begin(), legal.end());
    const Choice choice = choose(request);
    if (choice.action != want || !choice.why.starts_with("worth ")) {
      std::cerr << "it takes " << choice.action << " (" << choice.why << "), not " << want << '\n';
      ++failed;
    }
  }
  return failed == 0 ? 0 : 1;
}
