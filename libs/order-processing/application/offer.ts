import type { BootId, NonEmpty } from '@app/kernel';
import { endpointFor, servesOperation, type Accounts, type EntryPoint, type OperationName } from '@app/merchant-accounts';
import type { CallbackTarget, Offer, Operation, PlannedGate } from '../domain';

export interface OfferRequest {
  readonly entryPoint: EntryPoint;
  readonly operation: Operation;
  /** As the entry point's `operations` list calls it. */
  readonly operationName: OperationName;
  readonly currency: string;
  readonly hasCvv: boolean;
  readonly bootId: BootId;
  readonly payerMs: number;
  readonly callbackUrl: string | undefined;
  readonly notifyUrl: string | undefined;
}

/** What the configuration of the moment offers; the plan of an accepted order is made of it and stays. */
export const offerFor = (accounts: Accounts, request: OfferRequest): Offer => {
  const { entryPoint, operation, operationName, currency, hasCvv, bootId, payerMs, callbackUrl, notifyUrl } = request;
  const candidates = entryPoint.kind === 'endpoint' ? [entryPoint.endpoint] : entryPoint.endpoints;
  if (!candidates.some((endpoint) => servesOperation(endpoint, operationName))) return { kind: 'refused', reason: 'operation-not-offered' };
  const endpoint = endpointFor(entryPoint, currency);
  if (endpoint === undefined) return { kind: 'refused', reason: 'currency-not-served' };
  if (!servesOperation(endpoint, operationName)) return { kind: 'refused', reason: 'operation-not-offered' };
  const settings = accounts.gate(endpoint.gates[0]);
  if (settings.cvvRequired && !hasCvv) return { kind: 'refused', reason: 'cvv-required' };
  const { alias, descriptor: gateDescriptor, partialReversal, partialCapture, longestFlightMs } = settings;
  const descriptor = endpoint.descriptor ?? gateDescriptor;
  const gates: NonEmpty<PlannedGate> = [{ alias, descriptor, gateDescriptor, partialReversal, partialCapture, longestFlightMs }];
  const callbacks: CallbackTarget[] = [];
  if (callbackUrl !== undefined || endpoint.callbackUrl !== undefined) callbacks.push('callback');
  if (notifyUrl !== undefined) callbacks.push('notify');
  const plan = { operation, gates, payerMs, callbacks, ...(hasCvv && { cvvHolder: bootId }) };
  return { kind: 'served', endpointId: endpoint.id, plan, amountMaxMinor: endpoint.maxAmountMinor };
};
