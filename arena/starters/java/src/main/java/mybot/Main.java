package mybot;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import sun.misc.Signal;

/**
 * A complete small bot for the Naqala arena. Write your own {@link Choice}; {@link Client} keeps the stream alive and
 * reconnects when it is lost. The first Ctrl-C finishes the running matches, the second stops at once.
 */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws UnknownHostException {
    String server = environment("ARENA_SERVER", "127.0.0.1:50051");
    String token = environment("ARENA_TOKEN", "");
    // It must be the same after a restart: token and process name together get the running matches back.
    String process = environment("ARENA_PROCESS", InetAddress.getLocalHost().getHostName() + "-java");
    if (token.isEmpty()) {
      System.err.println("set ARENA_TOKEN to the token from your bot's page");
      System.exit(2);
    }
    Client client;
    try {
      client = new Client(server, token, process);
    } catch (IllegalArgumentException problem) {
      System.err.println(problem.getMessage());
      System.exit(2);
      return;
    }
    for (String name : new String[] {"INT", "TERM"}) {
      Signal.handle(new Signal(name), signal -> client.interrupt());
    }
    client.start();
  }

  private static String environment(String name, String otherwise) {
    return Objects.requireNonNullElse(System.getenv(name), otherwise);
  }
}
