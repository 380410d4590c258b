import type { Instant } from '@app/kernel';
import type { CallerTrace, RequestDeadline } from '@app/event-store';
import type { EntryPoint, Merchant, OperationName } from '@app/configuration';

/** The merchant that a request's signature proves, and the amount that the signature covers. */
export interface Sender {
  readonly entryPoint: EntryPoint;
  readonly merchant: Merchant;
  /** Zero where the request has no amount. */
  readonly amountMinor: bigint;
}

/** A request that passed every check before its operation's own rules (protocol decisions, D4.3). */
export interface AdmittedRequest<Message> extends Sender {
  readonly operation: OperationName;
  readonly message: Message;
  /** The request's own serial-number; under an Idempotency-Key, that of the first request with it. */
  readonly serial: string;
  /** Absent where the request has no traceparent. */
  readonly callerTrace?: CallerTrace | undefined;
  readonly receivedAt: Instant;
  /** Absent where the request has none, or its operation changes nothing (protocol decisions, D10.7). */
  readonly idempotencyKey?: string | undefined;
  /** When its caller is answered at the latest. */
  readonly deadline: RequestDeadline;
}
