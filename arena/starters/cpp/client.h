#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <grpcpp/grpcpp.h>

#include "arena/wire/v1/bot.grpc.pb.h"

/// Plays matches over one stream after the other. Its state belongs to the thread of `run`. Other threads read the stream,
/// write it and choose; they post their results.
class Client {
 public:
  /// Throws std::invalid_argument for an address that would send the token unencrypted by mistake.
  Client(const std::string& server, std::string token, std::string process);

  /// Plays until the bot has left. Returns the exit code, which is 1 after a final refusal.
  int run();

  /// Finishes the running matches, and leaves. May be called from any thread.
  void leave();

 private:
  using Task = std::function<void()>;
  using Time = std::chrono::steady_clock::time_point;
  struct Match {
    unsigned seat = 0;
    std::string nonce;
    std::optional<unsigned> wanted;  ///< the index of the current or last decision
    std::optional<arena::wire::v1::Answer> answer;
  };
  struct Stream;

  bool done() const { return is_leaving_ && matches_.empty(); }
  void post(Task task);
  bool step(Time until);
  grpc::Status play();
  void say(arena::wire::v1::BotMessage message);
  void say_leave();
  void take(const arena::wire::v1::ServerMessage& message);
  void offered(const arena::wire::v1::Offer& offer);
  void reveal(const arena::wire::v1::RevealRequest& request);
  void asked(const arena::wire::v1::DecisionRequest& request);
  void decided(const arena::wire::v1::Answer& answer);

  const std::string address_;  ///< host:port
  const bool is_tls_;
  const std::string token_, process_;
  std::map<std::string, Match> matches_;  ///< they stay when the stream is lost
  Stream* stream_ = nullptr;
  arena::wire::v1::Error last_error_;
  bool is_leaving_ = false;
  unsigned failures_ = 0;

  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Task> tasks_;
};
