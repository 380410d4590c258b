import type { Instant } from '@app/kernel';
import type { CallerTrace, RequestDeadline } from '@app/event-store';
import type { EntryPoint, Merchant, OperationName } from '@app/configuration';

/** Who sent a request, as its signature proves. */
export interface Sender {
  readonly entryPoint: EntryPoint;
  readonly merchant: Merchant;
  /** Zero where the request has no amount. */
  readonly amountMinor: bigint;
}

/** A request whose form, entry point, sender and signature hold, and whose fields are within their limits. */
export interface AdmittedRequest<Message> extends Sender {
  readonly operation: OperationName;
  readonly message: Message;
  /** The request's own serial-number; under an Idempotency-Key, that of the first request with it. */
  readonly serial: string;
  /** Absent where the request brought none. */
  readonly callerTrace?: CallerTrace | undefined;
  readonly receivedAt: Instant;
  /** Absent where the request brought none, or its operation changes nothing (protocol decisions, section 10). */
  readonly idempotencyKey?: string | undefined;
  /** When its caller is answered. */
  readonly deadline: RequestDeadline;
}
