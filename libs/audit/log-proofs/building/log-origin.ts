import { isKeyName } from '../checkpoints/signed-note';
import type { ProofFiles } from '../files/proof-files';

/** The file with the name of the log cannot be read. The log gets no other name: that would be another log. */
export class OriginDamaged extends Error {
  override readonly name = 'OriginDamaged';

  constructor(readonly file: string) {
    super(`${file}: the name of the log cannot be read`);
  }
}

const PATH = 'origin';

/** The name of the log in its checkpoints; undefined if nothing was signed yet. Members beside the name are ignored. @throws OriginDamaged */
export const readOrigin = async (files: ProofFiles): Promise<string | undefined> => {
  const bytes = await files.read(PATH);
  if (bytes === undefined) return undefined;
  try {
    const { origin } = JSON.parse(bytes.toString('utf8')) as { origin?: unknown };
    if (typeof origin === 'string' && isKeyName(origin)) return origin;
  } catch {
    // Refused below.
  }
  throw new OriginDamaged(PATH);
};

export const writeOrigin = (origin: string, files: ProofFiles): Promise<void> =>
  files.write(PATH, Buffer.from(`${JSON.stringify({ origin }, undefined, 2)}\n`));

/** A name that no other log has. @param random 16 bytes */
export const newOrigin = (random: Uint8Array): string => `payment-orchestrator/log/${Buffer.from(random).toString('hex')}`;
