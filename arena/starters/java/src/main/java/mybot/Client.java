package mybot;

import com.google.protobuf.ByteString;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.StreamObserver;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import naqala.arena.wire.v1.Accept;
import naqala.arena.wire.v1.Answer;
import naqala.arena.wire.v1.BotMessage;
import naqala.arena.wire.v1.BotServiceGrpc;
import naqala.arena.wire.v1.DecisionRequest;
import naqala.arena.wire.v1.Decline;
import naqala.arena.wire.v1.Error;
import naqala.arena.wire.v1.Hello;
import naqala.arena.wire.v1.Leave;
import naqala.arena.wire.v1.Offer;
import naqala.arena.wire.v1.Pong;
import naqala.arena.wire.v1.Reveal;
import naqala.arena.wire.v1.RevealRequest;
import naqala.arena.wire.v1.ServerMessage;

/** Plays matches over one stream after the other. Everything except the choice runs in one thread. */
final class Client {
  private static final Logger LOG = Logger.getLogger("mybot");
  private static final String VERSION = "1.0.0"; // of your bot; each version is rated anew
  private static final int MAX_MATCHES = 4;
  // Expansions that the bot plays; matches of five players need one of them.
  private static final List<String> EXPANSIONS = List.of("artisans", "whims");
  private static final long MAX_PAUSE_MS = 30_000;
  private static final long IN_PLAY_MS = 2_500; // maximum wait while matches are running
  // Statuses after which a retry cannot help: the same hello would get the same answer.
  private static final Set<Status.Code> FINAL =
      EnumSet.of(
          Status.Code.UNAUTHENTICATED,
          Status.Code.PERMISSION_DENIED,
          Status.Code.INVALID_ARGUMENT,
          Status.Code.FAILED_PRECONDITION,
          Status.Code.UNIMPLEMENTED,
          Status.Code.ABORTED);

  // Addresses of this machine: the only ones that are dialled without encryption unless http:// is written out.
  private static final Pattern LOOPBACK = Pattern.compile("(localhost|127(\\.\\d+){3}|\\[::1\\]):\\d+");

  private static final class Match {
    int seat;
    ByteString nonce = ByteString.EMPTY;
    int wanted = -1; // the index of the current or last decision
    Answer answer;
  }

  private final String address; // host:port, or a Unix socket in the sandbox of a hosted bot
  private final boolean isTls;
  private final boolean isSocket;
  private final String token;
  private final String process;
  private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor();
  private final ExecutorService thinking = Executors.newCachedThreadPool();
  private final SecureRandom random = new SecureRandom();
  private final Map<String, Match> matches = new HashMap<>(); // they stay when the stream is lost
  private Stream stream;
  private volatile boolean leaving;
  private int failures;

  /** Throws IllegalArgumentException for an address that would send the token unencrypted by mistake. */
  Client(String server, String token, String process) {
    isTls = server.startsWith("https://");
    address = server.replaceFirst("^https?://", "");
    isSocket = address.startsWith("unix:/");
    if (address.equals(server) && !isSocket && !LOOPBACK.matcher(address).matches()) {
      throw new IllegalArgumentException(
          String.format(
              "%1$s does not say whether to encrypt: write https://%1$s, or http://%1$s to send your token unencrypted",
              server));
    }
    this.token = token;
    this.process = process;
  }

  void start() {
    loop.execute(this::connect);
  }

  /** The first call leaves as soon as the running matches are over, the second one at once. */
  void interrupt() {
    if (leaving) {
      Runtime.getRuntime().halt(130);
    }
    leaving = true;
    loop.execute(
        () -> {
          LOG.info("leaving, " + matches.size() + " matches to finish");
          send(BotMessage.newBuilder().setLeave(Leave.getDefaultInstance()));
          leaveIfDone();
        });
  }

  private void leaveIfDone() {
    if (!leaving || !matches.isEmpty()) {
      return;
    }
    if (stream != null) {
      stream.close(); // when it ends, the process ends
    } else {
      System.exit(0);
    }
  }

  private void connect() {
    stream = new Stream();
    stream.open();
  }

  /** One stream. It passes the server's messages to the loop. */
  private final class Stream implements StreamObserver<ServerMessage> {
    private final ManagedChannel channel;
    private StreamObserver<BotMessage> said;
    private Error lastError = Error.getDefaultInstance();
    private Duration silence = Duration.ofSeconds(15); // until the welcome says how often the server pings
    private ScheduledFuture<?> watch;
    private boolean isClosed;

    Stream() {
      ManagedChannelBuilder<?> builder =
          Grpc.newChannelBuilder(
              address, isTls ? TlsChannelCredentials.create() : InsecureChannelCredentials.create());
      // A hosted bot is frozen between its turns, which must not look like a lost connection.
      if (!isSocket) {
        builder.keepAliveTime(20, TimeUnit.SECONDS).keepAliveTimeout(10, TimeUnit.SECONDS);
      }
      if (LOOPBACK.matcher(address).matches()) {
        builder.proxyDetector(target -> null); // connections to this machine use no proxy
      }
      channel = builder.build();
    }

    void open() {
      said = BotServiceGrpc.newStub(channel).play(this);
      send(
          BotMessage.newBuilder()
              .setHello(
                  Hello.newBuilder()
                      .setToken(token)
                      .setVersion(VERSION)
                      .setProcess(process)
                      .setSdk("java-kit/0.1.0")
                      .setMaxMatches(MAX_MATCHES)
                      .addAllExpansions(EXPANSIONS)
                      .setWantsLegal(true)
                      .setProtocol("arena.wire/2")
                      .addAllRunning(matches.keySet())));
      stillAlive();
    }

    void close() {
      if (!isClosed) {
        isClosed = true;
        said.onCompleted();
      }
    }

    private void stillAlive() {
      if (watch != null) {
        watch.cancel(false);
      }
      watch =
          loop.schedule(
              () -> said.onError(Status.UNAVAILABLE.withDescription("the server is silent").asException()),
              silence.toMillis(),
              TimeUnit.MILLISECONDS);
    }

    @Override
    public void onNext(ServerMessage message) {
      loop.execute(
          () -> {
            if (message.hasWelcome()) {
              int interval = message.getWelcome().getLimits().getPingIntervalMs();
              silence = interval > 0 ? Duration.ofMillis(3L * interval) : silence;
            } else if (message.hasError()) {
              lastError = message.getError();
            }
            stillAlive();
            take(message);
            leaveIfDone();
          });
    }

    @Override
    public void onCompleted() {
      onError(Status.UNAVAILABLE.withDescription("the server ended the stream").asException());
    }

    @Override
    public void onError(Throwable end) {
      loop.execute(() -> ended(Status.fromThrowable(end)));
    }

    private void ended(Status status) {
      watch.cancel(false);
      channel.shutdownNow();
      stream = null;
      if (leaving && matches.isEmpty()) {
        System.exit(0);
      }
      if (lastError.getFatal()) { // if the stream ended while we wrote, the status says less than the last error
        status =
            Status.fromCodeValue(lastError.getCode())
                .withDescription(lastError.getReason() + ": " + lastError.getMessage());
      }
      if (FINAL.contains(status.getCode()) && !lastError.getReason().equals("HELLO_EXPECTED")) {
        LOG.severe("refused: " + status.getDescription());
        System.exit(1);
      }
      // The limit doubles with every failure. The wait is random, so that not all bots reconnect at the same moment.
      long most = Math.min(matches.isEmpty() ? MAX_PAUSE_MS : IN_PLAY_MS, 500L << Math.min(failures++, 10));
      long pause = ThreadLocalRandom.current().nextLong(most);
      String why = status.getCode() + " " + status.getDescription();
      LOG.warning("stream lost (" + why + "), again in " + pause + " ms" + proxyAdvice());
      loop.schedule(Client.this::connect, pause, TimeUnit.MILLISECONDS);
    }
  }

  /** Names the setting that sends connections through a proxy. Those to this machine never use one. */
  private String proxyAdvice() {
    boolean isProxied = System.getProperty("https.proxyHost") != null && !isSocket && !LOOPBACK.matcher(address).matches();
    return isProxied ? "; https.proxyHost sets a proxy: without it, add the host to http.nonProxyHosts" : "";
  }

  /** Sends a message. Without a stream it is dropped, because the server asks again. */
  private void send(BotMessage.Builder message) {
    if (stream != null && !stream.isClosed) {
      stream.said.onNext(message.build());
    }
  }

  private void take(ServerMessage message) {
    switch (message.getKindCase()) {
      case WELCOME -> {
        LOG.info("connected as " + message.getWelcome().getBot());
        failures = 0;
        message.getWelcome().getOverList().forEach(matches::remove);
        if (leaving) {
          send(BotMessage.newBuilder().setLeave(Leave.getDefaultInstance()));
        }
      }
      case PING -> send(BotMessage.newBuilder().setPong(Pong.newBuilder().setId(message.getPing().getId())));
      case OFFER -> offered(message.getOffer());
      case REVEAL_REQUEST -> reveal(message.getRevealRequest());
      case RESUMED -> {
        LOG.info(message.getResumed().getMatchId() + ": goes on at " + message.getResumed().getIndex());
        known(message.getResumed().getMatchId());
        if (message.getResumed().hasRequest()) {
          asked(message.getResumed().getRequest());
        }
      }
      case REQUEST -> asked(message.getRequest());
      case FAULT -> {
        var fault = message.getFault();
        LOG.warning(
            fault.getMatchId() + ": fault " + fault.getReason() + " " + fault.getRule() + " " + fault.getMessage());
      }
      case MATCH_END -> {
        var end = message.getMatchEnd();
        LOG.info(end.getMatchId() + ": ended, placements " + end.getVerdict().getPlacementsList());
        matches.remove(end.getMatchId());
      }
      case MATCH_ABORTED -> {
        var aborted = message.getMatchAborted();
        LOG.info(aborted.getMatchId() + ": aborted, " + aborted.getReason());
        matches.remove(aborted.getMatchId());
      }
      case ERROR -> LOG.warning("error " + message.getError().getReason() + ": " + message.getError().getMessage());
      default -> {} // kinds that are newer than this bot are ignored
    }
  }

  /** Returns the match with this id; after a restart of the process the server names matches that are unknown here. */
  private Match known(String id) {
    return matches.computeIfAbsent(id, unknown -> new Match());
  }

  private void offered(Offer offer) {
    String id = offer.getMatchId();
    if (!matches.containsKey(id)) {
      if (leaving || matches.size() >= MAX_MATCHES) {
        send(BotMessage.newBuilder().setDecline(Decline.newBuilder().setMatchId(id).setReason("no free place")));
        return;
      }
      byte[] nonce = new byte[16];
      random.nextBytes(nonce);
      known(id).seat = offer.getTerms().getSeat();
      known(id).nonce = ByteString.copyFrom(nonce);
      LOG.info(id + ": started");
    }
    ByteString hash = sha256(known(id).nonce);
    send(BotMessage.newBuilder().setAccept(Accept.newBuilder().setMatchId(id).setNonceHash(hash)));
  }

  /** Sends the nonce if its hash is in its place: then all have accepted, and nobody can change a nonce any more. */
  private void reveal(RevealRequest request) {
    Match match = known(request.getMatchId());
    int place = match.seat - 1;
    boolean fixed =
        place >= 0
            && place < request.getNonceHashesCount()
            && request.getNonceHashes(place).equals(sha256(match.nonce));
    if (!fixed) {
      LOG.severe(request.getMatchId() + ": the hash of my nonce is not in its place");
    }
    ByteString nonce = fixed ? match.nonce : ByteString.EMPTY;
    send(BotMessage.newBuilder().setReveal(Reveal.newBuilder().setMatchId(request.getMatchId()).setNonce(nonce)));
  }

  private void asked(DecisionRequest request) {
    Match match = known(request.getMatchId());
    if (match.answer != null && match.answer.getIndex() == request.getIndex()) {
      send(BotMessage.newBuilder().setAnswer(match.answer)); // the answer was lost with a stream, so it is sent again
    } else if (match.wanted != request.getIndex()) {
      match.wanted = request.getIndex();
      thinking.execute( // in the background, so that pings are answered
          () -> {
            Answer answer = decide(request);
            loop.execute(() -> decided(match, answer));
          });
    }
  }

  private void decided(Match match, Answer answer) {
    if (matches.get(answer.getMatchId()) == match && match.wanted == answer.getIndex()) {
      match.answer = answer;
      send(BotMessage.newBuilder().setAnswer(answer));
    }
  }

  /** Sends an empty answer if the choice fails: this costs one fault, without a wait. */
  private static Answer decide(DecisionRequest request) {
    Answer.Builder answer = Answer.newBuilder().setMatchId(request.getMatchId()).setIndex(request.getIndex());
    try {
      Choice choice = Choice.of(request);
      answer.addActions(choice.action()).setNote(choice.why());
    } catch (RuntimeException failure) {
      LOG.log(Level.SEVERE, request.getMatchId() + ": the choice has failed at " + request.getIndex(), failure);
    }
    return answer.build();
  }

  private static ByteString sha256(ByteString bytes) {
    try {
      return ByteString.copyFrom(MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray()));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
