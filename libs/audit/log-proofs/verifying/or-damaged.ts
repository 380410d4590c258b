import { TileDamaged } from '../tiles/tile-reader';

/** Undefined where a tile is damaged. */
export const orDamaged = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TileDamaged) return undefined;
    throw error;
  }
};
