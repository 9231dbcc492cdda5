import type { GameView__Output as GameView } from "./gen/arena/wire/v1/GameView.js";
import type { Tile__Output as Tile } from "./gen/arena/wire/v1/Tile.js";

/** The whole brain: takes the legal action that is worth most, the first of equals, and says why. The view has all that your
 *  seat may see (proto/arena/wire/v1/game.proto). */
export function choose(view: GameView, legal: string[]): { action: string; why: string } {
  const action = legal.reduce((best, next) => (worth(view, next) > worth(view, best) ? next : best));
  return { action, why: `worth ${worth(view, action)}` };
}

/** What an action in the notation is worth, in points that are guessed: write better ones. */
function worth(view: GameView, action: string): number {
  const [verb, first = "", ...more] = action.split(" ");
  switch (verb) {
    case "bid": // a late spot costs less
    case "build":
      return Number(first);
    case "take": // many meeples go far
      return meeples(tile(view, first));
    case "drop": // a tile that nobody owns yet may become ours
      return tile(view, first)?.owner === 0 ? tile(view, first)!.value : 0;
    case "buy":
      return 2 + more.length;
    case "palm":
    case "palace":
    case "summon":
      return 3;
    case "sell": // small sets wait until they are larger
      return more.length >= 3 ? 1 + more.length : -2;
    case "end":
    case "pass":
    case "spare":
    case "skip":
      return -1;
    default:
      return 0;
  }
}

function tile(view: GameView, name: string): Tile | undefined {
  return view.board?.tiles.find((tile) => tile.name === name);
}

function meeples(tile: Tile | undefined): number {
  const group = tile?.meeples;
  if (!group) return 0;
  return group.viziers + group.elders + group.merchants + group.builders + group.assassins + group.artisans;
}
