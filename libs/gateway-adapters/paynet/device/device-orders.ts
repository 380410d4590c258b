import { pollUntil, type PollingPorts } from '@app/gateway-adapters/client';
import type {
  CallLimit,
  ChargeAnswer,
  ChoiceAnswer,
  ChoiceNeeded,
  ChosenFee,
  NotAsked,
  PayerDevice,
  SentRequest,
  TransferAnswer,
  Unknown,
  VerifyRequest,
} from '@app/gateway-adapters/contract';
import type { Secret } from '@app/kernel';
import type { StatusOutcome } from '../translation/status';
import { lostReply, type Upstream } from '../upstream';
import { accessTokenOf, type DeviceAccount } from './device-account';
import { choiceNeeded, readChoice } from './translation/fee-choice';
import { readDeviceStatus, type DeviceOutcome } from './translation/device-status';
import { readPerformed } from './translation/perform-answer';
import { performFields, type PerformedOrder } from './translation/perform-fields';
import { readDeviceAnswer } from './wire/device-answer';
import { completeRequest, performRequest, statusRequest } from './wire/device-request';

/** What orders of the upstream gateway's device interface are made with. */
export interface DeviceParts extends PollingPorts {
  readonly account: DeviceAccount;
  readonly upstream: Upstream;
  readonly pollMs: number;
}

const REFUSED: NotAsked = { kind: 'not-asked', cause: 'refused-by-gate' };
const UNDECIDED: Unknown = { kind: 'unknown', cause: 'gate-undecided' };
const UNRECOGNISED: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };

/** A request of which an order of the device interface can be made: it names its device, and has the CVV that such an order needs. */
export interface DeviceRequest {
  readonly device: PayerDevice;
  readonly cvv: Secret<string>;
}

/** Undefined for an order that did not come from a device, or lacks what the interface requires beside a card (section 2.6). */
export const deviceRequestOf = ({ texts, cvv }: Pick<VerifyRequest, 'texts' | 'cvv'>): DeviceRequest | undefined => {
  const device = texts?.device?.reveal();
  return device === undefined || cvv === undefined ? undefined : { device, cvv };
};

/** The end as both sides of the upstream gateway tell it; where they contradict each other nothing is known. */
const agreed = ({ as, commission }: Extract<DeviceOutcome, { kind: 'ended' }>, told: StatusOutcome): StatusOutcome => {
  switch (told.kind) {
    case 'approved':
      return as === 'approved' ? { ...told, ...(commission && { commission }) } : UNRECOGNISED;
    case 'declined':
    case 'not-asked':
      return as === 'not-approved' ? told : UNRECOGNISED;
    case 'undecided':
    case 'payer-needed':
    case 'not-found':
    case 'unknown':
      return UNDECIDED;
  }
};

type Word = Exclude<ChargeAnswer, Unknown> | ChoiceNeeded;

/** An outcome that ends the waiting; whatever else is asked about again. */
const isWord = (outcome: StatusOutcome | ChoiceNeeded): outcome is Word =>
  outcome.kind !== 'unknown' && outcome.kind !== 'undecided' && outcome.kind !== 'not-found';

/**
 * Orders of the device interface at the upstream gateway, which takes us for the app and for the merchant's own server at once: perform is sent once under
 * the attempt's key as its invoice, and then its status is asked. The order status of Group A, which any process can ask for, has the outcome: it
 * decides where the answer to perform was lost, and it has the acquirer's references at every end.
 */
export class DeviceOrders {
  constructor(
    private readonly parts: DeviceParts,
    /** The order status of Group A, by the invoice as client_orderid. */
    private readonly statusOf: (order: Pick<SentRequest, 'key' | 'amount'>, limit: CallLimit) => Promise<StatusOutcome>,
  ) {}

  /** A sale or a verification, which has no fees that a consumer could choose. */
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
    if (performed.kind === 'refused') {
      const found = await this.#told(order, limit);
      if (found.kind === 'not-found') return REFUSED;
      if (isWord(found)) return found;
    }
    let newest: Unknown = performed.kind === 'unknown' ? performed : UNDECIDED;
    const decided = await pollUntil(this.parts, pollMs, limit, begunMs, async () => {
      const outcome = await (performed.kind === 'performed' ? this.#asked(order, performed.token, limit) : this.#told(order, limit));
      if (isWord(outcome)) return outcome;
      if (outcome.kind === 'unknown') newest = outcome;
      return undefined;
    });
    return decided ?? newest;
  }

  /** Tells the choice once; what comes of it the order status of Group A tells. */
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

  #told({ request: { key }, amount }: PerformedOrder, limit: CallLimit): Promise<StatusOutcome> {
    return this.statusOf({ key, ...(amount && { amount }) }, limit);
  }

  async #asked(order: PerformedOrder, token: string, limit: CallLimit): Promise<StatusOutcome | ChoiceNeeded> {
    const outcome = await this.#status(order, token, limit);
    switch (outcome.kind) {
      case 'ended':
        return agreed(outcome, await this.#told(order, limit));
      case 'undecided':
        return UNDECIDED;
      case 'choice-awaited':
        return choiceNeeded(outcome.fees, order.currency, token);
      case 'payer-needed': {
        // As an inquiry will tell it, where Group A shows the payer's page too.
        const told = await this.#told(order, limit);
        return told.kind === 'payer-needed' ? told : outcome;
      }
      case 'unknown':
        return outcome;
    }
  }

  async #status(
    { operation, request: { key: invoiceId }, amount }: PerformedOrder,
    token: string,
    limit: CallLimit,
  ): Promise<DeviceOutcome> {
    const { account, upstream } = this.parts;
    const { endpointId } = account;
    const session = { accessToken: accessTokenOf(account, invoiceId), token };
    const reply = await upstream.send(statusRequest({ operation, endpointId, invoiceId }, session), limit);
    if (reply.kind === 'not-sent') return { kind: 'unknown', cause: 'connection-lost' };
    if (reply.kind === 'lost') return lostReply(reply);
    return readDeviceStatus(readDeviceAnswer(reply.body), { invoiceId, token, amount });
  }
}
