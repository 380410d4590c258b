import { present, unreachable, type AttemptKey, type GateAlias, type Instant, Secret, type DestinationCard } from '@app/kernel';
import type {
  FollowUpRequest,
  SentFollowUp,
  SentRequest,
  OrderTexts,
  Payer,
  PayerDevice,
  Purchase,
  CallLimit,
  ChargeRequest,
  Gate,
  TransferAnswer,
  VerifyRequest,
} from '@app/gateway-adapters/contract';
import type { OrderSealer } from '@app/card-vault';
import {
  type Attempt,
  type FollowUp,
  type FollowUpOperation,
  isAtHostedChallenge,
  isPayerBack,
  type Attempts,
  ADDRESS_SEPARATOR,
  SEALED_FIELDS,
  type OrderInProgress,
  type Operation,
} from '../../domain';
import type { OpenOrder } from '../order-context';
import { orderTexts } from '../order-texts';

export const sentAttempt = (
  { order }: OpenOrder,
  { key, amount, gateOrderId }: Pick<Attempt, 'key' | 'amount' | 'gateOrderId'>,
): SentRequest => {
  const { orderId, merchant, endpointId, plan } = order;
  return {
    key,
    orderId,
    merchant,
    endpointId,
    ...(plan.operation !== 'account-verification' && { amount }),
    ...present({ gateOrderId }),
    ...(order.device !== undefined && plan.cvvHolder !== undefined && { isByDevice: true }),
  };
};

const operationOf = (operation: FollowUpOperation): SentFollowUp['operation'] => {
  switch (operation) {
    case 'capture':
    case 'void':
      return operation;
    case 'reversal':
    case 'cancel':
      return 'return';
    default:
      return unreachable(operation);
  }
};

/** @param notificationUrl address for the gate's notifications */
export const followUpRequest = (
  { order, processing }: OpenOrder,
  { amount, original }: Pick<FollowUp, 'amount' | 'original'>,
  { key, notificationUrl }: { readonly key: FollowUpRequest['key']; readonly notificationUrl?: string | undefined },
): FollowUpRequest => {
  const { orderId, merchant, endpointId } = order;
  const { attempts } = processing;
  const told = attempts.status === 'approved' && attempts.by === 'gate' ? attempts.receipt.gateOrderId : undefined;
  const gateOrderId = told ?? (attempts.status === 'none' ? undefined : attempts.gateOrderId);
  return { key, original, orderId, merchant, endpointId, amount, ...present({ gateOrderId, notificationUrl }) };
};

export const sentFollowUp = (
  open: OpenOrder,
  followUp: Pick<FollowUp, 'amount' | 'original' | 'operation'>,
  { key, notificationUrl }: { readonly key: FollowUpRequest['key']; readonly notificationUrl?: string | undefined },
): SentFollowUp => ({ ...followUpRequest(open, followUp, { key, notificationUrl }), operation: operationOf(followUp.operation) });

export type SentUnderKey =
  | {
      readonly kind: 'attempt';
      readonly request: SentRequest;
      /** Absent if another attempt followed. */
      readonly sentAt?: Instant;
      /** The second leg of 3-D Secure has left, so an answer about the first one decides nothing. */
      readonly isPayerBack: boolean;
    }
  | { readonly kind: 'follow-up'; readonly number: number; readonly request: SentFollowUp; readonly sentAt: Instant };

/** Undefined if the stream has no such key at this gate: no gate may report for another. */
export const sentUnderKey = (open: OpenOrder, gate: GateAlias, key: AttemptKey): SentUnderKey | undefined => {
  const { attempts, followUps } = open.processing;
  if (attempts.status !== 'none') {
    const isOfGate = (one: { readonly key: AttemptKey; readonly gate: GateAlias }): boolean => one.key === key && one.gate === gate;
    if (isOfGate(attempts)) {
      const { sentAt } = attempts;
      return { kind: 'attempt', request: sentAttempt(open, attempts), sentAt, isPayerBack: isPayerBack(attempts) };
    }
    const before = attempts.earlier.find(isOfGate);
    if (before !== undefined) return { kind: 'attempt', request: sentAttempt(open, before), isPayerBack: false };
  }
  for (const followUp of followUps) {
    if (followUp.status === 'accepted' || followUp.key !== key || followUp.gate !== gate) continue;
    return { kind: 'follow-up', number: followUp.number, request: sentFollowUp(open, followUp, { key }), sentAt: followUp.startedAt };
  }
  return undefined;
};

export const isOpenAttempt = (attempts: Attempts, gate: GateAlias): boolean =>
  attempts.status !== 'none' &&
  attempts.gate === gate &&
  (attempts.status === 'started' || attempts.status === 'unknown' || attempts.status === 'payer-returned' || isAtHostedChallenge(attempts));

const isOpenFollowUp = (followUp: FollowUp, gate: GateAlias): boolean =>
  followUp.gate === gate && (followUp.status === 'started' || followUp.status === 'unknown');

export const owesOutcome = ({ processing: { attempts, followUps } }: OpenOrder, gate: GateAlias): boolean =>
  isOpenAttempt(attempts, gate) || followUps.some((followUp) => isOpenFollowUp(followUp, gate));

const OF_CUSTOMER = [
  'holder',
  'firstName',
  'lastName',
  'email',
  'phone',
  'cellPhone',
  'country',
  'state',
  'city',
  'zipCode',
  'address1',
  'ssn',
  'birthday',
] as const satisfies readonly (keyof Payer)[];
const OF_DETAILS = ['ipAddress'] as const satisfies readonly (keyof Payer)[];
const OF_PURCHASE = ['description', 'purpose', 'comment', 'siteUrl'] as const satisfies readonly (keyof Purchase)[];

const picked = <Name extends string>(texts: ReadonlyMap<string, string>, names: readonly Name[]): Partial<Record<Name, string>> =>
  Object.fromEntries(names.filter((name) => texts.has(name)).map((name) => [name, texts.get(name)])) as Partial<Record<Name, string>>;

const deviceIn = (texts: ReadonlyMap<string, string>): PayerDevice | undefined => {
  const serialNumber = texts.get('serialNumber');
  if (serialNumber === undefined) return undefined;
  return {
    serialNumber,
    ...present({
      imei: texts.get('imei'),
      ipAddresses: texts.get('ipAddresses')?.split(ADDRESS_SEPARATOR),
      latitude: texts.get('latitude'),
      longitude: texts.get('longitude'),
      street2: texts.get('street2'),
    }),
  };
};

export const openTexts = async (
  sealer: Pick<OrderSealer, 'unseal'>,
  { merchant, customer, details, device: sealed }: Pick<OrderInProgress, 'merchant' | 'customer' | 'details' | 'device'>,
): Promise<OrderTexts> => {
  const [ofCustomer, ofDetails, ofDevice] = await Promise.all([
    orderTexts(sealer, { merchant, field: SEALED_FIELDS.customer, sealed: customer }),
    orderTexts(sealer, { merchant, field: SEALED_FIELDS.details, sealed: details }),
    sealed && orderTexts(sealer, { merchant, field: SEALED_FIELDS.device, sealed }),
  ]);
  const device = ofDevice && deviceIn(ofDevice);
  return {
    payer: new Secret<Payer>({ ...picked(ofCustomer, OF_CUSTOMER), ...picked(ofDetails, OF_DETAILS) }),
    purchase: new Secret<Purchase>(picked(ofDetails, OF_PURCHASE)),
    ...(device && { device: new Secret(device) }),
  };
};

/** For a verification only the currency matters. */
export interface Sum extends Pick<ChargeRequest, 'amount' | 'recurrent'> {
  readonly destination?: Secret<DestinationCard> | undefined;
}

type Ability = (request: VerifyRequest, sum: Sum, limit: CallLimit) => Promise<TransferAnswer>;

export const capabilityFor = ({ charging, authorising, verifying, transferring }: Gate, operation: Operation): Ability | undefined => {
  switch (operation) {
    case 'sale':
      return (
        charging &&
        ((request, { amount, recurrent }, limit) => charging.charge({ ...request, amount, ...(recurrent && { recurrent }) }, limit))
      );
    case 'preauth':
      return (
        authorising &&
        ((request, { amount, recurrent }, limit) => authorising.authorise({ ...request, amount, ...(recurrent && { recurrent }) }, limit))
      );
    case 'account-verification':
      return verifying && ((request, { amount }, limit) => verifying.verify({ ...request, currency: amount.currency }, limit));
    case 'transfer':
      return (
        transferring &&
        ((request, { amount, destination }, limit) =>
          destination === undefined
            ? Promise.resolve({ kind: 'not-asked', cause: 'refused-by-gate' })
            : transferring.transfer({ ...request, amount, destination }, limit))
      );
    default:
      return unreachable(operation);
  }
};
