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

describe('the agenda of an order’s events', () => {
  it('has the submit of an order without a CVV at once', () => {
    expect(workOf({ type: 'OrderAccepted', data: sampleOrder() })).toEqual(due('submit', 'acme/sim-a', ACCEPTED_AT));
  });

  it('gives the holder of a CVV sixty seconds', () => {
    const data = sampleOrder({ plan: samplePlan({ cvvHolder: 'boot' as BootId }) });
    expect(workOf({ type: 'OrderAccepted', data })).toEqual(due('interrupt', 'acme/payer', afterAcceptance(60_000)));
  });

  it('has an inquiry one second after a start, whichever process made it, beside what waits to be sent', () => {
    const data = { attemptKey: ATTEMPT_KEY, number: 1, gate: sampleOrder().plan.gates[0].alias, amount: usd(1n), startedAt: ACCEPTED_AT };
    expect(workOf({ type: 'AttemptStarted', data })).toEqual(due('inquire', 'acme/sim-a inquiries', afterAcceptance(1_000)));
  });

  it('waits for the payer until the deadline, and has an inquiry one second after the return', () => {
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

  it('asks a gate that hosts the authentication, and declines no payer for it', () => {
    const challenged = attemptEvents.challenged({ isHosted: true, answeredAt: ACCEPTED_AT });
    expect(workOf(challenged)).toEqual(due('inquire', 'acme/hosted-challenges inquiries', afterAcceptance(30_000)));
  });

  it('has the next attempt of a plan at once, in the lane of its gate', () => {
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
  ])('has nothing new after $type, because the event in the same append decides', (event) => {
    expect(workOf(event)).toEqual([]);
  });

  it("waits for the consumer’s choice until the deadline, and has the chosen gate's submit at once", () => {
    expect(workOf(deviceEvents.feesOffered())).toEqual(due('decline-absent-choice', 'acme/payer', CHOICE_DUE_AT));
    expect(workOf(deviceEvents.feeChosen())).toEqual(due('go-on', 'acme/sim-b', FEE_CHOSEN_AT));
  });

  it.each([deviceEvents.checked(), deviceEvents.checkFailed(), deviceEvents.commissionDiffered(), deviceEvents.cardsMapped()])(
    'is not changed by $type',
    (event) => {
      expect(workOf(event)).toEqual([]);
    },
  );

  it.each(Object.values(finalEvents).map((make) => make()))('has nothing left after $type', (event) => {
    expect(workOf(event)).toEqual([{ kind: 'done', key: stream }]);
  });
});
