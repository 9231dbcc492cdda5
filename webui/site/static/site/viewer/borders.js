// The border of a tile that has been taken draws itself round.

const MS = 240;

/** Draw the borders of all tiles to which these motions brought a camel or a tent; resolves when all are whole. */
export function drawBorders(table, loop, motions, speed) {
  return Promise.all(motions.filter(([, use]) => use === "camel" || use === "tent").map(([, , , to]) => {
    const border = table.element(to.replace("tile-", "ground-"))?.querySelector(".ow");
    if (!border) return null;
    border.setAttribute("pathLength", "1");
    return loop.run(MS / speed, (share) => {
      border.style.strokeDasharray = share < 1 ? `${share} 1` : "";
    });
  }));
}
