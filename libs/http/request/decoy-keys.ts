import { createHash, randomBytes, type KeyObject } from 'node:crypto';
import { decoyControlKey, decoyOauthKey } from '@app/gateway-protocol';
import type { Merchant } from '@app/configuration';

/** The settings that verify a checksum. */
export type ControlHolder = Pick<Merchant, 'controlKey' | 'rebillControl'>;
type KeyHolder = ControlHolder & Pick<Merchant, 'login' | 'oauthPublicKey'>;

/** Used if no merchant signs v4 requests. */
const MODULUS_BITS = 2_048;

const modulusBits = ({ oauthPublicKey }: KeyHolder): number => oauthPublicKey?.asymmetricKeyDetails?.modulusLength ?? MODULUS_BITS;

/**
 * Decoy keys for unauthenticated requests, so that timing does not reveal logins and entry points (safety, T10). An
 * unknown entry point always maps to the same merchant, from whose key the size is taken.
 */
export class DecoyKeys {
  readonly #holders: readonly KeyHolder[];
  readonly #signers: readonly KeyHolder[];
  readonly #drawingKey = randomBytes(32);
  // Created at the start, because creating a key is slow.
  readonly #controls: ReadonlyMap<string, ControlHolder>;
  readonly #oauthKeys: ReadonlyMap<number, KeyObject>;

  constructor({ merchants }: { readonly merchants: readonly KeyHolder[] }) {
    this.#holders = merchants;
    this.#signers = merchants.filter(({ oauthPublicKey }) => oauthPublicKey !== undefined);
    this.#controls = new Map(
      merchants.map(({ login, controlKey, rebillControl }) => [login, { controlKey: decoyControlKey(controlKey), rebillControl }]),
    );
    this.#oauthKeys = new Map([MODULUS_BITS, ...this.#signers.map(modulusBits)].map((bits) => [bits, decoyOauthKey(bits)]));
  }

  /** @param merchant undefined if the entry point is unknown */
  control(merchant: KeyHolder | undefined, entryPointId: string): ControlHolder {
    const model = merchant ?? this.drawn(this.#holders, entryPointId);
    const control = model && this.#controls.get(model.login);
    if (control === undefined) throw new Error('a merchant that is not in the configuration');
    return control;
  }

  /** The same for v4; a merchant without an OAuth key counts as unknown. */
  oauth(merchant: KeyHolder | undefined, entryPointId: string): KeyObject {
    const model = merchant?.oauthPublicKey === undefined ? this.drawn(this.#signers, entryPointId) : merchant;
    const key = this.#oauthKeys.get(model === undefined ? MODULUS_BITS : modulusBits(model));
    if (key === undefined) throw new Error('a merchant that is not in the configuration');
    return key;
  }

  private drawn(holders: readonly KeyHolder[], entryPointId: string): KeyHolder | undefined {
    const drawn = createHash('sha256').update(this.#drawingKey).update(entryPointId).digest().readUInt32BE();
    return holders[drawn % Math.max(holders.length, 1)];
  }
}
