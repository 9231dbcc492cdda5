import type { DecisionRequest__Output as DecisionRequest } from "./gen/arena/wire/v1/DecisionRequest.js";
import type { GameView__Output as GameView } from "./gen/arena/wire/v1/GameView.js";
import type { Tile__Output as Tile } from "./gen/arena/wire/v1/Tile.js";

/** Returns the legal action with the highest worth (the first of equals) and the reason. Replace it. The request has everything
 *  that your seat may see, the legal actions, your seat, your clock, and the events since the last request
 *  (proto/arena/wire/v1/bot.proto). */
export function choose(request: DecisionRequest): { action: string; why: string } {
  const { legal } = request;
  const view = request.view!;
  const action = legal.reduce((best, next) => (worth(view, next) > worth(view, best) ? next : best));
  return { action, why: `worth ${worth(view, action)}` };
}

/** Estimates the value of an action in points. The numbers are guesses: write better ones. */
function worth(view: GameView, action: string): number {
  const [verb, first = "", ...more] = action.split(" ");
  switch (verb) {
    case "bid": // a later spot costs less
    case "build":
      return Number(first);
    case "take": // more meeples reach further
      return meeples(tile(view, first));
    case "drop": // a tile that nobody owns yet may become ours
      return tile(view, first)?.owner === 0 ? tile(view, first)!.value : 0;
    case "buy":
      return 2 + more.length;
    case "palm":
    case "palace":
    case "summon":
      return 3;
    case "sell": // keep small sets until they are larger
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
