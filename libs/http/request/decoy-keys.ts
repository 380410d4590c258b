import { createHash, randomBytes, type KeyObject } from 'node:crypto';
import { decoyControlKey, decoyOauthKey } from '@app/gateway-protocol';
import type { Merchant } from '@app/configuration';

/** The settings that verify a checksum. */
export type ControlHolder = Pick<Merchant, 'controlKey' | 'formerControlKey' | 'rebillControl'>;
type KeyHolder = ControlHolder & Pick<Merchant, 'login' | 'oauthPublicKey'>;

/** Used if no merchant signs v4 requests. */
const MODULUS_BITS = 2_048;

interface KeyHolders {
  readonly merchants: readonly KeyHolder[];
}

interface Decoys {
  readonly holders: readonly KeyHolder[];
  readonly signers: readonly KeyHolder[];
  readonly controls: ReadonlyMap<string, ControlHolder>;
  readonly oauthKeys: ReadonlyMap<number, KeyObject>;
}

const modulusBits = ({ oauthPublicKey }: KeyHolder): number => oauthPublicKey?.asymmetricKeyDetails?.modulusLength ?? MODULUS_BITS;

const decoysOf = (holders: readonly KeyHolder[], known: Decoys['oauthKeys']): Decoys => {
  const signers = holders.filter(({ oauthPublicKey }) => oauthPublicKey !== undefined);
  const sizes = new Set([MODULUS_BITS, ...signers.map(modulusBits)]);
  return {
    holders,
    signers,
    controls: new Map(
      holders.map(({ login, controlKey, formerControlKey: former, rebillControl }) => [
        login,
        {
          controlKey: decoyControlKey(controlKey),
          ...(former && { formerControlKey: { ...former, key: decoyControlKey(former.key) } }),
          rebillControl,
        },
      ]),
    ),
    oauthKeys: new Map([...sizes].map((bits) => [bits, known.get(bits) ?? decoyOauthKey(bits)])),
  };
};

/**
 * Decoy keys for unauthenticated requests, so that timing does not reveal logins and entry points (safety, T10). An
 * unknown entry point always maps to the same merchant, from whose key the size is taken.
 */
export class DecoyKeys {
  readonly #drawingKey = randomBytes(32);
  #decoys: Decoys;

  constructor({ merchants }: KeyHolders) {
    this.#decoys = decoysOf(merchants, new Map());
  }

  /** Creates the missing keys, because that is slow. @returns takes them */
  prepare({ merchants }: KeyHolders): () => void {
    const decoys = decoysOf(merchants, this.#decoys.oauthKeys);
    return () => {
      this.#decoys = decoys;
    };
  }

  /** @param merchant undefined if the entry point is unknown */
  control(merchant: KeyHolder | undefined, entryPointId: string): ControlHolder {
    const model = merchant ?? this.drawn(this.#decoys.holders, entryPointId);
    const control = model && this.#decoys.controls.get(model.login);
    if (control === undefined) throw new Error('a merchant that is not in the configuration');
    return control;
  }

  /** The same for v4; a merchant without an OAuth key counts as unknown. */
  oauth(merchant: KeyHolder | undefined, entryPointId: string): KeyObject {
    const model = merchant?.oauthPublicKey === undefined ? this.drawn(this.#decoys.signers, entryPointId) : merchant;
    const key = this.#decoys.oauthKeys.get(model === undefined ? MODULUS_BITS : modulusBits(model));
    if (key === undefined) throw new Error('a merchant that is not in the configuration');
    return key;
  }

  private drawn(holders: readonly KeyHolder[], entryPointId: string): KeyHolder | undefined {
    const drawn = createHash('sha256').update(this.#drawingKey).update(entryPointId).digest().readUInt32BE();
    return holders[drawn % Math.max(holders.length, 1)];
  }
}
