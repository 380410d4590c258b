import type { StoredEvent, StreamName } from '@app/event-store';
import type { ClientOrderId, Instant, MerchantLogin, OrderId, OrderKind } from '@app/kernel';
import type { SignedCheckpoint } from '../log-proofs/checkpoint';

/** What JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** An event with its proof: its place in the log's tree, and the path from there to the root of the checkpoint. */
export interface ProvenEvent {
  readonly event: StoredEvent;
  readonly index: number;
  readonly path: readonly Uint8Array[];
}

/** A stream of which the pack has events. */
export interface EvidenceStream {
  readonly name: StreamName;
  /** True where the pack has every event that the stream had at that time, so that one that is missing shows. */
  readonly isWhole: boolean;
}

/** One line of the printed timeline. */
export interface TimelineEntry {
  readonly at: Instant;
  /** What the event is about: the order, a card reference, a delivery, an operator. */
  readonly of: string;
  readonly type: string;
  readonly actor: string;
  /** Its data, with what is sealed or charges a card left out. */
  readonly details: Json;
}

/** All that a pack says of one order, as it was at one time. */
export interface Evidence {
  readonly order: {
    readonly merchant: MerchantLogin;
    readonly orderId: OrderId;
    readonly clientOrderId: ClientOrderId;
    readonly kind: OrderKind;
  };
  /** Events that were recorded later are not in the pack. */
  readonly at: Instant;
  readonly streams: readonly EvidenceStream[];
  /** In the order of the tree. */
  readonly events: readonly ProvenEvent[];
  /** Covers all of the events. */
  readonly checkpoint: SignedCheckpoint;
  /** What the service says of the order: states, consumer, authentication, fees and the like. */
  readonly facts: { readonly [name: string]: Json };
  readonly timeline: readonly TimelineEntry[];
}
