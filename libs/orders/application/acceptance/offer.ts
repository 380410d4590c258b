import type { BootId, NonEmpty } from '@app/kernel';
import type { Gate, Gates } from '@app/gateway-adapters/contract';
import {
  endpointFor,
  firstEndpointOf,
  servesOperation,
  type Accounts,
  type Endpoint,
  type EntryPoint,
  type GateSettings,
  type OperationName,
} from '@app/configuration';
import type { CallbackTarget, Offer, Operation, PlannedGate } from '../../domain';
import { capabilityFor } from '../gates/sent-requests';
import { namedRouting } from '../rules/routing-rules-repository';
import { namedRules } from '../rules/screening-rules';

export interface OfferRequest {
  readonly entryPoint: EntryPoint;
  readonly gates: Gates;
  readonly operation: Operation;
  readonly operationName: OperationName;
  /** Ignored for an account verification, which the first endpoint listed serves. */
  readonly currency: string;
  readonly hasCvv: boolean;
  readonly bootId: BootId;
  readonly payerMs: number;
  readonly callbackUrl: string | undefined;
  readonly notifyUrl: string | undefined;
}

const plannedGate = (
  { alias, descriptor, partialReversal, partialCapture, longestFlightMs }: GateSettings,
  endpoint: Endpoint,
): PlannedGate => ({
  alias,
  descriptor: endpoint.descriptor ?? descriptor,
  gateDescriptor: descriptor,
  partialReversal,
  partialCapture,
  longestFlightMs,
});

const REBILLS: readonly OperationName[] = ['make-rebill-sale', 'make-rebill-preauth'];

/** A gate that takes no cards may still charge a registered one. */
const canServe = (gate: Gate, operation: Operation, operationName: OperationName): boolean =>
  capabilityFor(gate, operation) !== undefined || (REBILLS.includes(operationName) && gate.rebilling !== undefined);

const gatesFor = (
  accounts: Accounts,
  endpoint: Endpoint,
  { gates, operation, operationName, hasCvv }: OfferRequest,
): NonEmpty<PlannedGate> | Extract<Offer, { kind: 'refused' }>['reason'] => {
  const able = endpoint.gates.filter((alias) => canServe(gates.gate(alias), operation, operationName)).map((alias) => accounts.gate(alias));
  if (able.length === 0) return 'operation-not-offered';
  const [first, ...others] = able.filter(({ cvvRequired }) => hasCvv || !cvvRequired);
  if (first === undefined) return 'cvv-required';
  return [plannedGate(first, endpoint), ...others.map((gate) => plannedGate(gate, endpoint))];
};

export const offerFor = (accounts: Accounts, request: OfferRequest): Offer => {
  const { entryPoint, operation, operationName, currency, hasCvv, bootId, payerMs, callbackUrl, notifyUrl } = request;
  const candidates = entryPoint.kind === 'endpoint' ? [entryPoint.endpoint] : entryPoint.endpoints;
  if (!candidates.some((endpoint) => servesOperation(endpoint, operationName))) return { kind: 'refused', reason: 'operation-not-offered' };
  const endpoint = operation === 'account-verification' ? firstEndpointOf(entryPoint) : endpointFor(entryPoint, currency);
  if (endpoint === undefined) return { kind: 'refused', reason: 'currency-not-served' };
  if (!servesOperation(endpoint, operationName)) return { kind: 'refused', reason: 'operation-not-offered' };
  const gates = gatesFor(accounts, endpoint, request);
  if (typeof gates === 'string') return { kind: 'refused', reason: gates };
  const callbacks: CallbackTarget[] = [];
  if (callbackUrl !== undefined || endpoint.callbackUrl !== undefined) callbacks.push('callback');
  if (notifyUrl !== undefined) callbacks.push('notify');
  const rules = namedRules(endpoint.screening);
  const plan = {
    operation,
    gates,
    payerMs,
    callbacks,
    ...(hasCvv && { cvvHolder: bootId }),
    ...(rules && { screening: rules.version }),
  };
  const { id: endpointId, maxAmountMinor: amountMaxMinor } = endpoint;
  const routing = namedRouting(endpoint.routing);
  return { kind: 'served', endpointId, plan, amountMaxMinor, ...(rules && { rules }), ...(routing && { routing }) };
};
