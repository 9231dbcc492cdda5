package mybot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import naqala.arena.wire.v1.Board;
import naqala.arena.wire.v1.DecisionRequest;
import naqala.arena.wire.v1.GameView;
import naqala.arena.wire.v1.Meeples;
import naqala.arena.wire.v1.Tile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChoiceTest {
  private static final GameView VIEW =
      GameView.newBuilder()
          .setBoard(
              Board.newBuilder()
                  .addTiles(tile("A1", 6, 0, Meeples.newBuilder().setElders(2)))
                  .addTiles(tile("B1", 8, 2, Meeples.newBuilder().setBuilders(1)))
                  .addTiles(tile("C1", 4, 0, Meeples.newBuilder().setViziers(1).setAssassins(2))))
          .build();

  private static Tile.Builder tile(String name, int value, int owner, Meeples.Builder meeples) {
    return Tile.newBuilder().setName(name).setValue(value).setOwner(owner).setMeeples(meeples);
  }

  @ParameterizedTest
  @CsvSource({
    "bid 10, bid 10;bid 2",
    "take C1, take A1;take B1;take C1",
    "drop A1 w, drop A1 w;drop B1 w;drop C1 w",
    "build 3, build 0;build 3",
    "end, sell fish ivory;end",
    "use enki w A1, use enki w A1;end",
  })
  void takesWhatIsWorthMost(String wanted, String legal) {
    var request = DecisionRequest.newBuilder().setView(VIEW).addAllLegal(List.of(legal.split(";")));
    Choice choice = Choice.of(request.build());
    assertEquals(wanted, choice.action());
    assertTrue(choice.why().startsWith("worth "));
  }
}
