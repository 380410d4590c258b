import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import {
  isDeviceSignature,
  paymentSignature,
  verificationSignature,
  type ControlKey,
  type PerformCause,
  type SessionRequest,
  GROUP_B_OPERATIONS,
  type GroupBCause,
  type GroupBOperationName,
} from '@app/gateway-protocol';
import { controlKeysAt, type Accounts } from '@app/configuration';
import type { DeviceOrders } from '@app/read-models/queries';
import { exchangeOf } from '../request/exchange';
import type { DecoyKeys } from '../request/decoy-keys';
import { failed, type Cause, type Failed, type DeviceAnswer } from './device-answer';
import type {
  AuthenticRequest,
  DevicePath,
  DeviceRequest,
  RequestInSession,
  SignedRequest,
  SignedValues,
  RequestOf,
} from './device-request';
import { type DeviceExchange, GROUP_B, type DeviceOperationRow } from './device.exchange';
import type { PerformMessage } from './perform-texts';
import { servedBy } from '../request/served-by.decorator';

const signedOf = ({ consumer, session, transaction }: PerformMessage, { endpointId, invoiceId }: DevicePath): SignedValues => ({
  accessToken: session.accessToken,
  serialNumber: consumer.device.serialNumber,
  endpointId,
  nonce: session.nonce,
  invoiceId,
  currency: transaction.currency,
  ...('amountCentis' in transaction && { amountCentis: transaction.amountCentis }),
});

const signatureOf = ({ amountCentis, ...signed }: SignedValues, key: ControlKey): string =>
  amountCentis === undefined ? verificationSignature(signed, key) : paymentSignature({ ...signed, amountCentis }, key);

/** Authenticates a perform by the signature of the endpoint's merchant (interface, section 5.3). */
export class SignatureVerifier {
  constructor(
    private readonly accounts: Accounts,
    private readonly unknownMerchants: Pick<DecoyKeys, 'control'>,
  ) {}

  /** No calls to the merchant server here: an unauthenticated caller must not trigger one (safety, T19). */
  verify<Message extends PerformMessage>(request: DeviceRequest<Message>): SignedRequest<Message> | Failed<PerformCause> {
    const { operation, path, message, serial, callerTrace, deadline, receivedAt } = request;
    const entryPoint = this.accounts.entryPoint('endpoint', path.endpointId);
    const account = entryPoint && this.accounts.merchant(entryPoint.merchant);
    const signed = signedOf(message, path);
    // Also computed for an unknown endpoint, so that timing does not reveal which endpoints exist (safety, T10).
    const keys = controlKeysAt(account ?? this.unknownMerchants.control(undefined, path.endpointId), receivedAt);
    const signedWith = keys.find((key) => isDeviceSignature(signatureOf(signed, key), message.session.signature));
    if (entryPoint?.kind !== 'endpoint' || account === undefined || signedWith === undefined) {
      return failed('not-authentic', 'INVALID_REQUEST', 'session.signature is not valid');
    }
    const { endpoint } = entryPoint;
    const { login: merchant } = account;
    const authenticated = { merchant, account, endpoint, signed, signedWith };
    return { kind: 'signed', operation, path, message, serial, callerTrace, deadline, receivedAt, ...authenticated };
  }
}

/** Authenticates a request by the session of the order in its path (interface, section 4.2). */
export class SessionVerifier {
  constructor(
    private readonly accounts: Pick<Accounts, 'entryPoint'>,
    private readonly orders: DeviceOrders,
  ) {}

  /** @throws StoreUnavailable, BrokenChain */
  async verify(request: DeviceRequest<SessionRequest>): Promise<RequestInSession | Failed<Cause>> {
    const { operation, path, message, serial, callerTrace, deadline, receivedAt } = request;
    const { endpointId, invoiceId } = path;
    const named = { merchant: this.accounts.entryPoint('endpoint', endpointId)?.merchant, endpointId, invoiceId };
    const order = await this.orders.find(operation.operation, named, message.session, receivedAt, deadline);
    if (order !== undefined) {
      const { merchant } = order.view;
      return { kind: 'in-session', operation, path, message, serial, callerTrace, deadline, receivedAt, merchant, order };
    }
    const cause = operation.causes.includes('ORDER_NOT_FOUND') ? 'ORDER_NOT_FOUND' : 'INVALID_REQUEST';
    return failed('unknown-order', cause, 'No such order in this session');
  }
}

/** Runs before anything that could reveal data in a response (safety, T10 and T19). */
@Injectable()
export class SessionOrSignatureGuard implements CanActivate {
  constructor(
    @Inject(SignatureVerifier) private readonly signatures: Pick<SignatureVerifier, 'verify'>,
    @Inject(SessionVerifier) private readonly sessions: Pick<SessionVerifier, 'verify'>,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const exchange = exchangeOf(context) as DeviceExchange;
    const { arrived, request } = exchange;
    if (request === undefined) throw new Error('a request without its message');
    const verified =
      arrived.operation.proof === 'signature'
        ? this.signatures.verify(request as DeviceRequest<PerformMessage>)
        : this.sessions.verify(request as DeviceRequest<SessionRequest>);
    // Signatures need no I/O, so the hot path creates no promise.
    return verified instanceof Promise ? verified.then((resolved) => accept(exchange, resolved)) : accept(exchange, verified);
  }
}

const accept = (exchange: DeviceExchange, verified: AuthenticRequest | Failed<Cause>): true => {
  if (verified.kind === 'failed') return exchange.refuse(verified);
  exchange.authentic = verified;
  return true;
};

type ServesOne<Name extends GroupBOperationName> = (request: RequestOf<Name>) => Promise<DeviceAnswer<GroupBCause<Name>>>;

type MethodOf<Name extends GroupBOperationName> = Name extends `${infer Verb}-${infer Operation}`
  ? `${Verb}${Capitalize<Operation>}`
  : never;

/**
 * One method per operation: `implements ServesDevices<'perform-sale' | 'status-sale'>` requires `performSale` and
 * `statusSale`.
 */
export type ServesDevices<Names extends GroupBOperationName> = { readonly [Name in Names as MethodOf<Name>]: ServesOne<Name> };

/** Compiles only on the method named after the operation. */
type DecoratesOne<Name extends GroupBOperationName> = (
  target: object,
  method: MethodOf<Name>,
  descriptor: TypedPropertyDescriptor<ServesOne<Name>>,
) => void;

/**
 * Serves an operation at its path. Checks run in the order of protocol decisions, section 8: bytes, JSON, members,
 * authentication, rate.
 */
export const DeviceOperation = <Name extends GroupBOperationName>(name: Name): DecoratesOne<Name> => {
  const operation: DeviceOperationRow = GROUP_B_OPERATIONS[name];
  const { path: paths, bodyBytesMax } = operation;
  return servedBy(GROUP_B, { operation, paths, bodyBytesMax, proof: SessionOrSignatureGuard });
};
