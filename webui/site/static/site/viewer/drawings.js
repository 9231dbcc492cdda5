// The drawings that later decisions show. The page carries those of its own place.

/** Put those that are missing beside those that are there. */
export async function loadDrawings(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  const file = new DOMParser().parseFromString(await answer.text(), "image/svg+xml");
  const there = document.querySelector(".sprite");
  for (const symbol of file.querySelectorAll("symbol")) {
    if (!document.getElementById(symbol.id)) there.append(document.importNode(symbol, true));
  }
}
