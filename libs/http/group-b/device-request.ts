import type { Deadline, Instant, MerchantLogin } from '@app/kernel';
import type { CallerTrace } from '@app/event-store';
import type { GROUP_B_OPERATIONS, GroupBMessage, GroupBOperation, GroupBOperationName, SessionRequest } from '@app/gateway-protocol';
import type { Endpoint, Merchant } from '@app/configuration';
import type { DeviceOrderSeen } from '@app/read-models/queries';
import type { PerformMessage } from './perform-texts';

/** The values that the path of a request names (interface, section 4.2), as sent and not validated. */
export interface DevicePath {
  readonly endpointId: string;
  readonly invoiceId: string;
  /** Present for complete transfer alone. */
  readonly assignedId?: string;
}

/** A request whose members fit its message class; its sender is not authenticated yet. */
export interface DeviceRequest<Message> {
  readonly operation: GroupBOperation;
  readonly path: DevicePath;
  readonly message: Message;
  /** The request's own serial-number, in the log and as the command id of its events (architecture, rule 2). */
  readonly serial: string;
  /** Absent where the request brought none. */
  readonly callerTrace?: CallerTrace | undefined;
  /** At the deadline the caller is answered, whatever is unavailable. */
  readonly deadline?: Deadline | undefined;
  readonly receivedAt: Instant;
}

/** The values that the signature of a perform covers (interface, section 5.3). */
export interface SignedValues {
  readonly accessToken: string;
  readonly serialNumber: string;
  readonly endpointId: string;
  readonly nonce: string;
  readonly invoiceId: string;
  readonly currency: string;
  /** Absent for a verification, which moves no money. */
  readonly amountCentis?: number;
}

/** A perform whose signature was made with its merchant's control key. */
export interface SignedRequest<Message extends PerformMessage = PerformMessage> extends DeviceRequest<Message> {
  readonly kind: 'signed';
  readonly merchant: MerchantLogin;
  readonly account: Merchant;
  readonly endpoint: Endpoint;
  readonly signed: SignedValues;
}

/** A request whose session token is that of an accepted order. */
export interface RequestInSession extends DeviceRequest<SessionRequest> {
  readonly kind: 'in-session';
  readonly merchant: MerchantLogin;
  readonly order: DeviceOrderSeen;
}

/** A request whose sender is authenticated. */
export type AuthenticRequest = SignedRequest | RequestInSession;

/** The request that a method of this operation takes. */
export type RequestOf<Name extends GroupBOperationName> = (typeof GROUP_B_OPERATIONS)[Name]['proof'] extends 'signature'
  ? SignedRequest<Extract<GroupBMessage<Name>, PerformMessage>>
  : RequestInSession;
