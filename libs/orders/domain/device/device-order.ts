import { addMs, isRejection, isSameMoney, resultCode, type GateAlias, type Instant, type NonEmpty } from '@app/kernel';
import { PAYER_FAILED } from '../attempts';
import { plannedGate } from '../accepted-order';
import { decideProcessing, evolveProcessing, FILTERED, INTERRUPTED, NO_GATE, processingOf, type ProcessingCommand } from '../processing';
import {
  isDeviceCommand,
  type CheckResult,
  type DeviceCommand,
  type DeviceOrder,
  type DeviceOrderEvent,
  type DeviceOrderRejection,
} from './device-commands';
import type { CommissionDiffered, DeviceEvent, FeeChosen, MerchantChecked, DeviceStage } from '../device.events';
import { isEventOf } from '../event-parts';
import { chooseGateFee, declineAbsentGateChoice, isAwaitingGateFee, recordGateFees, refusedAtGateFees } from './gate-fees';

export type { DeviceOrder, DeviceOrderEvent, DeviceOrderRejection } from './device-commands';
export type DeviceOrderCommand = ProcessingCommand | DeviceCommand;
type Decided = NonEmpty<DeviceOrderEvent> | DeviceOrderRejection;

/** The entry point requires this proof (protocol decisions, section 7). */
const RANDOM_SUM_NOT_PROVED = resultCode('random-sum-not-confirmed');

export const deviceOrderOf = (order: Parameters<typeof processingOf>[0]): DeviceOrder => ({
  ...processingOf(order),
  device: { status: 'unchecked' },
});

const only = (state: DeviceOrder, gate: GateAlias, since: Instant): DeviceOrder => {
  const routeStep = { gate, amountNumber: state.routeStep.amountNumber };
  return { ...state, plan: { ...state.plan, gates: [plannedGate(state, gate)] }, routeStep, due: { ...routeStep, since } };
};

const choose = (state: DeviceOrder, { gate, commission, chosenAt }: FeeChosen['data']): DeviceOrder => ({
  ...only(state, gate, chosenAt),
  device: { status: 'fee-chosen', chosen: { gate, commission } },
});

const check = (state: DeviceOrder, { feeAskedBy }: MerchantChecked['data']): DeviceOrder => {
  const checked: DeviceOrder = { ...state, device: { status: 'checked' } };
  return feeAskedBy === undefined ? checked : only(checked, feeAskedBy, state.due?.since ?? state.acceptedAt);
};

const at = (state: DeviceOrder, status: DeviceStage['status'], event: DeviceEvent): void => {
  if (state.device.status !== status) throw new Error(`${event.type} of an order that is ${state.device.status}`);
};

export const evolveDeviceOrder = (state: DeviceOrder, event: DeviceOrderEvent): DeviceOrder => {
  if (!isEventOf(event, 'device')) return { ...evolveProcessing(state, event), device: state.device };
  switch (event.type) {
    case 'MerchantChecked':
      at(state, 'unchecked', event);
      return check(state, event.data);
    case 'MerchantCheckFailed':
      at(state, 'unchecked', event);
      return state;
    case 'FeesOffered': {
      at(state, 'checked', event);
      const { offers, choiceDueAt } = event.data;
      return { ...state, device: { status: 'fee-offered', offers, choiceDueAt } };
    }
    case 'FeeChosen':
      at(state, 'fee-offered', event);
      return choose(state, event.data);
    case 'GateFeesOffered': {
      at(state, 'checked', event);
      const { attemptKey, offers, session, choiceDueAt } = event.data;
      return { ...state, device: { status: 'gate-fee-offered', attemptKey, offers, session, choiceDueAt } };
    }
    case 'GateFeeChosen': {
      const { device } = state;
      if (device.status !== 'gate-fee-offered') throw new Error(`GateFeeChosen of an order that is ${device.status}`);
      const { attemptKey, option, commission, chosenAt } = event.data;
      const { session } = device;
      return { ...state, device: { status: 'gate-fee-chosen', attemptKey, chosen: { option, commission }, session, chosenAt } };
    }
    case 'CommissionDiffered':
    case 'CardsMapped':
      return state;
  }
};

/** Fails closed: a failed check ends the order. */
const recordCheck = (result: CheckResult, now: Instant, { plan, device }: DeviceOrder): Decided => {
  if (device.status !== 'unchecked') return { reason: 'nothing-new' };
  const { callbacks } = plan;
  if (result.kind === 'failed') {
    const failed = { type: 'MerchantCheckFailed' as const, data: { cause: result.cause, failedAt: now } };
    return result.cause === 'filtered'
      ? [failed, { type: 'OrderFiltered', data: { code: FILTERED, callbacks, filteredAt: now } }]
      : [failed, { type: 'OrderFailed', data: { code: INTERRUPTED, callbacks, failedAt: now } }];
  }
  const { kind: _passed, offers, feeAskedBy, ...facts } = result;
  const checked = { type: 'MerchantChecked' as const, data: { ...facts, checkedAt: now } };
  if (plan.device?.isRandomSumRequired === true && facts.randomSum !== 'AUTHENTICATED') {
    return [checked, { type: 'OrderDeclined', data: { code: RANDOM_SUM_NOT_PROVED, callbacks, declinedAt: now } }];
  }
  const feeChoiceMs = plan.device?.feeChoiceMs;
  if (feeChoiceMs === undefined) return [checked];
  const [first, ...others] = offers;
  if (first === undefined && feeAskedBy !== undefined) return [{ ...checked, data: { ...checked.data, feeAskedBy } }];
  return first === undefined
    ? [checked, { type: 'OrderFailed', data: { code: NO_GATE, callbacks, failedAt: now } }]
    : [checked, { type: 'FeesOffered', data: { offers: [first, ...others], choiceDueAt: addMs(now, feeChoiceMs), offeredAt: now } }];
};

const chooseFee = (gate: GateAlias, now: Instant, { device }: DeviceOrder): Decided => {
  if (device.status !== 'fee-offered') return { reason: 'fee-not-awaited' };
  if (now >= device.choiceDueAt) return { reason: 'choice-too-late' };
  const offer = device.offers.find((one) => one.gate === gate);
  return offer === undefined ? { reason: 'fee-not-offered' } : [{ type: 'FeeChosen', data: { ...offer, chosenAt: now } }];
};

const declineAbsentChoice = (now: Instant, isTimeOver: boolean, { device, plan: { callbacks } }: DeviceOrder): Decided => {
  if (device.status !== 'fee-offered') return { reason: 'fee-not-awaited' };
  if (now < device.choiceDueAt && !isTimeOver) return { reason: 'consumer-still-has-time' };
  return [{ type: 'OrderDeclined', data: { code: PAYER_FAILED, callbacks, declinedAt: now } }];
};

/** In one append, so that an approval is visible only after the merchant server was notified of the cards, or will be later. */
const concludeOrder = (
  { receiptId, data }: Extract<DeviceCommand, { type: 'ConcludeOrder' }>,
  { attempts, plan }: DeviceOrder,
): Decided => {
  const { key, now, ...mapped } = data;
  if (attempts.status !== 'approved' || attempts.key !== key) return { reason: 'nothing-new' };
  const isOver = mapped.isAcknowledged || mapped.isNotificationOff === true;
  const callbacks = isOver ? plan.callbacks : ([...plan.callbacks, 'notification'] as const);
  return [
    { type: 'CardsMapped', data: { ...mapped, mappedAt: now } },
    { type: 'OrderApproved', data: { attemptKey: key, amount: attempts.amount, receiptId, callbacks, approvedAt: now } },
  ];
};

const decideDevice = (command: DeviceCommand, state: DeviceOrder): Decided => {
  if (state.end !== undefined) return { reason: 'order-final' };
  switch (command.type) {
    case 'RecordCheck':
      return recordCheck(command.data.result, command.data.now, state);
    case 'ChooseFee':
      return isAwaitingGateFee(state) ? chooseGateFee(command.data, state) : chooseFee(command.data.gate, command.data.now, state);
    case 'DeclineAbsentChoice':
      if (isAwaitingGateFee(state)) return declineAbsentGateChoice(command.data, state);
      return declineAbsentChoice(command.data.now, command.data.isTimeOver ?? false, state);
    case 'ConcludeOrder':
      return concludeOrder(command, state);
  }
};

/** No gate is asked before the check has passed or while the consumer may choose. */
const notYet = (command: ProcessingCommand, state: DeviceOrder): DeviceOrderRejection | undefined => {
  const { device, end } = state;
  if (end !== undefined) return undefined;
  const refused = refusedAtGateFees(command, state);
  if (refused !== undefined) return refused;
  if (command.type === 'StartAttempt') {
    if (device.status === 'unchecked') return { reason: 'not-checked' };
    if (device.status === 'fee-offered') return { reason: 'fee-not-chosen' };
  }
  const isChoosing = device.status === 'fee-offered' && command.type === 'InterruptOrder' && !command.data.isHolderGone;
  return isChoosing ? { reason: 'submit-not-overdue' } : undefined;
};

const differenceOf = ({ device }: DeviceOrder, event: DeviceOrderEvent): CommissionDiffered | undefined => {
  if (event.type !== 'AttemptApproved' || (device.status !== 'fee-chosen' && device.status !== 'gate-fee-chosen')) return undefined;
  const { attemptKey, receipt, answeredAt } = event.data;
  const { commission: held } = receipt;
  const { commission: offered } = device.chosen;
  if (held === undefined || isSameMoney(held, offered)) return undefined;
  return { type: 'CommissionDiffered', data: { attemptKey, offered, held, heardAt: answeredAt } };
};

/** Adds the device interface's decisions to those of every order (architecture, rules 4 and 11; safety, T38). */
export const decideDeviceOrder = (command: DeviceOrderCommand, state: DeviceOrder): Decided => {
  if (isDeviceCommand(command)) return decideDevice(command, state);
  const refused = notYet(command, state);
  if (refused !== undefined) return refused;
  const offered = command.type === 'RecordAnswer' ? recordGateFees(command.data, state) : undefined;
  if (offered !== undefined) return offered;
  const decision = decideProcessing(command, state);
  if (isRejection(decision)) return decision;
  const difference = differenceOf(state, decision[0]);
  return difference === undefined ? decision : [...decision, difference];
};
