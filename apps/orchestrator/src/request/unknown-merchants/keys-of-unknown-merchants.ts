import { createHash, randomBytes, type KeyObject } from 'node:crypto';
import { controlKeyOfNobody, oauthKeyOfNobody } from '@app/gateway-protocol';
import type { Merchant } from '@app/configuration';

/** What a checksum is verified by. */
export type ControlHolder = Pick<Merchant, 'controlKey' | 'rebillControl'>;
type KeyHolder = ControlHolder & Pick<Merchant, 'login' | 'oauthPublicKey'>;

/** Of an installation where no merchant signs v4 requests. */
const MODULUS_BITS = 2_048;

const modulusBits = ({ oauthPublicKey }: KeyHolder): number => oauthPublicKey?.asymmetricKeyDetails?.modulusLength ?? MODULUS_BITS;

/**
 * Keys that verify a stranger's signature for nothing: each of the size that the key of the merchant has whom the request names, so that the time of an
 * answer does not tell whether a login is that merchant's. Where the entry point is nobody's, a merchant is drawn by its id: always the same one,
 * and nobody outside knows which.
 */
export class KeysOfUnknownMerchants {
  readonly #holders: readonly KeyHolder[];
  readonly #signers: readonly KeyHolder[];
  readonly #drawingKey = randomBytes(32);
  // Made at start: the first stranger's request must not be the slow one.
  readonly #controls: ReadonlyMap<string, ControlHolder>;
  readonly #oauthKeys: ReadonlyMap<number, KeyObject>;

  constructor({ merchants }: { readonly merchants: readonly KeyHolder[] }) {
    this.#holders = merchants;
    this.#signers = merchants.filter(({ oauthPublicKey }) => oauthPublicKey !== undefined);
    this.#controls = new Map(
      merchants.map(({ login, controlKey, rebillControl }) => [login, { controlKey: controlKeyOfNobody(controlKey), rebillControl }]),
    );
    this.#oauthKeys = new Map([MODULUS_BITS, ...this.#signers.map(modulusBits)].map((bits) => [bits, oauthKeyOfNobody(bits)]));
  }

  /** @param merchant whose the entry point is, if anybody's; else `entryPointId` draws one */
  control(merchant: KeyHolder | undefined, entryPointId: string): ControlHolder {
    const like = merchant ?? this.drawn(this.#holders, entryPointId);
    const control = like && this.#controls.get(like.login);
    if (control === undefined) throw new Error('a merchant that is not in the configuration');
    return control;
  }

  /** The same for v4, where a merchant without a key for it counts as none. */
  oauth(merchant: KeyHolder | undefined, entryPointId: string): KeyObject {
    const like = merchant?.oauthPublicKey === undefined ? this.drawn(this.#signers, entryPointId) : merchant;
    const key = this.#oauthKeys.get(like === undefined ? MODULUS_BITS : modulusBits(like));
    if (key === undefined) throw new Error('a merchant that is not in the configuration');
    return key;
  }

  private drawn(holders: readonly KeyHolder[], entryPointId: string): KeyHolder | undefined {
    const drawn = createHash('sha256').update(this.#drawingKey).update(entryPointId).digest().readUInt32BE();
    return holders[drawn % Math.max(holders.length, 1)];
  }
}
