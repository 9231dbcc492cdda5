package mybot;

import java.util.List;
import naqala.arena.wire.v1.DecisionRequest;
import naqala.arena.wire.v1.GameView;
import naqala.arena.wire.v1.Meeples;
import naqala.arena.wire.v1.Tile;

/** An action and the reason for it: the bot's strategy, which you replace. */
record Choice(String action, String why) {

  /**
   * Returns the legal action with the highest worth, the first of equals. The request has everything that your seat may
   * see, the legal actions, your seat, your clock, and the events since the last request
   * (proto/arena/wire/v1/bot.proto).
   */
  static Choice of(DecisionRequest request) {
    GameView view = request.getView();
    List<String> legal = request.getLegalList();
    String best = legal.get(0);
    for (String action : legal) {
      if (worth(view, action) > worth(view, best)) {
        best = action;
      }
    }
    return new Choice(best, "worth " + worth(view, best));
  }

  /** Estimates the value of an action in points. The numbers are guesses: write better ones. */
  private static int worth(GameView view, String action) {
    String[] words = action.split(" ");
    return switch (words[0]) {
      case "bid", "build" -> Integer.parseInt(words[1]); // a later spot costs less
      case "take" -> meeples(tile(view, words[1]).getMeeples()); // more meeples reach further
      case "drop" -> { // a tile that nobody owns yet may become ours
        Tile tile = tile(view, words[1]);
        yield tile.getOwner() == 0 ? tile.getValue() : 0;
      }
      case "buy" -> words.length;
      case "palm", "palace", "summon" -> 3;
      case "sell" -> words.length > 4 ? words.length - 1 : -2; // keep small sets until they are larger
      case "end", "pass", "spare", "skip" -> -1;
      default -> 0;
    };
  }

  private static Tile tile(GameView view, String name) {
    return view.getBoard().getTilesList().stream()
        .filter(tile -> tile.getName().equals(name))
        .findFirst()
        .orElse(Tile.getDefaultInstance());
  }

  private static int meeples(Meeples group) {
    return group.getViziers() + group.getElders() + group.getMerchants() + group.getBuilders()
        + group.getAssassins() + group.getArtisans();
  }
}
