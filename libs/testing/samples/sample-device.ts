import type { CardHandle, CardRefId, CardUid, ClientOrderId, Decider, GateAlias, OrderId, Sealed } from '@app/kernel';
import {
  decideDeviceOrder,
  deviceOrderOf,
  evolveDeviceOrder,
  type AcceptedDeviceOrder,
  type CardsMapped,
  type CommissionDiffered,
  type DeviceCommand,
  type DeviceEvent,
  type DeviceOrder,
  type DeviceOrderCommand,
  type DeviceOrderEvent,
  type DeviceOrderRejection,
  type DevicePlan,
  type FeeChosen,
  type FeeOffer,
  type FeesOffered,
  type GateFee,
  type GateFeeChosen,
  type GateFeesOffered,
  type MappedCard,
  type MerchantChecked,
  type MerchantCheckFailed,
  type Plan,
  type RandomSumDigest,
  type ReceivingCard,
  type ReferredCard,
  type RequestedDeviceOrder,
  type SessionDigest,
} from '@app/orders/domain';
import { ACCEPTED_AT, afterAcceptance, ATTEMPT_KEY, RECEIPT_ID, usd } from './sample-facts';
import { sampleCard, sampleGate, sampleOrder, samplePlan } from './sample-orders';

export const FEE_CHOICE_MS = 900_000;
export const CHECKED_AT = afterAcceptance(5);
export const CHOICE_DUE_AT = afterAcceptance(5 + FEE_CHOICE_MS);
export const FEE_CHOSEN_AT = afterAcceptance(30_000);
export const CONCLUDED_AT = afterAcceptance(400);

export const SOURCE_REF = 's0sample0reference0c' as CardRefId;
export const DESTINATION_REF = 'd0sample0reference0c' as CardRefId;
export const RANDOM_SUM = 'd1'.repeat(32) as RandomSumDigest;

export const sampleReceivingCard = (overrides: Partial<ReceivingCard> = {}): ReceivingCard => ({
  handle: 'card-handle-2' as CardHandle,
  uid: 'uid0of0a0receiving0d' as CardUid,
  face: { bin: '555544', lastFour: '2222', brand: 'MASTERCARD' },
  ...overrides,
});

export const sourceReferred: ReferredCard = { cardRefId: SOURCE_REF, card: sampleCard({ handle: 'card-handle-3' as CardHandle }) };
export const destinationReferred: ReferredCard<ReceivingCard> = { cardRefId: DESTINATION_REF, card: sampleReceivingCard() };

/** Two gates; the consumer chooses between them if `feeChoiceMs` is given. */
export const devicePlan = ({
  device = {},
  ...overrides
}: Partial<Omit<Plan, 'device'>> & { readonly device?: Partial<DevicePlan> } = {}): Plan =>
  samplePlan({
    operation: 'transfer',
    gates: [sampleGate(), sampleGate({ alias: 'sim-b' as GateAlias, gateDescriptor: 'test-b' })],
    ...overrides,
    device: { isRandomSumRequired: false, ...device },
  });

export const sampleDeviceRequest = (
  overrides: Partial<RequestedDeviceOrder<AcceptedDeviceOrder>> = {},
): RequestedDeviceOrder<AcceptedDeviceOrder> => {
  const { endpointId: _endpointId, plan: _plan, acceptedAt: _acceptedAt, ...order } = sampleOrder();
  return {
    ...order,
    orderId: 't0sample0order1r' as OrderId,
    clientOrderId: '33333333-3333-3333-3333-333333333333' as ClientOrderId,
    destination: sampleReceivingCard(),
    device: 'sealed-device' as Sealed,
    sessionDigest: '5e'.repeat(32) as SessionDigest,
    signatureAmbiguous: false,
    ...overrides,
  };
};

export const sampleDeviceOrder = (overrides: Partial<AcceptedDeviceOrder> = {}): AcceptedDeviceOrder => ({
  ...sampleDeviceRequest(),
  endpointId: sampleOrder().endpointId,
  plan: devicePlan(),
  acceptedAt: ACCEPTED_AT,
  ...overrides,
});

export const deviceOrderUnder = (plan: Plan): Decider<DeviceOrderCommand, DeviceOrderEvent, DeviceOrder, DeviceOrderRejection> => ({
  initial: deviceOrderOf(sampleDeviceOrder({ plan })),
  evolve: evolveDeviceOrder,
  decide: decideDeviceOrder,
});

export const FEE_A: FeeOffer = { gate: 'sim-a' as GateAlias, commission: usd(30n) };
export const FEE_B: FeeOffer = { gate: 'sim-b' as GateAlias, commission: usd(200n) };

export const GATE_FEE_A: GateFee = { option: 'up-a', commission: usd(40n) };
export const GATE_FEE_B: GateFee = { option: 'up-b', commission: usd(250n) };
export const GATE_FEES_OFFERED_AT = afterAcceptance(150);
export const GATE_CHOICE_DUE_AT = afterAcceptance(150 + FEE_CHOICE_MS);

const mapped = (cardRefId: CardRefId, { uid }: { readonly uid: CardUid }): MappedCard => ({ cardRefId, uid });
export const SOURCE_MAPPED = mapped(SOURCE_REF, sampleCard());
export const DESTINATION_MAPPED = mapped(DESTINATION_REF, sampleReceivingCard());

export const deviceEvents = {
  checked: (data: Partial<MerchantChecked['data']> = {}): MerchantChecked => ({
    type: 'MerchantChecked',
    data: { checkedAt: CHECKED_AT, ...data },
  }),
  checkFailed: (data: Partial<MerchantCheckFailed['data']> = {}): MerchantCheckFailed => ({
    type: 'MerchantCheckFailed',
    data: { cause: 'refused', failedAt: CHECKED_AT, ...data },
  }),
  feesOffered: (data: Partial<FeesOffered['data']> = {}): FeesOffered => ({
    type: 'FeesOffered',
    data: { offers: [FEE_A, FEE_B], choiceDueAt: CHOICE_DUE_AT, offeredAt: CHECKED_AT, ...data },
  }),
  feeChosen: (data: Partial<FeeChosen['data']> = {}): FeeChosen => ({
    type: 'FeeChosen',
    data: { ...FEE_B, chosenAt: FEE_CHOSEN_AT, ...data },
  }),
  gateFeesOffered: (data: Partial<GateFeesOffered['data']> = {}): GateFeesOffered => ({
    type: 'GateFeesOffered',
    data: {
      attemptKey: ATTEMPT_KEY,
      offers: [GATE_FEE_A, GATE_FEE_B],
      session: 'sealed-session' as Sealed,
      choiceDueAt: GATE_CHOICE_DUE_AT,
      offeredAt: GATE_FEES_OFFERED_AT,
      ...data,
    },
  }),
  gateFeeChosen: (data: Partial<GateFeeChosen['data']> = {}): GateFeeChosen => ({
    type: 'GateFeeChosen',
    data: { attemptKey: ATTEMPT_KEY, ...GATE_FEE_B, chosenAt: FEE_CHOSEN_AT, ...data },
  }),
  commissionDiffered: (data: Partial<CommissionDiffered['data']> = {}): CommissionDiffered => ({
    type: 'CommissionDiffered',
    data: { attemptKey: ATTEMPT_KEY, offered: usd(200n), held: usd(201n), heardAt: afterAcceptance(200), ...data },
  }),
  cardsMapped: (data: Partial<CardsMapped['data']> = {}): CardsMapped => ({
    type: 'CardsMapped',
    data: { source: SOURCE_MAPPED, destination: DESTINATION_MAPPED, isAcknowledged: true, mappedAt: CONCLUDED_AT, ...data },
  }),
} as const satisfies Record<string, () => DeviceEvent>;

type Command<Type extends DeviceCommand['type']> = Extract<DeviceCommand, { type: Type }>;

export const deviceCommands = {
  recordCheck: (result: Partial<Extract<Command<'RecordCheck'>['data']['result'], { kind: 'passed' }>> = {}): Command<'RecordCheck'> => ({
    type: 'RecordCheck',
    data: { result: { kind: 'passed', offers: [], ...result }, now: CHECKED_AT },
  }),
  recordFailedCheck: (cause: MerchantCheckFailed['data']['cause'] = 'refused'): Command<'RecordCheck'> => ({
    type: 'RecordCheck',
    data: { result: { kind: 'failed', cause }, now: CHECKED_AT },
  }),
  chooseFee: (data: Partial<Command<'ChooseFee'>['data']> = {}): Command<'ChooseFee'> => ({
    type: 'ChooseFee',
    data: { gate: FEE_B.gate, now: FEE_CHOSEN_AT, ...data },
  }),
  declineAbsentChoice: (data: Partial<Command<'DeclineAbsentChoice'>['data']> = {}): Command<'DeclineAbsentChoice'> => ({
    type: 'DeclineAbsentChoice',
    data: { now: CHOICE_DUE_AT, ...data },
  }),
  conclude: (data: Partial<Command<'ConcludeOrder'>['data']> = {}): Command<'ConcludeOrder'> => ({
    type: 'ConcludeOrder',
    receiptId: RECEIPT_ID,
    data: { key: ATTEMPT_KEY, source: SOURCE_MAPPED, destination: DESTINATION_MAPPED, isAcknowledged: true, now: CONCLUDED_AT, ...data },
  }),
} as const;
