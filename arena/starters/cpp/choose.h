#pragma once
#include <string>
#include <vector>

#include "arena/wire/v1/game.pb.h"

struct Choice {
  std::string action;
  std::string why;
};

/// Returns the legal action with the highest worth (the first of equals) and the reason. Replace it. The view has everything
/// that your seat may see (proto/arena/wire/v1/game.proto).
Choice choose(const arena::wire::v1::GameView& view, const std::vector<std::string>& legal);
