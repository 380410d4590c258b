import { formatAmount } from '@app/kernel/values/money';
import { printable } from '@app/kernel/values/printable';
import type { Instant, Money, Sealed } from '@app/kernel';
import type { CardRegistrationEvent } from '@app/card-registration/events';
import type { DeliveryEvent } from '@app/callbacks/events';
import type { DeviceVerificationEvent } from '@app/device-verification/events';
import type { PaymentEvent } from '@app/payment/events';
import type { CaseEvent } from '@app/reconciliation/events';
import type { RecurringEvent } from '@app/recurring/events';
import type { TransferEvent } from '@app/transfer/events';
import type { ApprovalEvent } from '../approvals/events';
import type { ErasureEvent } from '../erasure/events';
import type { OperatorAuditEvent } from '../record/operator-audit.events';

/** `[sealed]`, `[erased]`, or the unsealed text: whole, or by field. */
export type ShownText = string | Readonly<Record<string, string>>;

/** Event data as the audit shows them: times in ISO 8601, integers without a limit as text, sealed texts marked or unsealed. */
export type Shown<Data> = Data extends bigint | Instant
  ? string
  : Data extends Sealed
    ? ShownText
    : Data extends string | number | boolean | undefined
      ? Data
      : { [Name in keyof Data]: Shown<Data[Name]> };

export type ShownOf<Event> = Event extends { readonly type: string; readonly data: object }
  ? { readonly type: Event['type']; readonly data: Shown<Event['data']> }
  : never;

/** Every event of an order's audit trail. */
export type TrailEvent = ShownOf<
  | PaymentEvent
  | RecurringEvent
  | DeviceVerificationEvent
  | TransferEvent
  | CardRegistrationEvent
  | DeliveryEvent
  | ErasureEvent
  | CaseEvent
  | ApprovalEvent
  | OperatorAuditEvent
>;

/** `good`, `bad` and `waiting` for the reader's side: an approval, a decline, something still open. */
type WordsTone = 'plain' | 'strong' | 'good' | 'bad' | 'waiting';

/** What an event says, for people. */
export interface EventWords {
  readonly title: string;
  readonly facts: readonly string[];
  readonly tone: WordsTone;
}

/** For people: `2026-01-31 23:59:59.123Z`, from ISO 8601 in UTC. */
export const timeText = (iso: string): string => iso.replace('T', ' ');
export const textOf = (text: ShownText): string =>
  printable(
    typeof text === 'string'
      ? text
      : Object.entries(text)
          .map(([name, value]) => `${name} ${value}`)
          .join(', '),
  );
export const reasonFacts = (reason: ShownText | undefined): readonly string[] => (reason === undefined ? [] : [`reason ${textOf(reason)}`]);

/** `87.10 EUR`. */
export const sum = ({ minor, currency }: Shown<Money>): string => `${formatAmount(BigInt(minor))} ${currency}`;
