// A complete small bot for the Naqala arena. Write your own choose (choose.cpp); client.cpp keeps the stream alive and
// reconnects when it is lost. The first Ctrl-C finishes the running matches, the second stops at once.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <thread>

#include "client.h"

static std::string environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

int main() {
  char host[65] = "";
  gethostname(host, sizeof host - 1);
  const std::string server = environment("ARENA_SERVER", "127.0.0.1:50051");
  const std::string token = environment("ARENA_TOKEN", "");
  // It must be the same after a restart: token and process name together get the running matches back.
  const std::string process = environment("ARENA_PROCESS", std::string(host) + "-cpp");
  if (token.empty()) {
    std::cerr << "set ARENA_TOKEN to the token from your bot's page\n";
    return 2;
  }

  // Block these signals before other threads start, so that only the waiting thread gets them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  std::optional<Client> made;
  try {
    made.emplace(server, token, process);
  } catch (const std::invalid_argument& problem) {
    std::cerr << problem.what() << '\n';
    return 2;
  }
  Client& client = *made;
  std::thread([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    client.leave();
    sigwait(&signals, &signal);
    _exit(130);
  }).detach();
  const int code = client.run();
  _exit(code);  // decisions still being computed are not waited for
}
