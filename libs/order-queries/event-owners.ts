import { orderKeyOf, type OrderKeyId } from '@app/card-vault';
import { categoryOf, metadataOf, type FieldEntry, type StoredEvent, type StreamName } from '@app/event-store';
import type { Sealed } from '@app/kernel';
import { routingStream, screeningStream } from '@app/order-processing';
import { EVENT_CODECS } from './event-codecs';

/**
 * Whose the streams of a category are. merchant: of the merchant that the metadata of each of their events name. rules: of every merchant whose orders name
 * them, for their name is a digest of what they say. installation: of the log that they lie in, whatever merchant they tell of.
 */
export type EventOwner = 'merchant' | 'rules' | 'installation';

/** A category has to be answered for before it is written: a spec holds this against the codecs. */
export const EVENT_OWNERS: Readonly<Record<string, EventOwner>> = {
  payment: 'merchant',
  recurring: 'merchant',
  deviceVerification: 'merchant',
  transfer: 'merchant',
  cardReference: 'merchant',
  delivery: 'merchant',
  // Counts of one merchant's cards and addresses: the digest in the name is made with its login.
  velocity: 'merchant',
  randomSum: 'merchant',
  // Nonces and Idempotency-Keys: where they stayed behind, a request could be used once more.
  once: 'merchant',
  erasure: 'merchant',
  routing: 'rules',
  screening: 'rules',
  // Numbers that this log has given: another log gives its own.
  serial: 'installation',
  // What people did and asked here, a stream for each process.
  operator: 'installation',
  // Cases of the settlement files that were read here.
  reconciliation: 'installation',
  configuration: 'installation',
};

/** Undefined for a category that this release does not know. */
export const ownerOf = (stream: StreamName): EventOwner | undefined => {
  const category = categoryOf(stream);
  return Object.hasOwn(EVENT_OWNERS, category) ? EVENT_OWNERS[category] : undefined;
};

/** The login in an event's metadata; undefined where they name none or are not those of this service. */
export const merchantOf = (event: Pick<StoredEvent, 'metadata'>): string | undefined => {
  try {
    const { merchant } = metadataOf(event) as { readonly merchant?: unknown };
    return typeof merchant === 'string' && merchant !== '' ? merchant : undefined;
  } catch {
    return undefined;
  }
};

type Data = Readonly<Record<string, unknown>>;
const dataOf = ({ data }: StoredEvent): Data => JSON.parse(data) as Data;

/** The streams of the rules that an order was accepted under; empty for every other event. */
export const rulesNamedBy = (event: StoredEvent): readonly StreamName[] => {
  if (event.type !== 'OrderAccepted') return [];
  const { screening, route } = (dataOf(event)['plan'] ?? {}) as { screening?: string; route?: { rulesVersion?: string } };
  return [
    ...(screening === undefined ? [] : [screeningStream(screening)]),
    ...(route?.rulesVersion === undefined ? [] : [routingStream(route.rulesVersion)]),
  ];
};

const SEALED_FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  EVENT_CODECS.flatMap((codec) => codec.describe()).map(({ category, type, fields }) => [
    `${category}.${type}`,
    fields.filter(({ kind }: FieldEntry) => kind === 'sealed').map(({ path }) => path),
  ]),
);

/** The keys of all texts that an event holds sealed. Of a category of merchants every such field is a member of the data itself. */
export const orderKeysIn = (event: StoredEvent): readonly OrderKeyId[] => {
  const fields = SEALED_FIELDS.get(`${categoryOf(event.stream)}.${event.type}`) ?? [];
  if (fields.length === 0) return [];
  const data = dataOf(event);
  return fields.flatMap((field) => {
    const text = data[field];
    return typeof text === 'string' ? [orderKeyOf(text as Sealed)] : [];
  });
};
