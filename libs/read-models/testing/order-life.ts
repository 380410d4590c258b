import { streamName, type AnyEvent, type StreamName } from '@app/event-store';
import { addMs, unreachable, type AttemptKey, type GateAlias, type MerchantLogin, type Sealed } from '@app/kernel';
import type { PaymentAccepted } from '@app/payment/events';
import type { RecurrentPaymentAccepted } from '@app/recurring/events';
import type { OrderEvent } from '../order-status/order-status.fold';
import { DisputeLife } from './dispute-life';
import { FollowUpLife } from './follow-up-life';
import { ACME, cardReferenceIssued, cardRefIdOf, paymentAccepted, receiptOf, recurrentAccepted, START } from './sample-orders';

type Step =
  | 'accepted'
  | 'due'
  | 'asked'
  | 'unknown'
  | 'challenged'
  | 'returned'
  | 'approved'
  | 'declined'
  | 'not-asked'
  | 'resolved-declined'
  | 'final'
  | 'over';

class OrderLife {
  readonly events: OrderEvent[];
  readonly #accepted: (PaymentAccepted | RecurrentPaymentAccepted)['data'];
  readonly #followUps = new FollowUpLife();
  readonly #disputes = new DisputeLife();
  #step: Step = 'accepted';
  #number = 0;
  #isPayerBack = false;
  #believed: 'approved' | 'declined' | 'not-asked' = 'approved';
  #at = START;

  constructor(acceptance: PaymentAccepted | RecurrentPaymentAccepted) {
    this.#accepted = acceptance.data;
    this.events = [acceptance];
  }

  take(choice: number): boolean {
    const open = this.#open();
    const next = open[choice % Math.max(open.length, 1)];
    if (next === undefined) return false;
    this.#at = addMs(this.#at, 1_000);
    this.#step = next();
    return true;
  }

  get #key(): AttemptKey {
    return `${this.#accepted.orderId}-${this.#number}` as AttemptKey;
  }

  #gateOf(attempt: number): GateAlias {
    const { gates } = this.#accepted.plan;
    return (gates[(attempt - 1) % gates.length] ?? gates[0]).alias;
  }

  #record(event: OrderEvent, step: Step): Step {
    this.events.push(event);
    return step;
  }

  #open(): readonly (() => Step)[] {
    const approve = () => this.#approve();
    const decline = () => this.#decline('gate');
    switch (this.#step) {
      case 'accepted': {
        const start = () => this.#start();
        return [start, start, start, () => this.#screen(), () => this.#screen('per-card'), () => this.#filter(), () => this.#fail(121)];
      }
      case 'due':
        return [() => this.#start()];
      case 'asked':
        return [approve, decline, () => this.#leaveUnknown(), () => this.#notAsked(), () => this.#challenge()];
      case 'unknown':
        return [
          approve,
          decline,
          () => this.#notAsked(),
          () => this.#resolve('approved'),
          () => this.#resolve('declined'),
          ...(this.#isPayerBack ? [] : [() => this.#challenge()]),
        ];
      case 'challenged': {
        const returnPayer = () => this.#returnPayer();
        return [returnPayer, returnPayer, () => this.#decline('payer-absent'), approve, decline];
      }
      case 'returned':
        return [approve, decline, () => this.#leaveUnknown()];
      case 'approved':
        return [() => this.#endApproved()];
      case 'declined':
        return [() => this.#endDeclined(), () => this.#continuePlan()];
      case 'not-asked':
        return [() => this.#fail(122), () => this.#continuePlan()];
      case 'resolved-declined':
        return [() => this.#endDeclined()];
      case 'final':
        return [() => this.#contradict(), () => 'over', ...this.#laterSteps()];
      case 'over':
        return [];
      default:
        return unreachable(this.#step);
    }
  }

  #start(): Step {
    this.#number += 1;
    this.#isPayerBack = false;
    const { amount } = this.#accepted;
    const attempt = { attemptKey: this.#key, number: this.#number, gate: this.#gateOf(this.#number), amount };
    return this.#record(
      { type: 'AttemptStarted', data: { ...attempt, issuer: { cardType: 'VISA', country: 'USA' }, startedAt: this.#at } },
      'asked',
    );
  }

  #screen(brokenRule?: 'per-card'): Step {
    const screened = { rulesVersion: 'rules', bin: '444433', amounts: [this.#accepted.amount], cardCount: 1, screenedAt: this.#at };
    this.events.push({ type: 'OrderScreened', data: { ...screened, ...(brokenRule && { brokenRule }) } });
    return brokenRule === undefined ? this.#start() : this.#filter();
  }

  #filter(): Step {
    const { callbacks } = this.#accepted.plan;
    return this.#record({ type: 'OrderFiltered', data: { code: 120, callbacks, filteredAt: this.#at } }, 'final');
  }

  #fail(code: 121 | 122): Step {
    const { callbacks } = this.#accepted.plan;
    return this.#record({ type: 'OrderFailed', data: { code, callbacks, failedAt: this.#at } }, 'final');
  }

  #continuePlan(): Step {
    const { amount } = this.#accepted;
    const data = { gate: this.#gateOf(this.#number + 1), amountNumber: 1, amount, chosenAt: this.#at };
    return this.#record({ type: 'NextAttemptChosen', data }, 'due');
  }

  #resolve(as: 'approved' | 'declined'): Step {
    this.#believed = as;
    const data = { attemptKey: this.#key, as, reason: 'sealed reason' as Sealed, settledAt: this.#at };
    return this.#record({ type: 'AttemptSettled', data }, as === 'approved' ? 'approved' : 'resolved-declined');
  }

  #approve(): Step {
    this.#believed = 'approved';
    const data = { attemptKey: this.#key, receipt: receiptOf(this.#key), approvalCode: `A${this.#number}`, answeredAt: this.#at };
    return this.#record({ type: 'AttemptApproved', data }, 'approved');
  }

  #decline(by: 'gate' | 'payer-absent'): Step {
    this.#believed = 'declined';
    const reported = by === 'gate' ? { code: 100, receipt: receiptOf(this.#key), advice: 'ask your bank' } : { code: 110 };
    return this.#record({ type: 'AttemptDeclined', data: { attemptKey: this.#key, by, answeredAt: this.#at, ...reported } }, 'declined');
  }

  #leaveUnknown(): Step {
    return this.#record({ type: 'AttemptUnknown', data: { attemptKey: this.#key, cause: 'timeout', answeredAt: this.#at } }, 'unknown');
  }

  #notAsked(): Step {
    this.#believed = 'not-asked';
    const data = { attemptKey: this.#key, cause: 'unavailable', answeredAt: this.#at } as const;
    return this.#record({ type: 'AttemptNotAsked', data }, 'not-asked');
  }

  #challenge(): Step {
    const page = `sealed page ${this.#number}` as Sealed;
    const payerDueAt = addMs(this.#at, this.#accepted.plan.payerMs);
    const data = { attemptKey: this.#key, transactionId: `PNTEST-${this.#key}`, page, payerDueAt, answeredAt: this.#at };
    return this.#record({ type: 'PayerChallenged', data }, 'challenged');
  }

  #returnPayer(): Step {
    this.#isPayerBack = true;
    return this.#record({ type: 'PayerReturned', data: { attemptKey: this.#key, returnedAt: this.#at } }, 'returned');
  }

  #endApproved(): Step {
    const { amount, orderId, plan } = this.#accepted;
    const data = { attemptKey: this.#key, amount, receiptId: `receipt ${orderId}`, callbacks: plan.callbacks, approvedAt: this.#at };
    return this.#record({ type: 'OrderApproved', data }, 'final');
  }

  #endDeclined(): Step {
    const { callbacks } = this.#accepted.plan;
    return this.#record({ type: 'OrderDeclined', data: { code: 100, callbacks, declinedAt: this.#at } }, 'final');
  }

  #contradict(): Step {
    const reported = this.#believed === 'approved' ? 'declined' : 'approved';
    const data = { attemptKey: this.#key, believed: this.#believed, told: reported, transactionId: 'late', toldAt: this.#at } as const;
    return this.#number > 0 ? this.#record({ type: 'LateResultConflict', data }, 'over') : 'over';
  }

  #laterSteps(): readonly (() => Step)[] {
    if (this.events.at(-1)?.type === 'LateResultConflict' || !this.events.some(({ type }) => type === 'OrderApproved')) return [];
    const { amount } = this.#accepted;
    const attempt = { attemptKey: this.#key, gate: this.#gateOf(this.#number), amount, receiptOf };
    const followUps = this.#followUps.nextEvents(attempt, this.#at);
    const reports = this.#disputes.nextEvents(attempt.gate, amount, this.#at);
    return [...followUps, ...reports].map((event) => () => this.#record(event(), 'final'));
  }
}

/** A valid history with one choice per event. Every prefix is valid too. */
export const orderLife = (acceptance: PaymentAccepted | RecurrentPaymentAccepted, choices: readonly number[]): readonly OrderEvent[] => {
  const life = new OrderLife(acceptance);
  for (const choice of choices) if (!life.take(choice)) break;
  return life.events;
};

export interface Story {
  readonly stream: StreamName;
  /** Of the envelopes. Default: `ACME`. */
  readonly merchant?: MerchantLogin;
  /** Of the envelopes. Default: `merchant`. */
  readonly actor?: string;
  readonly events: readonly AnyEvent[];
}

export const paymentStory = (number: number, choices: readonly number[], gates?: readonly [string, ...string[]]): Story => ({
  stream: streamName('payment', ACME, String(number)),
  events: orderLife(paymentAccepted(number, gates), choices),
});

export const recurringStory = (number: number, choices: readonly number[], gates?: readonly [string, ...string[]]): Story => ({
  stream: streamName('recurring', ACME, String(number)),
  events: orderLife(recurrentAccepted(number, gates), choices),
});

export const cardReferenceStory = (number: number): Story => ({
  stream: streamName('cardReference', cardRefIdOf(number)),
  events: [cardReferenceIssued(number)],
});

export const caseStory = (number: number, gate: string, isClosed = false): Story => {
  const openedAt = addMs(START, number);
  const data = { gate, kind: 'missing-here', source: 'file', original: `key-${number}`, operation: 'sale', differences: [], openedAt };
  const opened = { type: 'CaseOpened', data };
  const closed = { type: 'CaseClosed', data: { reason: 'sealed', closedAt: openedAt } };
  return { stream: streamName('reconciliation', String(number)), events: isClosed ? [opened, closed] : [opened] };
};

export const reopenedCaseStory = (number: number, gate: string, openedAgainAt: number): Story => {
  const { stream, events } = caseStory(number, gate);
  const [opened] = events;
  const applied = { type: 'CaseApplied', data: { to: 'declined', effect: 'reconciled', reason: 'sealed', appliedAt: START } };
  const anew = { type: 'CaseOpened', data: { ...opened?.data, openedAt: addMs(START, openedAgainAt) } };
  return { stream, events: [...events, applied, anew] };
};
