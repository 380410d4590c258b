import {
  gatewayPath,
  PerformSaleRequest,
  PerformTransferRequest,
  PerformVerificationRequest,
  readDeviceMessage,
  type DeviceOperation,
} from '@app/gateway-protocol';
import type { UpstreamRequest } from '../wire/upstream-request';

/** One order of ours at the upstream gateway's device interface. */
export interface DeviceTransaction {
  readonly operation: DeviceOperation;
  readonly endpointId: string;
  readonly invoiceId: string;
}

const MESSAGES: Readonly<Record<DeviceOperation, new () => object>> = {
  verification: PerformVerificationRequest,
  sale: PerformSaleRequest,
  transfer: PerformTransferRequest,
};

const jsonRequest = (path: string, body: object): UpstreamRequest => ({
  method: 'POST',
  path: `/${path}`,
  headers: { 'content-type': 'application/json;charset=utf-8', accept: 'application/json' },
  body: JSON.stringify(body),
});

/** Perform (interface, section 4.5); undefined for a body that breaks a constraint of the interface, which the gateway would refuse. */
export const performRequest = (transaction: DeviceTransaction, body: object): UpstreamRequest | undefined =>
  'refused' in readDeviceMessage(MESSAGES[transaction.operation], body)
    ? undefined
    : jsonRequest(gatewayPath.perform(transaction.operation, transaction), body);

/** What status and complete are authorised by (interface, section 4.2). */
export interface RunningSession {
  readonly accessToken: string;
  readonly token: string;
}

export const statusRequest = (transaction: DeviceTransaction, session: RunningSession): UpstreamRequest =>
  jsonRequest(gatewayPath.status(transaction.operation, transaction), { session });

/** Complete transfer (interface, section 4.2). */
export const completeRequest = (transaction: DeviceTransaction, session: RunningSession, assignedId: string): UpstreamRequest =>
  jsonRequest(gatewayPath.complete(transaction, assignedId), { session });
