#pragma once
#include <string>
#include <vector>

#include "arena/wire/v1/game.pb.h"

struct Choice {
  std::string action;
  std::string why;
};

/// The whole brain: the legal action that is worth most, the first of equals, and why. The view has all that your seat may see
/// (proto/arena/wire/v1/game.proto).
Choice choose(const arena::wire::v1::GameView& view, const std::vector<std::string>& legal);
