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

describe('from the gate’s approval to the order’s (protocol decisions, section 8, order of things)', () => {
  it('an approval at the gate does not end the order before the merchant server is notified of the cards [W152, W407]', () => {
    given(checked(), started()).when(processingCommands.record(gateAnswers.approved())).then(approved());
    const { state } = given(...charged);
    expect(state.end).toBeUndefined();
    expect(nextStep(state, afterAcceptance(300))).toStrictEqual({ task: 'conclude', dueAt: afterAcceptance(300) });
  });

  it('a decline ends it at once, as for every order', () => {
    given(checked(), started())
      .when(processingCommands.record(gateAnswers.declined()))
      .then(declined(), finalEvents.declined({ declinedAt: ANSWERED_AT }));
  });

  it('it ends approved in the append that maps the cards [W396]', () => {
    given(...charged)
      .when(conclude())
      .then(cardsMapped(), ended);
  });

  it('the merchant server is notified again where it has not acknowledged', () => {
    given(...charged)
      .when(conclude({ isAcknowledged: false }))
      .then(
        cardsMapped({ isAcknowledged: false }),
        finalEvents.approved({ approvedAt: CONCLUDED_AT, callbacks: ['callback', 'notification'] }),
      );
  });

  it('the merchant server is not notified where the merchant has the notification off [W534]', () => {
    given(...charged)
      .when(conclude({ isAcknowledged: false, isNotificationOff: true }))
      .then(cardsMapped({ isAcknowledged: false, isNotificationOff: true }), ended);
  });

  it('it is concluded once, for the attempt that was approved', () => {
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
  ])('it is not concluded without a gate’s approval: %s', (_what, events) => {
    given(...events)
      .when(conclude())
      .thenRejected({ reason: 'nothing-new' });
  });

  it('it is concluded when a person resolved it as approved', () => {
    given(checked(), started(), unknown()).when(processingCommands.resolve()).then(settled());
    given(checked(), started(), unknown(), settled())
      .when(conclude({ now: SETTLED_AT }))
      .then(cardsMapped({ mappedAt: SETTLED_AT }), finalEvents.approved({ approvedAt: SETTLED_AT }));
  });

  it('it needs no CVV any more, although the plan has another gate', () => {
    expect(mayGoOn(given(checked(), started()).state)).toBe(true);
    expect(mayGoOn(given(...charged).state)).toBe(false);
  });
});

describe('follow-ups of an approved order of the device interface', () => {
  it('a sale takes those of every order', () => {
    const { given: sale } = deciderSpec(deviceOrderUnder(devicePlan({ operation: 'sale' })));
    const { decision } = sale(...charged, cardsMapped(), ended).when(followUpCommands.request());
    expect(decision).toMatchObject([{ type: 'FollowUpAccepted', data: { number: 1, operation: 'reversal' } }]);
  });

  it('a transfer takes none: its money is with the receiver', () => {
    given(...charged, cardsMapped(), ended)
      .when(followUpCommands.request())
      .thenRejected({ reason: 'operation-not-possible' });
  });
});
