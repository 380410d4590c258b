import type { Instant, NonEmpty } from '@app/kernel';
import { PAYER_FAILED, type AttemptCommand } from '../attempts';
import { flightEndsAt, longestFlightMsOf } from '../inquiry-schedule';
import type { ProcessingCommand } from '../processing';
import type { FeeName, DeviceOrder, DeviceOrderEvent, DeviceOrderRejection } from './device-commands';
import type { DeviceStage } from '../device.events';

type Decided = NonEmpty<DeviceOrderEvent> | DeviceOrderRejection;
type Offered = Extract<DeviceStage, { readonly status: 'gate-fee-offered' }>;
type AwaitingGateFee = DeviceOrder & { readonly device: Offered };

/** An answer that ended the attempt also ended the choice. */
const isOpen = ({ attempts }: DeviceOrder): boolean => attempts.status === 'started' || attempts.status === 'unknown';

/** True if the gate waits for the consumer and no answer about the outcome was recorded. */
export const isAwaitingGateFee = (state: DeviceOrder): state is AwaitingGateFee =>
  state.device.status === 'gate-fee-offered' && isOpen(state);

/** Undefined if no choice is possible (interface, section 3.2): then the outcome is unknown, because the gate waits for a choice that never comes. */
export const recordGateFees = (
  { key, answer, now }: Extract<AttemptCommand, { type: 'RecordAnswer' }>['data'],
  state: DeviceOrder,
): Decided | undefined => {
  const { attempts, device, plan } = state;
  if (answer.kind !== 'choice-needed' || plan.device?.feeChoiceMs === undefined || device.status !== 'checked') return undefined;
  if (attempts.status === 'none' || attempts.key !== key || !isOpen(state)) return undefined;
  const { offers, session, choiceDueAt } = answer;
  if (offers.some(({ commission }) => commission.currency !== attempts.amount.currency)) return undefined;
  return [{ type: 'GateFeesOffered', data: { attemptKey: key, offers, session, choiceDueAt, offeredAt: now } }];
};

/** A choice is accepted once, in time, and only from the offer. */
export const chooseGateFee = ({ gate, now }: { readonly gate: FeeName; readonly now: Instant }, { device }: AwaitingGateFee): Decided => {
  if (now >= device.choiceDueAt) return { reason: 'choice-too-late' };
  const name: string = gate;
  const offer = device.offers.find(({ option }) => option === name);
  if (offer === undefined) return { reason: 'fee-not-offered' };
  return [{ type: 'GateFeeChosen', data: { attemptKey: device.attemptKey, ...offer, chosenAt: now } }];
};

/** The decline is certain, since the gate never received a choice: it moves no money without one. */
export const declineAbsentGateChoice = (
  { now, isTimeOver = false }: { readonly now: Instant; readonly isTimeOver?: boolean },
  { device: { attemptKey, choiceDueAt }, plan: { callbacks } }: AwaitingGateFee,
): Decided => {
  if (now < choiceDueAt && !isTimeOver) return { reason: 'consumer-still-has-time' };
  return [
    { type: 'AttemptDeclined', data: { attemptKey, code: PAYER_FAILED, by: 'payer-absent', answeredAt: now } },
    { type: 'OrderDeclined', data: { code: PAYER_FAILED, callbacks, declinedAt: now } },
  ];
};

/** An operator resolves nothing while the consumer may choose or the choice may be in flight. */
export const refusedAtGateFees = (command: ProcessingCommand, state: DeviceOrder): DeviceOrderRejection | undefined => {
  if (command.type !== 'ResolveAttempt') return undefined;
  const { device, attempts } = state;
  if (isAwaitingGateFee(state)) return { reason: 'nothing-to-resolve' };
  if (device.status !== 'gate-fee-chosen' || attempts.status === 'none') return undefined;
  const endsAt = flightEndsAt({ sentAt: device.chosenAt }, longestFlightMsOf(state, attempts.gate));
  return command.data.now < endsAt ? { reason: 'flight-not-over' } : undefined;
};
