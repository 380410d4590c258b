import { createHash, randomBytes, type KeyObject } from 'node:crypto';
import { decoyControlKey, decoyOauthKey } from '@app/gateway-protocol';
import type { Merchant } from '@app/configuration';

/** The settings by which a checksum is verified. */
export type ControlHolder = Pick<Merchant, 'controlKey' | 'rebillControl'>;
type KeyHolder = ControlHolder & Pick<Merchant, 'login' | 'oauthPublicKey'>;

/** The size of the decoy key where no merchant signs v4 requests. */
const MODULUS_BITS = 2_048;

const modulusBits = ({ oauthPublicKey }: KeyHolder): number => oauthPublicKey?.asymmetricKeyDetails?.modulusLength ?? MODULUS_BITS;

/**
 * Decoy keys, under which the signature of an unauthenticated request is verified, so that the time of the answer tells nothing about logins and entry
 * points (safety, T10). A decoy has the size of the key of the merchant that the entry point belongs to. For an unknown entry point a merchant is drawn by
 * the id: always the same one, and a caller cannot know which.
 */
export class KeysOfUnknownMerchants {
  readonly #holders: readonly KeyHolder[];
  readonly #signers: readonly KeyHolder[];
  readonly #drawingKey = randomBytes(32);
  // Made at the start, because making one in a request would make that request slow.
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

  /** @param merchant of the entry point; undefined where the entry point is unknown */
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
