import { CardErased, VaultUnavailable, type CardVault, type OrderKeyId, type OrderSealer } from '@app/card-vault';
import { Secret, type Card, type DestinationCard, type Sealed } from '@app/kernel';
import { packTexts } from '@app/orders/domain';

const CARD: Card = { number: '4444333322221111', expiryMonth: 12, expiryYear: 2030, holder: 'JOHN SMITH' };

/** A vault that seals nothing; the test decides what it opens and when it is away. */
export class ScriptedVault implements CardVault, OrderSealer {
  state: 'open' | 'away' | 'erased' = 'open';
  isReceivingErased = false;

  keep(): never {
    throw new Error('processing keeps no card');
  }
  open(): Promise<Secret<Card>> {
    if (this.state === 'away') return Promise.reject(new VaultUnavailable('away'));
    return this.state === 'erased' ? Promise.reject(new CardErased('shredded')) : Promise.resolve(new Secret(CARD));
  }
  keepReceiving(): never {
    throw new Error('processing keeps no card');
  }
  openReceiving(): Promise<Secret<DestinationCard>> {
    return this.isReceivingErased ? Promise.reject(new CardErased('shredded')) : this.open();
  }
  shred(): Promise<void> {
    return Promise.resolve();
  }
  takeKey() {
    const id = 'key-1' as OrderKeyId;
    return Promise.resolve({ id, seal: (_merchant: string, field: string, text: string) => `sealed:${field}:${text.length}` as Sealed });
  }
  readonly texts = new Map<string, object | string>();

  unseal(_merchant: string, field: string): Promise<string | undefined> {
    if (this.state === 'away') return Promise.reject(new VaultUnavailable('away'));
    const texts = this.texts.get(field);
    return Promise.resolve(typeof texts === 'object' ? packTexts(texts) : texts);
  }
  erase(): Promise<void> {
    return Promise.resolve();
  }
  onceKey(kind: string, parts: readonly string[]): string {
    return Buffer.from(JSON.stringify([kind, ...parts])).toString('hex');
  }
  keyOf(): OrderKeyId {
    return 'key-1' as OrderKeyId;
  }
}
