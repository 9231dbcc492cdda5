#include "client.h"

#include <openssl/rand.h>
#include <openssl/sha.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <regex>
#include <set>
#include <thread>

#include "choose.h"

using namespace arena::wire::v1;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

constexpr auto VERSION = "1.0.0";  // of your bot; each version is rated anew
constexpr unsigned MAX_MATCHES = 4;
// Expansions that the bot plays; matches of five players need one of them.
const char* const EXPANSIONS[] = {"artisans", "whims"};
constexpr std::chrono::milliseconds MAX_PAUSE = 30s;
constexpr std::chrono::milliseconds IN_PLAY = 2500ms;  // maximum wait while matches are running
// Statuses after which a retry cannot help: the same hello would get the same answer.
const std::set<int> FINAL{grpc::UNAUTHENTICATED,    grpc::PERMISSION_DENIED, grpc::INVALID_ARGUMENT,
                          grpc::FAILED_PRECONDITION, grpc::UNIMPLEMENTED,     grpc::ABORTED};

/// In the sandbox of a hosted bot, the address is a Unix socket.
bool is_socket(const std::string& address) { return address.starts_with("unix:/"); }

/// Addresses of this machine: the only ones that are dialled without encryption unless http:// is written out.
bool is_loopback(const std::string& address) {
  static const std::regex loopback(R"((localhost|127(\.\d+){3}|\[::1\]):\d+)");
  return std::regex_match(address, loopback) || is_socket(address);
}

/// Names the variable that sends connections through a proxy. Those to this machine never use one.
std::string proxy_advice(const std::string& address) {
  for (const std::string name : {"grpc_proxy", "https_proxy", "http_proxy"}) {
    const char* value = std::getenv(name.c_str());
    if (value != nullptr && *value != '\0' && !is_loopback(address)) {
      return "; " + name + " sets a proxy: without it, add the host to no_proxy";
    }
  }
  return "";
}

std::ostream& log() { return std::cerr << "mybot: "; }

std::string sha256(const std::string& bytes) {
  std::string hash(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), reinterpret_cast<unsigned char*>(hash.data()));
  return hash;
}

std::string new_nonce() {
  std::string nonce(16, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(nonce.data()), 16) != 1) throw std::runtime_error("no random bytes");
  return nonce;
}

/// Sends an empty answer if `choose` fails: this costs one fault, without a wait.
Answer decide(const DecisionRequest& request) {
  Answer answer;
  answer.set_match_id(request.match_id());
  answer.set_index(request.index());
  try {
    const Choice choice = choose(request);
    answer.add_actions(choice.action);
    answer.set_note(choice.why);
  } catch (const std::exception& error) {
    log() << request.match_id() << ": choose has failed at " << request.index() << ": " << error.what() << '\n';
  }
  return answer;
}

}  // namespace

/// One stream, with a thread that writes the outbox. The caller reads the stream.
struct Client::Stream {
  Stream(const std::string& address, bool is_tls) {
    grpc::ChannelArguments arguments;
    if (!is_socket(address)) {  // a hosted bot is frozen between its turns, which must not look like a lost connection
      arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
      arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
    }
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    if (is_loopback(address)) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    const auto credentials = is_tls ? grpc::SslCredentials({}) : grpc::InsecureChannelCredentials();
    stub = BotService::NewStub(grpc::CreateCustomChannel(address, credentials, arguments));
    call = stub->Play(&context);
    writer = std::thread([this] {
      while (true) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return is_closed || !outbox.empty(); });
        if (outbox.empty()) break;
        const BotMessage message = std::move(outbox.front());
        outbox.pop_front();
        lock.unlock();
        if (!call->Write(message)) return;  // the reader gets the reason
      }
      call->WritesDone();
    });
  }

  /// Ends our side, after the outbox is written.
  void close() {
    const std::lock_guard lock(mutex);
    is_closed = true;
    changed.notify_all();
  }

  void say(BotMessage message) {
    const std::lock_guard lock(mutex);
    outbox.push_back(std::move(message));
    changed.notify_all();
  }

  grpc::ClientContext context;
  std::unique_ptr<BotService::Stub> stub;
  std::unique_ptr<grpc::ClientReaderWriter<BotMessage, ServerMessage>> call;
  std::thread writer;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<BotMessage> outbox;
  bool is_closed = false;
};

Client::Client(const std::string& server, std::string token, std::string process)
    : address_(std::regex_replace(server, std::regex("^https?://"), "")),
      is_tls_(server.starts_with("https://")),
      token_(std::move(token)),
      process_(std::move(process)) {
  if (address_ == server && !is_loopback(address_)) {
    throw std::invalid_argument(server + " does not say whether to encrypt: write https://" + server + ", or http://" +
                                server + " to send your token unencrypted");
  }
}

void Client::leave() {
  post([this] {
    log() << "leaving, " << matches_.size() << " matches to finish\n";
    is_leaving_ = true;
    say_leave();
  });
}

int Client::run() {
  std::mt19937 random{std::random_device{}()};
  while (!done()) {
    const grpc::Status status = play();
    if (done()) break;
    int code = status.error_code();
    std::string why = status.error_message();
    if (last_error_.fatal()) {  // if the stream ended while we wrote, the status says less than the last error
      code = static_cast<int>(last_error_.code());
      why = last_error_.reason() + ": " + last_error_.message();
    }
    if (FINAL.contains(code) && last_error_.reason() != "HELLO_EXPECTED") {
      log() << "refused: " << why << '\n';
      return 1;
    }
    // The limit doubles with every failure. The wait is random, so that not all bots reconnect at the same moment.
    const auto most = std::min(matches_.empty() ? MAX_PAUSE : IN_PLAY, 500ms * (1 << std::min(failures_++, 10u)));
    const std::chrono::milliseconds pause{std::uniform_int_distribution<long>(0, most.count())(random)};
    log() << "stream lost (" << why << "), again in " << pause.count() << " ms" << proxy_advice(address_) << '\n';
    for (const Time end = steady_clock::now() + pause; !done() && step(end);) {
    }
  }
  return 0;
}

void Client::post(Task task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  posted_.notify_all();
}

/// Runs the first posted task. Returns false if nothing was posted until the deadline.
bool Client::step(Time until) {
  std::unique_lock lock(mutex_);
  if (!posted_.wait_until(lock, until, [this] { return !tasks_.empty(); })) return false;
  const Task task = std::move(tasks_.front());
  tasks_.pop_front();
  lock.unlock();
  task();
  return true;
}

/// Opens a stream and plays on it until it ends.
grpc::Status Client::play() {
  Stream stream(address_, is_tls_);
  stream_ = &stream;
  last_error_.Clear();
  BotMessage message;
  Hello& hello = *message.mutable_hello();
  hello.set_token(token_);
  hello.set_version(VERSION);
  hello.set_process(process_);
  hello.set_sdk("cpp-kit/0.1.0");
  hello.set_max_matches(MAX_MATCHES);
  for (const char* expansion : EXPANSIONS) hello.add_expansions(expansion);
  hello.set_wants_legal(true);
  hello.set_protocol("arena.wire/2");
  for (const auto& [id, match] : matches_) hello.add_running(id);
  say(message);

  bool has_ended = false, is_closing = false;
  std::chrono::milliseconds silence = 15s;  // until the welcome says how often the server pings
  Time deadline = steady_clock::now() + silence;
  std::thread reader([&] {
    ServerMessage received;
    while (stream.call->Read(&received)) {
      post([&, received] {
        if (const auto ms = received.welcome().limits().ping_interval_ms()) silence = 3ms * ms;
        deadline = steady_clock::now() + silence;
        take(received);
      });
    }
    post([&] { has_ended = true; });
  });
  while (!has_ended) {
    if (!step(deadline)) stream.context.TryCancel();  // the server is silent
    if (done() && !is_closing) {
      is_closing = true;
      deadline = steady_clock::now() + 1s;
      stream.close();
    }
  }
  stream_ = nullptr;
  stream.close();
  reader.join();
  stream.writer.join();
  const grpc::Status status = stream.call->Finish();
  return status.ok() ? grpc::Status(grpc::UNAVAILABLE, "the server ended the stream") : status;
}

/// Sends a message. Without a stream it is dropped, because the server asks again.
void Client::say(BotMessage message) {
  if (stream_ != nullptr) stream_->say(std::move(message));
}

void Client::say_leave() {
  BotMessage message;
  message.mutable_leave();
  say(message);
}

void Client::take(const ServerMessage& message) {
  switch (message.kind_case()) {
    case ServerMessage::kWelcome:
      log() << "connected as " << message.welcome().bot() << '\n';
      failures_ = 0;
      for (const std::string& id : message.welcome().over()) matches_.erase(id);
      if (is_leaving_) say_leave();
      break;
    case ServerMessage::kPing: {
      BotMessage answer;
      answer.mutable_pong()->set_id(message.ping().id());
      say(answer);
      break;
    }
    case ServerMessage::kOffer:
      offered(message.offer());
      break;
    case ServerMessage::kRevealRequest:
      reveal(message.reveal_request());
      break;
    case ServerMessage::kResumed:
      log() << message.resumed().match_id() << ": goes on at " << message.resumed().index() << '\n';
      matches_[message.resumed().match_id()];
      if (message.resumed().has_request()) asked(message.resumed().request());
      break;
    case ServerMessage::kRequest:
      asked(message.request());
      break;
    case ServerMessage::kFault:
      log() << message.fault().match_id() << ": fault " << message.fault().reason() << ' ' << message.fault().rule() << ' '
            << message.fault().message() << '\n';
      break;
    case ServerMessage::kMatchEnd:
      log() << message.match_end().match_id() << ": ended, placements";
      for (const unsigned place : message.match_end().verdict().placements()) std::cerr << ' ' << place;
      std::cerr << '\n';
      matches_.erase(message.match_end().match_id());
      break;
    case ServerMessage::kMatchAborted:
      log() << message.match_aborted().match_id() << ": aborted, " << message.match_aborted().reason() << '\n';
      matches_.erase(message.match_aborted().match_id());
      break;
    case ServerMessage::kError:
      log() << "error " << message.error().reason() << ": " << message.error().message() << '\n';
      last_error_ = message.error();
      break;
    default:
      break;  // kinds that are newer than this bot are ignored
  }
}

void Client::offered(const Offer& offer) {
  BotMessage message;
  if (!matches_.contains(offer.match_id())) {
    if (is_leaving_ || matches_.size() >= MAX_MATCHES) {
      message.mutable_decline()->set_match_id(offer.match_id());
      message.mutable_decline()->set_reason("no free place");
      return say(message);
    }
    matches_[offer.match_id()] = {offer.terms().seat(), new_nonce(), {}, {}};
    log() << offer.match_id() << ": started\n";
  }
  message.mutable_accept()->set_match_id(offer.match_id());
  message.mutable_accept()->set_nonce_hash(sha256(matches_[offer.match_id()].nonce));
  say(message);
}

/// Sends the nonce if its hash is in its place: then all have accepted, and nobody can change a nonce any more.
void Client::reveal(const RevealRequest& request) {
  const Match& match = matches_[request.match_id()];
  const int place = static_cast<int>(match.seat) - 1;
  const bool is_fixed =
      place >= 0 && place < request.nonce_hashes_size() && request.nonce_hashes(place) == sha256(match.nonce);
  if (!is_fixed) log() << request.match_id() << ": the hash of my nonce is not in its place\n";
  BotMessage message;
  message.mutable_reveal()->set_match_id(request.match_id());
  message.mutable_reveal()->set_nonce(is_fixed ? match.nonce : "");
  say(message);
}

void Client::asked(const DecisionRequest& request) {
  Match& match = matches_[request.match_id()];
  if (match.answer && match.answer->index() == request.index()) {
    BotMessage message;  // the answer was lost with a stream, so it is sent again
    *message.mutable_answer() = *match.answer;
    say(message);
  } else if (match.wanted != request.index()) {
    match.wanted = request.index();
    std::thread([this, request] {  // in the background, so that pings are answered
      Answer answer = decide(request);
      post([this, answer = std::move(answer)] { decided(answer); });
    }).detach();
  }
}

void Client::decided(const Answer& answer) {
  const auto match = matches_.find(answer.match_id());
  if (match == matches_.end() || match->second.wanted != answer.index()) return;
  match->second.answer = answer;
  BotMessage message;
  *message.mutable_answer() = answer;
  say(message);
}
