import type { Deadline, EndpointId, Instant, OrderId } from '@app/kernel';
import type { ControlKey, RefusalName, SignedFields } from '@app/gateway-protocol';
import type { CallerTrace } from '@app/event-store';
import type { EntryPoint, Merchant, OperationName } from '@app/configuration';

/** A request whose form, entry point, sender and signature hold, and whose fields are within their limits. */
export interface AdmittedRequest<Message> {
  readonly message: Message;
  readonly entryPoint: EntryPoint;
  readonly merchant: Merchant;
  /** The request's own serial-number; under an Idempotency-Key, that of the first request with it. */
  readonly serial: string;
  /** Absent where the request brought none. */
  readonly callerTrace?: CallerTrace | undefined;
  /** When its caller is answered. */
  readonly deadline?: Deadline | undefined;
  /** Zero where the request has no amount. */
  readonly amountMinor: bigint;
  readonly receivedAt: Instant;
}

/** An order, or a follow-up of one, was taken in; its outcome comes by status or callback (interface, section 2.4). */
export interface Accepted {
  readonly kind: 'accepted';
  readonly clientOrderId: string;
  readonly orderId: OrderId;
  /** Where the operation's answer says it. */
  readonly endpointId?: EndpointId;
}

export interface Refused {
  readonly kind: 'refused';
  readonly name: RefusalName;
  readonly message?: string;
  /** Told in whole seconds, for a request that was one too many. */
  readonly retryAfterMs?: number;
}

export type Answer = { readonly kind: 'answer'; readonly pairs: readonly (readonly [string, string])[] } | Accepted | Refused;

export const refused = (name: RefusalName, message?: string): Refused => ({
  kind: 'refused',
  name,
  ...(message !== undefined && { message }),
});

/** What the checksum is made of, before any other field was looked at. */
export interface Signed {
  readonly form: SignedFields;
  /** End point id or group id, as it stands in the path. */
  readonly entryPointId: string;
  /** Zero where the request has no amount. */
  readonly amountMinor: bigint;
  readonly rebillControl: Merchant['rebillControl'];
  readonly deadline?: Deadline | undefined;
}

/** A checksum under the merchant's control key (interface, section 5.1). */
export interface ControlProof {
  readonly kind: 'control';
  /** Group A names the merchant by login, initial payments by their entry point alone. */
  readonly hasLogin: boolean;
  isSigned(signed: Signed, key: ControlKey): boolean | Promise<boolean>;
}

/** How a request proves who sent it: by a checksum, or by a signature of the whole in the Authorization header (interface, section 5). */
export type Proof = ControlProof | { readonly kind: 'oauth' };
export const OAUTH_PROOF: Proof = { kind: 'oauth' };

/** What the log holds of a request for a change. */
export interface ExistingAnswer {
  readonly accepted: Accepted;
  /** False where an earlier request made it, which this one only repeats. */
  readonly isOfThisRequest: boolean;
}

/** One operation of Group A: how it is signed, what its message is, and what it does (interface, sections 4.1 and 5). */
export interface GroupAOperation<Message extends object> {
  /** As in an entry point's `operations`, and in metrics. */
  readonly name: OperationName;
  readonly message: new () => Message;
  readonly proof: Proof;
  readonly amount: 'none' | 'required' | 'optional';
  perform(request: AdmittedRequest<Message>): Promise<Answer>;
  /**
   * Of an operation that changes something, and so honours an Idempotency-Key: what the log holds of a request with this serial, or of the order
   * that it names. Undefined where there is nothing yet.
   */
  existing?(request: AdmittedRequest<Message>): Promise<ExistingAnswer | undefined>;
}
