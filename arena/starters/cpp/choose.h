#pragma once
#include <string>
#include <vector>

#include "arena/wire/v1/bot.pb.h"

struct Choice {
  std::string action;
  std::string why;
};

/// Returns the legal action with the highest worth (the first of equals) and the reason. Replace it. The request has
/// everything that your seat may see, the legal actions, your seat, your clock, and the events since the last request
/// (proto/arena/wire/v1/bot.proto).
Choice choose(const arena::wire::v1::DecisionRequest& request);
