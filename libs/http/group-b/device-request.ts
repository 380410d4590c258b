import type { Deadline, Instant, MerchantLogin } from '@app/kernel';
import type { CallerTrace } from '@app/event-store';
import type {
  ControlKey,
  GROUP_B_OPERATIONS,
  GroupBMessage,
  GroupBOperation,
  GroupBOperationName,
  SessionRequest,
} from '@app/gateway-protocol';
import type { Endpoint, Merchant } from '@app/configuration';
import type { DeviceOrderSeen } from '@app/read-models/queries';
import type { PerformMessage } from './perform-texts';

export interface DevicePath {
  readonly endpointId: string;
  readonly invoiceId: string;
  readonly assignedId?: string;
}

/** A valid message whose sender is not authenticated yet. */
export interface DeviceRequest<Message> {
  readonly operation: GroupBOperation;
  readonly path: DevicePath;
  readonly message: Message;
  /** In the log and as the command id of its events (architecture, rule 2). */
  readonly serial: string;
  readonly callerTrace?: CallerTrace | undefined;
  readonly deadline?: Deadline | undefined;
  readonly receivedAt: Instant;
}

/** Values covered by the signature of a perform (interface, section 5.3). */
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

/** A perform with a verified signature. */
export interface SignedRequest<Message extends PerformMessage = PerformMessage> extends DeviceRequest<Message> {
  readonly kind: 'signed';
  readonly merchant: MerchantLogin;
  readonly account: Merchant;
  readonly endpoint: Endpoint;
  readonly signed: SignedValues;
  readonly signedWith: ControlKey;
}

export interface RequestInSession extends DeviceRequest<SessionRequest> {
  readonly kind: 'in-session';
  readonly merchant: MerchantLogin;
  readonly order: DeviceOrderSeen;
}

export type AuthenticRequest = SignedRequest | RequestInSession;

export type RequestOf<Name extends GroupBOperationName> = (typeof GROUP_B_OPERATIONS)[Name]['proof'] extends 'signature'
  ? SignedRequest<Extract<GroupBMessage<Name>, PerformMessage>>
  : RequestInSession;
