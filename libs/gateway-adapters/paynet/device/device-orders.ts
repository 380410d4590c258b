import { present, type Clock, type Currency, type Secret } from '@app/kernel';
import {
  gatewayPath,
  PerformSaleRequest,
  PerformTransferRequest,
  PerformVerificationRequest,
  readDeviceMessage,
  type DeviceOperation,
} from '@app/gateway-protocol';
import { pollUntil, type PollingPorts } from '../../client';
import type {
  Approved,
  CallLimit,
  ChargeAnswer,
  ChoiceAnswer,
  ChoiceNeeded,
  ChosenFee,
  Declined,
  InquiryAnswer,
  NotAsked,
  PayerDevice,
  SentRequest,
  TransferAnswer,
  Unknown,
  VerifyRequest,
} from '../../contract';
import type { StatusOutcome } from '../translation/status';
import { lostReply, type InquiredOrder, type Upstream } from '../upstream';
import { accessTokenOf, type DeviceAccount } from './device-account';
import { readSession, writeSession, type RunningOrder, choiceNeeded, readChoice } from './device-session';
import { readDeviceStatus, type DeviceOutcome } from './device-status';
import { readPerformed, readDeviceAnswer } from './device-answer';
import { performFields, type PerformedOrder } from './perform-fields';
import type { UpstreamRequest } from '../wire/operations';

interface DeviceTransaction {
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

/** Perform (interface, section 4.5). Undefined for a body that the interface would reject. */
export const performRequest = (transaction: DeviceTransaction, body: object): UpstreamRequest | undefined =>
  'refused' in readDeviceMessage(MESSAGES[transaction.operation], body)
    ? undefined
    : jsonRequest(gatewayPath.perform(transaction.operation, transaction), body);

interface RunningSession {
  readonly accessToken: string;
  readonly token: string;
}

const statusRequest = (transaction: DeviceTransaction, session: RunningSession): UpstreamRequest =>
  jsonRequest(gatewayPath.status(transaction.operation, transaction), { session });

const completeRequest = (transaction: DeviceTransaction, session: RunningSession, assignedId: string): UpstreamRequest =>
  jsonRequest(gatewayPath.complete(transaction, assignedId), { session });

export interface DeviceParts extends PollingPorts {
  readonly account: DeviceAccount;
  readonly upstream: Upstream;
  readonly pollMs: number;
  readonly clock: Clock;
  /** Whether the order status of Group A includes these orders. If not, its `not-found` proves nothing. */
  readonly isInGroupA: boolean;
}

/** Limit for asking the order status of Group A if it only adds references to a known outcome. */
const FACTS_WITHIN_MS = 3_000;

const REFUSED: NotAsked = { kind: 'not-asked', cause: 'refused-by-gate' };
const UNDECIDED: Unknown = { kind: 'unknown', cause: 'gate-undecided' };
const UNRECOGNISED: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };

export interface DeviceRequest {
  readonly device: PayerDevice;
  readonly cvv: Secret<string>;
}

/** Undefined for an order that did not come from a device or lacks a CVV (section 2.6). */
export const deviceRequestOf = ({ texts, cvv }: Pick<VerifyRequest, 'texts' | 'cvv'>): DeviceRequest | undefined => {
  const device = texts?.device?.reveal();
  return device === undefined || cvv === undefined ? undefined : { device, cvv };
};

/** Adds the references of the order status of Group A, but only if both report the same outcome. */
const withFacts = (answer: Approved | Declined, told: StatusOutcome): Approved | Declined | NotAsked => {
  if (answer.kind === 'declined') return told.kind === 'declined' || told.kind === 'not-asked' ? told : answer;
  return told.kind === 'approved' ? { ...answer, ...told, ...present({ commission: answer.commission ?? told.commission }) } : answer;
};

interface Question extends RunningOrder, InquiredOrder {
  readonly currency: Currency | undefined;
}

/** Without `taken`: the outcome is known, so no session needs to be recorded. */
const factsLimit = ({ withinMs, signal, trace }: CallLimit): CallLimit => ({
  withinMs: Math.min(withinMs, FACTS_WITHIN_MS),
  signal,
  ...present({ trace }),
});

type Word = Exclude<ChargeAnswer, Unknown> | ChoiceNeeded;

const isWord = (outcome: StatusOutcome | ChoiceNeeded): outcome is Word =>
  outcome.kind !== 'unknown' && outcome.kind !== 'undecided' && outcome.kind !== 'not-found';

/**
 * Orders at the upstream gateway's device interface. Perform is sent once, with the attempt's key as the invoice; then the status is
 * polled.
 * The order status of Group A may add references. It decides only if the answer to perform was lost, because the device status needs that
 * answer's token.
 */
export class DeviceOrders {
  constructor(
    private readonly parts: DeviceParts,
    private readonly statusOf: (order: InquiredOrder, limit: CallLimit) => Promise<StatusOutcome>,
  ) {}

  async perform(order: PerformedOrder, limit: CallLimit): Promise<ChargeAnswer> {
    const answer = await this.transfer(order, limit);
    return answer.kind === 'choice-needed' ? UNRECOGNISED : answer;
  }

  async transfer(order: PerformedOrder, limit: CallLimit): Promise<TransferAnswer> {
    const { account, upstream, monotonic, pollMs } = this.parts;
    const { key } = order.request;
    const transaction = { operation: order.operation, endpointId: account.endpointId, invoiceId: key };
    const request = performRequest(transaction, performFields(account, order));
    if (request === undefined) return REFUSED;
    const begunMs = monotonic.elapsedMs();
    const reply = await upstream.send(request, limit);
    if (reply.kind === 'not-sent') return { kind: 'not-asked', cause: 'unavailable' };
    const performed = reply.kind === 'lost' ? lostReply(reply) : readPerformed(readDeviceAnswer(reply.body), key);
    const named = { key, ...present({ amount: order.amount }) };
    if (performed.kind === 'refused') {
      if (!this.parts.isInGroupA) return REFUSED;
      const found = await this.statusOf(named, limit);
      if (found.kind === 'not-found') return REFUSED;
      if (isWord(found)) return found;
    }
    const { operation, currency } = order;
    const question = performed.kind === 'performed' && { ...named, operation, currency, token: performed.token };
    if (question !== false) await limit.taken?.({ session: writeSession(question) });
    let newest: Unknown = performed.kind === 'unknown' ? performed : UNDECIDED;
    const decided = await pollUntil(this.parts, pollMs, limit, begunMs, async () => {
      const outcome = await (question === false ? this.statusOf(named, limit) : this.#asked(question, limit));
      if (isWord(outcome)) return outcome;
      if (outcome.kind === 'unknown') newest = outcome;
      return undefined;
    });
    return decided ?? newest;
  }

  /** Works in any process. Without a session, or if the device interface no longer has the order, the order status of Group A decides. */
  async inquire({ key, amount, gateOrderId, session }: SentRequest, limit: CallLimit): Promise<InquiryAnswer> {
    const running = session && readSession(session);
    const named = { key, ...present({ amount, gateOrderId }) };
    const asked = running && (await this.#asked({ ...named, ...running, currency: amount?.currency }, limit));
    if (asked?.kind === 'undecided' || asked?.kind === 'choice-needed') return UNDECIDED;
    if (asked !== undefined && asked.kind !== 'unknown' && asked.kind !== 'not-found') return asked;
    const told = await this.statusOf(named, limit);
    if (isWord(told)) return told;
    if (told.kind === 'not-found' && running === undefined && this.parts.isInGroupA) return told;
    return asked?.kind === 'unknown' ? asked : told.kind === 'unknown' ? told : UNDECIDED;
  }

  async choose({ key: invoiceId }: SentRequest, { option, session }: ChosenFee, limit: CallLimit): Promise<ChoiceAnswer> {
    const { account, upstream } = this.parts;
    const chosen = readChoice(session, option);
    if (chosen === undefined) return REFUSED;
    const transaction = { operation: 'transfer' as const, endpointId: account.endpointId, invoiceId };
    const running = { accessToken: accessTokenOf(account, invoiceId), token: chosen.token };
    const reply = await upstream.send(completeRequest(transaction, running, chosen.assignedId), limit);
    if (reply.kind === 'not-sent') return { kind: 'not-asked', cause: 'unavailable' };
    if (reply.kind === 'lost') return lostReply(reply);
    const completed = readPerformed(readDeviceAnswer(reply.body), invoiceId);
    if (completed.kind === 'unknown') return completed;
    return completed.kind === 'performed' ? { kind: 'told' } : REFUSED;
  }

  async #asked(question: Question, limit: CallLimit): Promise<StatusOutcome | ChoiceNeeded> {
    const outcome = await this.#status(question, limit);
    switch (outcome.kind) {
      case 'approved':
      case 'declined': {
        const { key, amount, gateOrderId = outcome.gateOrderId } = question;
        return withFacts(outcome, await this.statusOf({ key, ...present({ amount, gateOrderId }) }, factsLimit(limit)));
      }
      case 'choice-awaited': {
        const { currency } = question;
        return currency === undefined ? UNRECOGNISED : choiceNeeded(outcome.fees, currency, question.token);
      }
      case 'undecided':
      case 'payer-needed':
      case 'unknown':
      case 'not-found':
        return outcome;
    }
  }

  async #status({ operation, key: invoiceId, token, amount }: Question, limit: CallLimit): Promise<DeviceOutcome> {
    const { account, upstream, clock } = this.parts;
    const { endpointId } = account;
    const session = { accessToken: accessTokenOf(account, invoiceId), token };
    const reply = await upstream.send(statusRequest({ operation, endpointId, invoiceId }, session), limit);
    if (reply.kind === 'not-sent') return { kind: 'unknown', cause: 'connection-lost' };
    if (reply.kind === 'lost') return lostReply(reply);
    return readDeviceStatus(readDeviceAnswer(reply.body), { invoiceId, token, amount, seenAt: clock.now() });
  }
}
