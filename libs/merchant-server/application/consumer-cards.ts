import type { MerchantLogin, Sealed } from '@app/kernel';
import type { TextSealer } from '@app/card-vault';
import { load, runDecision, type Envelope } from '@app/event-store';
import type { Product } from '@app/configuration';
import type { ClientCardId, InvoiceId } from '../domain/terms';
import { type RecordedSum, wallet } from '../domain/wallet';
import { digestOf } from './random-text';
import type { MerchantServerPorts } from './ports';
import { invoice, type InvoiceCard, type Invoice } from '../domain/invoice';
import { invoiceCodec, invoiceStream, walletStream, walletCodec } from '../merchant-server.codec';
import { consumerAtDevice } from './consumer-at-device';
import { envelopeOf } from './envelope';

const FIELD = 'random sum';
/** The digits of Number.MAX_SAFE_INTEGER, so that the sealed length does not reveal the sum. */
const DIGITS = 16;

/** Seals a random sum in minor units: anyone who knows it can pass for the cardholder (safety, T36). */
export const sealSum = (sealer: TextSealer, merchant: MerchantLogin, centis: number): Sealed =>
  sealer.seal(merchant, FIELD, String(centis).padStart(DIGITS, '0'));

export const openSum = (sealer: TextSealer, merchant: MerchantLogin, sealed: Sealed): number =>
  Number(sealer.unseal(merchant, FIELD, sealed));

/** Adds a digest that distinguishes two sums of one card. Equal sums of two cards have different digests. */
const recordedSum = (
  { digests, sealer }: Pick<MerchantServerPorts, 'digests' | 'sealer'>,
  merchant: MerchantLogin,
  card: ClientCardId,
  centis: number,
): RecordedSum => ({ digest: digestOf(digests, 'random sum', merchant, card, String(centis)), sealed: sealSum(sealer, merchant, centis) });

export interface InvoiceOfConsumer {
  readonly product: Product;
  readonly invoiceId: InvoiceId;
  readonly accessToken: string;
  readonly serialNumber: string;
}

type InvoiceCards =
  | { readonly kind: 'found'; readonly source?: InvoiceCard; readonly destination?: InvoiceCard }
  /** A wrong token, another device, or another consumer's invoice. */
  | { readonly kind: 'forbidden' };

type RandomSumResult = { readonly kind: 'recorded' } | { readonly kind: 'no-card-yet' } | { readonly kind: 'forbidden' };

export class ConsumerCards {
  constructor(private readonly ports: MerchantServerPorts) {}

  /**
   * The ids for reusing the cards, as far as they are mapped.
   * @throws StoreUnavailable, OutcomeUnknown
   */
  async of(request: InvoiceOfConsumer): Promise<InvoiceCards> {
    const found = await this.invoiceOf(request, envelopeOf(this.ports, 'device', request.product.login));
    if (found === undefined) return { kind: 'forbidden' };
    return { kind: 'found', ...(found.status === 'mapped' && found.cards) };
  }

  /**
   * Records the sum from the statement of the card that paid the invoice.
   * @throws StoreUnavailable, OutcomeUnknown
   */
  async recordRandomSum(request: InvoiceOfConsumer, randomSumCentis: number): Promise<RandomSumResult> {
    const { store, clock } = this.ports;
    const { login } = request.product;
    const envelope = envelopeOf(this.ports, 'device', login);
    const found = await this.invoiceOf(request, envelope);
    if (found === undefined) return { kind: 'forbidden' };
    if (found.status !== 'mapped' || found.cards.source === undefined) return { kind: 'no-card-yet' };
    const { clientCardId } = found.cards.source;
    const result = await runDecision({
      store,
      codec: walletCodec,
      decider: wallet,
      stream: walletStream(login, found.consumer),
      command: {
        type: 'RecordRandomSum',
        data: { clientCardId, sum: recordedSum(this.ports, login, clientCardId, randomSumCentis), now: clock.now() },
      },
      envelope,
    });
    return result.kind === 'appended' || result.rejection.reason === 'nothing-new' ? { kind: 'recorded' } : { kind: 'forbidden' };
  }

  private async invoiceOf(
    { product, invoiceId, ...shown }: InvoiceOfConsumer,
    envelope: Envelope,
  ): Promise<Exclude<Invoice, { status: 'none' }> | undefined> {
    const consumer = await consumerAtDevice(this.ports, product, shown, envelope);
    if (consumer === undefined) return undefined;
    const { state } = await load(this.ports.store, invoiceStream(product.login, invoiceId), invoice, invoiceCodec);
    return state.status === 'none' || state.consumer !== consumer.consumer ? undefined : state;
  }
}
