/** Hashes of a full tile: its subtrees are eight levels high (C2SP tlog-tiles). */
export const TILE_WIDTH = 256;
export const TILE_HEIGHT = 8;

const DIGITS = 3;
const GROUP = 10 ** DIGITS;

/** A number in groups of three digits, each but the last behind an x, so that no folder holds more than about a thousand names (C2SP tlog-tiles). */
export const numberPath = (number: number): string => {
  const groups: string[] = [];
  for (let rest = number; groups.length === 0 || rest > 0; rest = Math.floor(rest / GROUP)) {
    const digits = String(rest % GROUP).padStart(DIGITS, '0');
    groups.unshift(groups.length === 0 ? digits : `x${digits}`);
  }
  return groups.join('/');
};

/** `tile/<L>/<N>`, and `.p/<W>` behind it for a tile that is not full. */
export const tilePath = (level: number, number: number, width: number = TILE_WIDTH): string =>
  `tile/${level}/${numberPath(number)}${width < TILE_WIDTH ? `.p/${width}` : ''}`;

/** Where the positions of the last events of 256 tiles of level 0 lie: our own, beside the tiles. */
export const positionsPath = (number: number): string => `positions/${numberPath(number)}`;

/** How many hashes a tile has in a tree of this size. */
export const tileWidth = (level: number, number: number, treeSize: number): number => {
  const hashes = Math.floor(treeSize / TILE_WIDTH ** level);
  return Math.min(TILE_WIDTH, Math.max(0, hashes - number * TILE_WIDTH));
};
