import {
  afterAcceptance,
  ANSWERED_AT,
  attemptEvents,
  CONCLUDED_AT,
  deciderSpec,
  deviceCommands,
  deviceEvents,
  deviceOrderUnder,
  devicePlan,
  finalEvents,
  followUpCommands,
  gateAnswers,
  OTHER_KEY,
  processingCommands,
  SETTLED_AT,
} from '@app/testing';
import { mayGoOn } from '../processing';
import { nextStep } from '../next-step';

const { given } = deciderSpec(deviceOrderUnder(devicePlan()));
const { checked, cardsMapped } = deviceEvents;
const { conclude } = deviceCommands;
const { started, approved, settled, declined, unknown } = attemptEvents;
const charged = [checked(), started(), approved()] as const;
const ended = finalEvents.approved({ approvedAt: CONCLUDED_AT });

describe('concluding a device order (protocol decisions, section 8, order of things)', () => {
  it('does not happen before the merchant server is notified of the cards [W152, W407]', () => {
    given(checked(), started()).when(processingCommands.record(gateAnswers.approved())).then(approved());
    const { state } = given(...charged);
    expect(state.end).toBeUndefined();
    expect(nextStep(state, afterAcceptance(300))).toStrictEqual({ task: 'conclude', dueAt: afterAcceptance(300) });
  });

  it('is not needed after a decline, which ends the order immediately', () => {
    given(checked(), started())
      .when(processingCommands.record(gateAnswers.declined()))
      .then(declined(), finalEvents.declined({ declinedAt: ANSWERED_AT }));
  });

  it('approves the order in the same append as the card mapping [W396]', () => {
    given(...charged)
      .when(conclude())
      .then(cardsMapped(), ended);
  });

  it('schedules a notification if the merchant server has not acknowledged', () => {
    given(...charged)
      .when(conclude({ isAcknowledged: false }))
      .then(
        cardsMapped({ isAcknowledged: false }),
        finalEvents.approved({ approvedAt: CONCLUDED_AT, callbacks: ['callback', 'notification'] }),
      );
  });

  it('schedules no notification if the merchant turned it off [W534]', () => {
    given(...charged)
      .when(conclude({ isAcknowledged: false, isNotificationOff: true }))
      .then(cardsMapped({ isAcknowledged: false, isNotificationOff: true }), ended);
  });

  it('happens once, and only for the approved attempt', () => {
    given(...charged, cardsMapped(), ended)
      .when(conclude())
      .thenRejected({ reason: 'order-final' });
    given(...charged)
      .when(conclude({ key: OTHER_KEY }))
      .thenRejected({ reason: 'nothing-new' });
  });

  it.each([
    ['unchecked', []],
    ['checked', [checked()]],
    ['at the gate', [checked(), started()]],
    ['unknown', [checked(), started(), unknown()]],
  ])('is rejected without the gate’s approval: %s', (_what, events) => {
    given(...events)
      .when(conclude())
      .thenRejected({ reason: 'nothing-new' });
  });

  it('follows an operator’s resolution as approved', () => {
    given(checked(), started(), unknown()).when(processingCommands.resolve()).then(settled());
    given(checked(), started(), unknown(), settled())
      .when(conclude({ now: SETTLED_AT }))
      .then(cardsMapped({ mappedAt: SETTLED_AT }), finalEvents.approved({ approvedAt: SETTLED_AT }));
  });

  it('needs no CVV after the approval, even if the plan has another gate', () => {
    expect(mayGoOn(given(checked(), started()).state)).toBe(true);
    expect(mayGoOn(given(...charged).state)).toBe(false);
  });
});

describe('follow-ups of an approved order of the device interface', () => {
  it('are accepted for a sale', () => {
    const { given: sale } = deciderSpec(deviceOrderUnder(devicePlan({ operation: 'sale' })));
    const { decision } = sale(...charged, cardsMapped(), ended).when(followUpCommands.request());
    expect(decision).toMatchObject([{ type: 'FollowUpAccepted', data: { number: 1, operation: 'reversal' } }]);
  });

  it('are rejected for a transfer', () => {
    given(...charged, cardsMapped(), ended)
      .when(followUpCommands.request())
      .thenRejected({ reason: 'operation-not-possible' });
  });
});
