require "digest"
require "securerandom"
require_relative "choose"
require_relative "wire"

# Plays matches over one stream after the other. Its state belongs to the thread of `run`. Other threads read the stream, write
# it and choose; they put their results into @events.
class Client
  VERSION = "1.0.0".freeze # of your bot; each version is rated anew
  MAX_MATCHES = 4
  # Expansions that the bot plays; matches of five players need one of them.
  EXPANSIONS = %w[artisans whims].freeze
  MAX_PAUSE_S = 30.0
  IN_PLAY_S = 2.5 # maximum wait while matches are running
  # Statuses after which a retry cannot help: the same hello would get the same answer.
  FINAL = [
    GRPC::Core::StatusCodes::UNAUTHENTICATED,
    GRPC::Core::StatusCodes::PERMISSION_DENIED,
    GRPC::Core::StatusCodes::INVALID_ARGUMENT,
    GRPC::Core::StatusCodes::FAILED_PRECONDITION,
    GRPC::Core::StatusCodes::UNIMPLEMENTED,
    GRPC::Core::StatusCodes::ABORTED
  ].freeze

  # Addresses of this machine: the only ones that are dialled without encryption unless http:// is written out.
  # In the sandbox of a hosted bot, the address is a Unix socket.
  LOOPBACK = %r{\A((localhost|127(\.\d+){3}|\[::1\]):\d+|unix:/.+)\z}

  Match = Struct.new(:seat, :nonce, :wanted, :answer) # wanted: the index of the current or last decision

  # Raises ArgumentError for an address that would send the token unencrypted by mistake.
  def initialize(server:, token:, process:)
    @address, @token, @process = server.sub(%r{\Ahttps?://}, ""), token, process
    @tls = server.start_with?("https://")
    if @address == server && !LOOPBACK.match?(server)
      raise ArgumentError, "#{server} does not say whether to encrypt: write https://#{server}, " \
                           "or http://#{server} to send your token unencrypted"
    end
    @matches = {} # they stay when the stream is lost
    @events = Queue.new
    @outbox = nil
    @last_error = nil
    @leaving = false
    @failures = 0
  end

  # Finishes the running matches, and leaves. May be called from a signal handler.
  def leave
    @events << [:leave]
  end

  # Plays until the bot has left. Returns false after a final refusal.
  def run
    Thread.new { loop { sleep(0.1) && @events << [:tick] } }
    until done?
      status = play
      break if done?

      code, why = status.code, status.details
      if @last_error&.fatal # if the stream ended while we wrote, the status says less than the last error
        code, why = @last_error.code, "#{@last_error.reason}: #{@last_error.message}"
      end
      if FINAL.include?(code) && @last_error&.reason != "HELLO_EXPECTED"
        warn "refused: #{why}"
        return false
      end
      pause(why)
    end
    true
  end

  private

  # The limit doubles with every failure. The wait is random, so that not all bots reconnect at the same moment.
  def pause(why)
    seconds = rand * [@matches.empty? ? MAX_PAUSE_S : IN_PLAY_S, 0.5 * 2**[@failures, 10].min].min
    @failures += 1
    warn "stream lost (#{why}), again in #{(1000 * seconds).round} ms#{proxy_advice}"
    deadline = now + seconds
    happened(*@events.pop) until done? || now >= deadline
  end

  # Names the variable that sends connections through a proxy. Those to this machine never use one.
  def proxy_advice
    name = %w[grpc_proxy https_proxy http_proxy].find { |variable| !ENV.fetch(variable, "").empty? }
    "; #{name} sets a proxy: without it, add the host to no_proxy" if name && !LOOPBACK.match?(@address)
  end

  def done? = @leaving && @matches.empty?

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  # A hosted bot is frozen between its turns, which must not look like a lost connection.
  def keepalive
    return {} if @address.start_with?("unix:")

    { "grpc.keepalive_time_ms" => 20_000, "grpc.keepalive_timeout_ms" => 10_000 }
  end

  # Opens a stream and plays on it until it ends.
  def play
    stub = Wire::BotService::Stub.new(
      @address,
      @tls ? GRPC::Core::ChannelCredentials.new : :this_channel_is_insecure,
      channel_args: {
        **keepalive, "grpc.use_local_subchannel_pool" => 1, "grpc.enable_http_proxy" => LOOPBACK.match?(@address) ? 0 : 1
      }
    )
    outbox = @outbox = Queue.new
    say(hello: hello)
    call = stub.play(Enumerator.new { |said| while (message = outbox.pop) do said << message end }, return_op: true)
    @last_error = @status = nil
    @silence = 15.0 # until the welcome says how often the server pings
    @deadline = now + @silence
    Thread.new { read(call, outbox) }
    until @status
      happened(*@events.pop)
      call.cancel if now > @deadline # the server is silent
      next unless done?

      outbox << nil # this ends our side
      @deadline = [@deadline, now + 1].min
    end
    @outbox = nil
    outbox << nil
    @status
  end

  def hello
    Wire::Hello.new(
      token: @token, version: VERSION, process: @process, sdk: "ruby-kit/0.1.0", max_matches: MAX_MATCHES,
      expansions: EXPANSIONS, wants_legal: true, protocol: "arena.wire/2", running: @matches.keys
    )
  end

  def read(call, outbox)
    call.execute.each { |message| @events << [:message, message] }
    @events << [:ended, outbox, GRPC::Unavailable.new("the server ended the stream")]
  rescue GRPC::BadStatus => e
    @events << [:ended, outbox, e]
  rescue StandardError => e
    @events << [:ended, outbox, GRPC::Unavailable.new("#{e.class}: #{e.message}")]
  end

  def happened(what, *about)
    case what
    when :message then take(*about)
    when :decided then decided(*about)
    when :ended
      outbox, status = about
      @status = status if outbox.equal?(@outbox)
    when :leave
      warn "leaving, #{@matches.size} matches to finish"
      @leaving = true
      say(leave: Wire::Leave.new)
    end
  end

  # Sends a message. Without a stream it is dropped, because the server asks again.
  def say(**kind)
    @outbox&.push(Wire::BotMessage.new(**kind))
  end

  def take(message)
    @deadline = now + @silence
    case message.kind
    when :welcome then welcomed(message.welcome)
    when :ping then say(pong: Wire::Pong.new(id: message.ping.id))
    when :offer then offered(message.offer)
    when :reveal_request then reveal(message.reveal_request)
    when :resumed
      resumed = message.resumed
      warn "#{resumed.match_id}: goes on at #{resumed.index}"
      known(resumed.match_id)
      asked(resumed.request) if resumed.request
    when :request then asked(message.request)
    when :fault
      fault = message.fault
      warn "#{fault.match_id}: fault #{fault.reason} #{fault.rule} #{fault.message}"
    when :match_end
      warn "#{message.match_end.match_id}: ended, placements #{message.match_end.verdict&.placements.to_a}"
      @matches.delete(message.match_end.match_id)
    when :match_aborted
      warn "#{message.match_aborted.match_id}: aborted, #{message.match_aborted.reason}"
      @matches.delete(message.match_aborted.match_id)
    when :error
      @last_error = message.error
      warn "error #{@last_error.reason}: #{@last_error.message}"
    end # kinds that are newer than this bot are ignored
  end

  def welcomed(welcome)
    warn "connected as #{welcome.bot}"
    @failures = 0
    interval = welcome.limits&.ping_interval_ms.to_i
    @silence = 3 * interval / 1000.0 if interval.positive?
    @deadline = now + @silence
    welcome.over.each { |match_id| @matches.delete(match_id) }
    say(leave: Wire::Leave.new) if @leaving
  end

  # Returns the match with this id; after a restart of the process the server names matches that are unknown here.
  def known(match_id)
    @matches[match_id] ||= Match.new(0, "".b)
  end

  def offered(offer)
    match_id = offer.match_id
    unless @matches.key?(match_id)
      if @leaving || @matches.size >= MAX_MATCHES
        return say(decline: Wire::Decline.new(match_id: match_id, reason: "no free place"))
      end

      @matches[match_id] = Match.new(offer.terms&.seat.to_i, SecureRandom.bytes(16))
      warn "#{match_id}: started"
    end
    say(accept: Wire::Accept.new(match_id: match_id, nonce_hash: Digest::SHA256.digest(@matches[match_id].nonce)))
  end

  # Sends the nonce if its hash is in its place: then all have accepted, and nobody can change a nonce any more.
  def reveal(request)
    match = known(request.match_id)
    fixed = match.seat.positive? && request.nonce_hashes[match.seat - 1] == Digest::SHA256.digest(match.nonce)
    warn "#{request.match_id}: the hash of my nonce is not in its place" unless fixed
    say(reveal: Wire::Reveal.new(match_id: request.match_id, nonce: fixed ? match.nonce : ""))
  end

  def asked(request)
    match = known(request.match_id)
    if match.answer&.index == request.index
      say(answer: match.answer) # the answer was lost with a stream, so it is sent again
    elsif match.wanted != request.index
      match.wanted = request.index
      Thread.new { @events << [:decided, decide(request)] } # in the background, so that pings are answered
    end
  end

  def decided(answer)
    match = @matches[answer.match_id]
    return unless match && match.wanted == answer.index

    match.answer = answer
    say(answer: answer)
  end

  # Sends an empty answer if choose fails: this costs one fault, without a wait.
  def decide(request)
    answer = Wire::Answer.new(match_id: request.match_id, index: request.index)
    action, answer.note = Choose.choose(request)
    answer.actions << action
    answer
  rescue StandardError => e
    warn "#{request.match_id}: choose has failed at #{request.index}: #{e.full_message}"
    answer
  end
end
