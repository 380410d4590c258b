import type { Deadline, Instant, MerchantLogin } from '@app/kernel';
import type { CallerTrace } from '@app/event-store';
import type { GROUP_B_OPERATIONS, GroupBMessage, GroupBOperation, GroupBOperationName, SessionRequest } from '@app/gateway-protocol';
import type { Endpoint, Merchant } from '@app/configuration';
import type { DeviceOrderSeen } from '@app/order-queries';
import type { PerformMessage } from './perform/perform-texts';

/** What a path of the device interface names (interface, section 4.2); as sent, and not yet looked at. */
export interface DevicePath {
  readonly endpointId: string;
  readonly invoiceId: string;
  /** Of complete transfer alone. */
  readonly assignedId?: string;
}

/** A request whose members are those of its message; nobody knows yet who sent it. */
export interface DeviceRequest<Message> {
  readonly operation: GroupBOperation;
  readonly path: DevicePath;
  readonly message: Message;
  /** The request's own serial-number: in the log, and the command of what it makes (architecture, rule 2). */
  readonly serial: string;
  /** Absent where the request brought none. */
  readonly callerTrace?: CallerTrace | undefined;
  /** When its caller is answered. */
  readonly deadline?: Deadline | undefined;
  readonly receivedAt: Instant;
}

/** What a perform is signed over (interface, section 5.3). */
export interface SignedValues {
  readonly accessToken: string;
  readonly serialNumber: string;
  readonly endpointId: string;
  readonly nonce: string;
  readonly invoiceId: string;
  readonly currency: string;
  /** Absent of a verification, which moves nothing. */
  readonly amountCentis?: number;
}

/** A request that its merchant's key signed. */
export interface SignedRequest<Message extends PerformMessage = PerformMessage> extends DeviceRequest<Message> {
  readonly kind: 'signed';
  readonly merchant: MerchantLogin;
  readonly account: Merchant;
  readonly endpoint: Endpoint;
  readonly signed: SignedValues;
}

/** A request in the session of an order that was performed. */
export interface RequestInSession extends DeviceRequest<SessionRequest> {
  readonly kind: 'in-session';
  readonly merchant: MerchantLogin;
  readonly order: DeviceOrderSeen;
}

/** A request of which it is known who sent it. */
export type AdmittedRequest = SignedRequest | RequestInSession;

/** What the method that serves an operation is given. */
export type RequestOf<Name extends GroupBOperationName> = (typeof GROUP_B_OPERATIONS)[Name]['proof'] extends 'signature'
  ? SignedRequest<Extract<GroupBMessage<Name>, PerformMessage>>
  : RequestInSession;
