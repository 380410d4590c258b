import type { Currency } from '@app/kernel';
import { runOpeningDecision } from '@app/event-store';
import { productEndpointFor, type Product } from '@app/configuration';
import type { InvoiceId } from '../domain/terms';
import { invoice, type InvoiceOrder } from '../domain/invoice';
import { invoiceCodec, invoiceStream } from '../merchant-server.codec';
import { consumerAtDevice } from './consumer-at-device';
import { digestOf, randomText } from './random-text';
import { envelopeOf } from './envelope';
import type { MerchantServerPorts, InvoiceSignatures, SignedInvoice } from './ports';

export interface InvoiceRequest {
  readonly product: Product;
  readonly accessToken: string;
  readonly serialNumber: string;
  readonly order: InvoiceOrder;
}

export type OpenedInvoice =
  | (Pick<SignedInvoice, 'endpointId' | 'invoiceId' | 'nonce'> & { readonly kind: 'opened'; readonly signature: string })
  /** A wrong access token, or another device's. */
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'currency-not-served' };

const currencyOf = (order: InvoiceOrder): Currency => (order.operation === 'verification' ? order.currency : order.amount.currency);

/** Opens an invoice for a device's operation (interface, section 4.4). */
export class OpenInvoiceHandler {
  constructor(
    private readonly ports: MerchantServerPorts,
    private readonly signatures: InvoiceSignatures,
  ) {}

  /** @throws StoreUnavailable, OutcomeUnknown */
  async handle({ product, accessToken, serialNumber, order }: InvoiceRequest): Promise<OpenedInvoice> {
    const { store, digests, sealer, clock, ids, random } = this.ports;
    const { login } = product;
    const envelope = envelopeOf(this.ports, 'device', login);
    const consumer = await consumerAtDevice(this.ports, product, { accessToken, serialNumber }, envelope);
    if (consumer === undefined) return { kind: 'forbidden' };
    const endpoint = productEndpointFor(product, order.operation, currencyOf(order));
    if (endpoint === undefined) return { kind: 'currency-not-served' };

    const { id: endpointId } = endpoint;
    const invoiceId = ids.next() as InvoiceId;
    const nonce = randomText(random);
    const result = await runOpeningDecision({
      store,
      codec: invoiceCodec,
      decider: invoice,
      stream: invoiceStream(login, invoiceId),
      command: {
        type: 'OpenInvoice',
        data: {
          ...consumer,
          merchant: login,
          invoiceId,
          order,
          endpointId,
          nonce: digestOf(digests, 'nonce', login, nonce),
          sealedNonce: sealer.seal(login, 'nonce', nonce),
          now: clock.now(),
        },
      },
      envelope,
    });
    if (result.kind === 'rejected') throw new Error(`invoice: ${result.rejection.reason}`);
    const signature = this.signatures.sign(product, { accessToken, serialNumber, endpointId, nonce, invoiceId, order });
    return { kind: 'opened', endpointId, invoiceId, nonce, signature };
  }
}
