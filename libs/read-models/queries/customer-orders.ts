import { issuedReference } from '@app/card-registration';
import { positionLike, readChained, type EventStore, type StreamName, metadataOf, type Position } from '@app/event-store';
import type { CardHandle, CardRefId, MerchantLogin, Deadline, Sealed } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { orderTexts } from '@app/orders';
import { SEALED_FIELDS } from '@app/orders/domain';
import type { CardReferenceQueries } from '../card-reference/card-reference.queries';
import { decodeAny } from './event-codecs';
import { namedStream } from './order-stream';
import { ORDER_STATUS_CATEGORIES } from '../order-status/order-status.table';

interface CardOwner {
  readonly stream: StreamName;
  readonly handle: CardHandle;
}

export interface CardOwnerSources {
  readonly log: Pick<EventStore, 'read'>;
  readonly readModel: { readonly cardReferences: Pick<CardReferenceQueries, 'byReference'> };
}

/** Limit on a chain of recurrent payments that each registered the card again. */
const STEPS_MAX = 100;

/**
 * Undefined if this merchant has no such reference.
 * @throws BrokenChain, StoreUnavailable
 */
export const ownerOfCard = async (
  { log, readModel }: CardOwnerSources,
  merchant: MerchantLogin,
  cardRefId: CardRefId,
): Promise<CardOwner | undefined> => {
  let wanted = cardRefId;
  for (let step = 0; step < STEPS_MAX; step++) {
    // The stream of an ended reference no longer names its order; its row does.
    const reference =
      (await issuedReference(log, merchant, wanted)) ?? (await readModel.cardReferences.byReference(merchant, wanted))?.view;
    if (reference === undefined) return undefined;
    const stream = namedStream(reference.orderKind, merchant, reference.clientOrderId);
    const given = await givenReference(log, stream);
    if (given === undefined) return { stream, handle: reference.card.handle };
    wanted = given;
  }
  throw new Error(`${cardRefId}: its card was registered again more than ${STEPS_MAX} times`);
};

const givenReference = async (log: Pick<EventStore, 'read'>, stream: StreamName): Promise<CardRefId | undefined> => {
  for await (const stored of readChained(log, stream)) {
    const event = decodeAny(stored);
    return event === undefined ? undefined : (event.data as { readonly cardRefId?: CardRefId }).cardRefId;
  }
  return undefined;
};

export interface CustomerOrdersSources {
  readonly log: Pick<EventStore, 'subscribe' | 'comparePositions' | 'head'>;
  readonly sealer: Pick<OrderSealer, 'unseal'>;
  readonly openedMax?: number;
}

interface CustomerOrdersPage {
  readonly streams: readonly StreamName[];
  readonly next: string | undefined;
}

const TEXTS_OPENED_MAX = 2_000;
const EVENTS_PASSED_MAX = 50_000;
const NAMING = ['email', 'phone', 'cellPhone'] as const;

/** Ignores case, outer spaces and the punctuation of telephone numbers. */
const asCompared = (text: string): string => {
  const trimmed = text.trim().toLowerCase();
  return trimmed.includes('@') ? trimmed : trimmed.replaceAll(/[^\da-z]/g, '');
};

/**
 * A page of one payer's orders at one merchant, by e-mail address or telephone number. Customers are sealed, so there is no index and each
 * is opened. Erased texts are not found.
 * @returns undefined if `after` is not the `next` of an earlier page
 * @throws StoreUnavailable, VaultUnavailable
 */
export const customerOrders = async (
  { log, sealer, openedMax = TEXTS_OPENED_MAX }: CustomerOrdersSources,
  merchant: MerchantLogin,
  customer: string,
  after?: string,
  deadline?: Deadline,
): Promise<CustomerOrdersPage | undefined> => {
  if (after !== undefined && !(await isPosition(log, after))) return undefined;
  const wanted = asCompared(customer);
  // A number of punctuation only would match every customer who gave none.
  if (wanted === '') return { streams: [], next: undefined };
  const streams = new Set<StreamName>();
  const subscription = log.subscribe(ORDER_STATUS_CATEGORIES, (after as Position | undefined) ?? 'start');
  let opened = 0;
  let passed = 0;
  try {
    for await (const item of subscription) {
      if (item.kind === 'caught-up') return { streams: [...streams], next: undefined };
      if (item.kind !== 'event') continue;
      passed += 1;
      const { event: stored } = item;
      // Searching the text is cheaper than decoding the event.
      if (stored.data.includes('"customer":') && metadataOf(stored).merchant === merchant) {
        const sealed = (decodeAny(stored)?.data as { readonly customer?: Sealed } | undefined)?.customer;
        if (sealed !== undefined) {
          opened += 1;
          const texts = await orderTexts(sealer, { merchant, field: SEALED_FIELDS.customer, sealed, deadline });
          if (NAMING.some((name) => asCompared(texts.get(name) ?? '') === wanted)) streams.add(stored.stream);
        }
      }
      if (opened >= openedMax || passed >= EVENTS_PASSED_MAX || deadline?.isOver === true)
        return { streams: [...streams], next: stored.position };
    }
  } finally {
    await subscription.cancel();
  }
  throw new Error('the subscription ended by itself');
};

const isPosition = async (log: Pick<EventStore, 'comparePositions' | 'head'>, text: string): Promise<boolean> => {
  const head = await log.head();
  const position = positionLike(head, text);
  return position !== undefined && log.comparePositions(position, head) <= 0;
};
