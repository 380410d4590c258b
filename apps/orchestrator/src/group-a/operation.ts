import type { Instant } from '@app/kernel';
import type { ControlKey, Form, RefusalName } from '@app/gateway-protocol';
import type { EntryPoint, Merchant, OperationName } from '@app/merchant-accounts';

/** A request whose form, entry point, login and checksum hold, and whose fields are within their limits. */
export interface AdmittedRequest<Message> {
  readonly message: Message;
  readonly entryPoint: EntryPoint;
  readonly merchant: Merchant;
  /** The request's own serial-number. */
  readonly serial: string;
  /** Zero where the operation has no amount. */
  readonly amountMinor: bigint;
  readonly receivedAt: Instant;
}

export type Answer = { readonly kind: 'answer'; readonly pairs: readonly (readonly [string, string])[] } | Refused;

export interface Refused {
  readonly kind: 'refused';
  readonly name: RefusalName;
  readonly message?: string;
  /** Told in whole seconds, for a request that was one too many. */
  readonly retryAfterMs?: number;
}

export const refused = (name: RefusalName, message?: string): Refused => ({
  kind: 'refused',
  name,
  ...(message !== undefined && { message }),
});

/** What the checksum is made of, before any other field was looked at. */
export interface Signed {
  readonly form: Form;
  /** End point id or group id, as it stands in the path. */
  readonly entryPointId: string;
  readonly amountMinor: bigint;
  readonly rebillControl: Merchant['rebillControl'];
}

/** One operation of Group A: how it is signed, what its message is, and what it does (interface, sections 4.1 and 5.1). */
export interface GroupAOperation<Message extends object> {
  /** As in an entry point's `operations`, and in metrics. */
  readonly name: OperationName;
  readonly message: new () => Message;
  /** Group A names the merchant by login, initial payments by their entry point alone. */
  readonly hasLogin: boolean;
  readonly hasAmount: boolean;
  isSigned(signed: Signed, key: ControlKey): boolean;
  perform(request: AdmittedRequest<Message>): Promise<Answer>;
}
