import { unreachable, type GateAlias, type MerchantLogin } from '@app/kernel';
import type { StreamName, WorkChange, WorkItem } from '@app/event-store';
import { workLane } from '@app/orders';
import type { CardRegistrationEvent } from '../domain/card-registration.events';

/** The members of an event of a card reference that the fold uses. */
export interface GateTokenNews {
  readonly stream: StreamName;
  readonly metadata: { readonly merchant: string };
  readonly event: CardRegistrationEvent;
}

const keyOf = (stream: StreamName, gate: GateAlias): string => `${stream}@${gate}`;

/** The gate that a work item is about. */
export const wantedGateOf = ({ key, stream }: Pick<WorkItem, 'key' | 'stream'>): GateAlias => key.slice(stream.length + 1) as GateAlias;

/** The memory of `KeepGateToken`: one wake-up for each token that is wanted of a gate (architecture, rule 9). */
export const gateTokenWork = ({ stream, metadata, event }: GateTokenNews): readonly WorkChange[] => {
  switch (event.type) {
    case 'GateTokenWanted': {
      const { gate, wantedAt: dueAt } = event.data;
      const merchant = metadata.merchant as MerchantLogin;
      const item = { key: keyOf(stream, gate), stream, task: 'keep-gate-token', dueAt, merchant, lane: workLane(merchant, gate) };
      return [{ kind: 'due', item }];
    }
    case 'GateTokenKept':
    case 'GateTokenRefused':
      return [{ kind: 'done', key: keyOf(stream, event.data.gate) }];
    case 'CardReferenceIssued':
    case 'NetworkTransactionKept':
    case 'CardShredded':
      return [];
    default:
      return unreachable(event);
  }
};
