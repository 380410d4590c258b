import type { BootId, MerchantLogin } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import {
  ACCEPTED_AT,
  afterAcceptance,
  ATTEMPT_KEY,
  attemptEvents,
  CHOICE_DUE_AT,
  deviceEvents,
  FEE_CHOSEN_AT,
  finalEvents,
  routingEvents,
  sampleOrder,
  samplePlan,
  usd,
} from '@app/testing';
import type { ProcessingEvent } from '../../domain';
import { orderWork, type OrderWorkEvent } from './order-work';

const stream = 'payment-x' as StreamName;
const merchant = 'acme' as MerchantLogin;
const workOf = (event: OrderWorkEvent['event']) => orderWork({ stream, metadata: { merchant }, event });
const due = (task: string, lane: string, dueAt: number) => [{ kind: 'due', item: { key: stream, stream, task, dueAt, merchant, lane } }];

describe('work items of an order', () => {
  it('include an immediate submit for an order without a CVV', () => {
    expect(workOf({ type: 'OrderAccepted', data: sampleOrder() })).toEqual(due('submit', 'acme/sim-a', ACCEPTED_AT));
  });

  it('include an interrupt sixty seconds after acceptance for an order with a CVV holder', () => {
    const data = sampleOrder({ plan: samplePlan({ cvvHolder: 'boot' as BootId }) });
    expect(workOf({ type: 'OrderAccepted', data })).toEqual(due('interrupt', 'acme/payer', afterAcceptance(60_000)));
  });

  it('include an inquiry one second after a start, in the inquiries lane', () => {
    const data = { attemptKey: ATTEMPT_KEY, number: 1, gate: sampleOrder().plan.gates[0].alias, amount: usd(1n), startedAt: ACCEPTED_AT };
    expect(workOf({ type: 'AttemptStarted', data })).toEqual(due('inquire', 'acme/sim-a inquiries', afterAcceptance(1_000)));
  });

  it('include the absent-payer decline at the deadline, and an inquiry one second after the payer’s return', () => {
    const challenged: ProcessingEvent = {
      type: 'PayerChallenged',
      data: {
        attemptKey: ATTEMPT_KEY,
        transactionId: 't',
        page: 's' as never,
        payerDueAt: afterAcceptance(900_000),
        answeredAt: ACCEPTED_AT,
      },
    };
    expect(workOf(challenged)).toEqual(due('decline-absent-payer', 'acme/payer', afterAcceptance(900_000)));
    const returned: ProcessingEvent = { type: 'PayerReturned', data: { attemptKey: ATTEMPT_KEY, returnedAt: ACCEPTED_AT } };
    expect(workOf(returned)).toEqual(due('inquire', 'acme/payer', afterAcceptance(1_000)));
  });

  it('include an inquiry and no absent-payer decline if the gate hosts the authentication', () => {
    const challenged = attemptEvents.challenged({ isHosted: true, answeredAt: ACCEPTED_AT });
    expect(workOf(challenged)).toEqual(due('inquire', 'acme/hosted-challenges inquiries', afterAcceptance(30_000)));
  });

  it('include the next attempt immediately, in the lane of its gate', () => {
    expect(workOf(routingEvents.nextChosen())).toEqual(due('go-on', 'acme/sim-b', afterAcceptance(200)));
  });

  it.each([
    attemptEvents.approved(),
    attemptEvents.declined(),
    attemptEvents.notAsked(),
    attemptEvents.unknown(),
    attemptEvents.settled(),
    attemptEvents.conflict(),
    routingEvents.screened(),
  ])('do not change after $type, since another event of the same append decides', (event) => {
    expect(workOf(event)).toEqual([]);
  });

  it('include the absent-choice decline at the deadline, and an immediate submit after the choice', () => {
    expect(workOf(deviceEvents.feesOffered())).toEqual(due('decline-absent-choice', 'acme/payer', CHOICE_DUE_AT));
    expect(workOf(deviceEvents.feeChosen())).toEqual(due('go-on', 'acme/sim-b', FEE_CHOSEN_AT));
  });

  it.each([deviceEvents.checked(), deviceEvents.checkFailed(), deviceEvents.commissionDiffered(), deviceEvents.cardsMapped()])(
    'are not changed by $type',
    (event) => {
      expect(workOf(event)).toEqual([]);
    },
  );

  it.each(Object.values(finalEvents).map((make) => make()))('include none after $type', (event) => {
    expect(workOf(event)).toEqual([{ kind: 'done', key: stream }]);
  });
});
