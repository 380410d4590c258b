import type { Ancestor } from '../checkpoints/checkpoint';
import { isKeyName } from '../checkpoints/signed-note';
import type { ProofFiles } from '../files/proof-files';
import { HASH_BYTES } from '../merkle';

/** What a log is called in its checkpoints. A log whose events have other places gets another name: of one name there is one order. */
export interface LogIdentity {
  readonly origin: string;
  /** The logs that it was made from: the source of a copy, or itself before a back-up was restored. */
  readonly ancestors: readonly Ancestor[];
}

/** The name of a log cannot be read: it is not given another one, which would be another log. */
export class IdentityDamaged extends Error {
  override readonly name = 'IdentityDamaged';

  constructor(readonly file: string) {
    super(`${file}: the name of the log cannot be read`);
  }
}

const PATH = 'origin';
const ANCESTORS_MAX = 100;

const parsed = (text: string): LogIdentity | undefined => {
  try {
    const { origin, ancestors } = JSON.parse(text) as { origin?: unknown; ancestors?: unknown };
    if (typeof origin !== 'string' || !isKeyName(origin) || !Array.isArray(ancestors) || ancestors.length > ANCESTORS_MAX) return undefined;
    const known = (ancestors as Record<string, unknown>[]).map(({ origin: name, size, root, isSameOrder }) => ({
      origin: String(name),
      size: Number(size),
      root: Buffer.from(String(root), 'base64'),
      isSameOrder: isSameOrder === true,
    }));
    const isWhole = known.every((one) => isKeyName(one.origin) && Number.isSafeInteger(one.size) && one.root.length === HASH_BYTES);
    return isWhole ? { origin, ancestors: known } : undefined;
  } catch {
    return undefined;
  }
};

/** Undefined where the log has no name yet. @throws IdentityDamaged: a log does not change its name by itself */
export const readIdentity = async (files: ProofFiles): Promise<LogIdentity | undefined> => {
  const bytes = await files.read(PATH);
  if (bytes === undefined) return undefined;
  const identity = parsed(bytes.toString('utf8'));
  if (identity === undefined) throw new IdentityDamaged(PATH);
  return identity;
};

export const writeIdentity = ({ origin, ancestors }: LogIdentity, files: ProofFiles): Promise<void> => {
  const texts = ancestors.map((one) => ({ ...one, root: Buffer.from(one.root).toString('base64') }));
  return files.write(PATH, Buffer.from(`${JSON.stringify({ origin, ancestors: texts }, undefined, 2)}\n`));
};

/** A name that no other log has. @param random 16 bytes */
export const newOrigin = (random: Uint8Array): string => `payment-orchestrator/log/${Buffer.from(random).toString('hex')}`;
