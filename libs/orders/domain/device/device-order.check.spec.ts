import type { Sealed } from '@app/kernel';
import {
  afterAcceptance,
  CHECKED_AT,
  CHOICE_DUE_AT,
  deciderSpec,
  destinationReferred,
  deviceCommands,
  deviceEvents,
  deviceOrderUnder,
  devicePlan,
  FEE_A,
  FEE_CHOICE_MS,
  finalEvents,
  processingCommands,
  sampleDeviceOrder,
  sourceReferred,
} from '@app/testing';
import { CHECK_FAILURES } from '../device.events';

const { given } = deciderSpec(deviceOrderUnder(devicePlan()));
const { checked, checkFailed, feesOffered } = deviceEvents;
const { recordCheck, recordFailedCheck } = deviceCommands;

describe('the merchant server’s check (interface, section 4.6; protocol decisions, section 8)', () => {
  it('is required before the first attempt starts [W151]', () => {
    given().when(processingCommands.start()).thenRejected({ reason: 'not-checked' });
  });

  it('lets the first attempt start if it passed, and records the data of the answer', () => {
    const named = {
      source: sourceReferred,
      destination: destinationReferred,
      customer: 'sealed-anew' as Sealed,
      details: 'sealed-anew-too' as Sealed,
      randomSum: 'NOT_AUTHENTICATED' as const,
    };
    given().when(recordCheck(named)).then(checked(named));
    given(checked(named))
      .when(processingCommands.start())
      .then({
        type: 'AttemptStarted',
        data: {
          attemptKey: processingCommands.start().data.key,
          number: 1,
          gate: FEE_A.gate,
          amount: sampleDeviceOrder().amount,
          startedAt: processingCommands.start().data.now,
        },
      });
  });

  it('is recorded once, and the first valid result is kept', () => {
    given(checked()).when(recordCheck()).thenRejected({ reason: 'nothing-new' });
    given(checked()).when(recordFailedCheck()).thenRejected({ reason: 'nothing-new' });
    given(checkFailed(), finalEvents.failed({ code: 121 }))
      .when(recordCheck())
      .thenRejected({ reason: 'order-final' });
  });

  it('ends the order as filtered if the merchant server filters it [W381]', () => {
    given()
      .when(recordFailedCheck('filtered'))
      .then(checkFailed({ cause: 'filtered' }), finalEvents.filtered({ filteredAt: CHECKED_AT }));
  });

  it.each(CHECK_FAILURES.filter((cause) => cause !== 'filtered'))(
    'ends the order as failed without a charge if it failed: %s [W382]',
    (cause) => {
      given()
        .when(recordFailedCheck(cause))
        .then(checkFailed({ cause }), finalEvents.failed({ code: 121, failedAt: CHECKED_AT }));
    },
  );

  it('is rejected for a final order', () => {
    given(finalEvents.failed({ code: 121 }))
      .when(recordCheck())
      .thenRejected({ reason: 'order-final' });
  });

  it('does not change how an order with a lost CVV ends', () => {
    const { given: withCvv } = deciderSpec(deviceOrderUnder(devicePlan({ cvvHolder: 'boot' as never })));
    withCvv()
      .when(processingCommands.interrupt({ now: afterAcceptance(59_999) }))
      .thenRejected({ reason: 'submit-not-overdue' });
    withCvv()
      .when(processingCommands.interrupt({ now: afterAcceptance(60_000) }))
      .then(finalEvents.failed({ code: 121, failedAt: afterAcceptance(60_000) }));
  });
});

describe('the random sum (protocol decisions, section 7)', () => {
  const { given: required } = deciderSpec(deviceOrderUnder(devicePlan({ device: { isRandomSumRequired: true } })));

  it.each(['AUTHENTICATED', 'NOT_AUTHENTICATED', undefined] as const)(
    'does not affect the order if it is optional: %s [W367]',
    (randomSum) => {
      const result = randomSum === undefined ? {} : { randomSum };
      given().when(recordCheck(result)).then(checked(result));
    },
  );

  it('lets the order continue if it is required and proved', () => {
    required()
      .when(recordCheck({ randomSum: 'AUTHENTICATED' }))
      .then(checked({ randomSum: 'AUTHENTICATED' }));
  });

  it.each([{ randomSum: 'NOT_AUTHENTICATED' as const }, {}])(
    'ends the order as declined with 111 if it is required and not proved: %p [W255, W367]',
    (result) => {
      required()
        .when(recordCheck(result))
        .then(checked(result), finalEvents.declined({ code: 111, declinedAt: CHECKED_AT }));
    },
  );
});

describe('the gates’ fees if the consumer chooses (interface, section 3.2)', () => {
  const { given: choosing } = deciderSpec(deviceOrderUnder(devicePlan({ device: { feeChoiceMs: FEE_CHOICE_MS } })));

  it('are offered with the check, with the deadline of the plan [W59]', () => {
    choosing()
      .when(recordCheck({ offers: [FEE_A] }))
      .then(checked(), feesOffered({ offers: [FEE_A], choiceDueAt: CHOICE_DUE_AT }));
  });

  it('are not offered if the plan has no choice', () => {
    given()
      .when(recordCheck({ offers: [FEE_A] }))
      .then(checked());
  });

  it('end the order as failed if no gate quotes a fee', () => {
    choosing()
      .when(recordCheck({ offers: [] }))
      .then(checked(), finalEvents.failed({ code: 122, failedAt: CHECKED_AT }));
  });

  it('are not offered if the random sum was not proved', () => {
    const plan = devicePlan({ device: { feeChoiceMs: FEE_CHOICE_MS, isRandomSumRequired: true } });
    deciderSpec(deviceOrderUnder(plan))
      .given()
      .when(recordCheck({ offers: [FEE_A] }))
      .then(checked(), finalEvents.declined({ code: 111, declinedAt: CHECKED_AT }));
  });
});

it('an order without device options in its plan still needs the check', () => {
  const { device: _device, ...plan } = devicePlan();
  const { given: plain } = deciderSpec(deviceOrderUnder(plan));
  plain().when(processingCommands.start()).thenRejected({ reason: 'not-checked' });
  plain()
    .when(recordCheck({ offers: [FEE_A] }))
    .then(checked());
});

describe('an impossible log', () => {
  it.each([
    ['checked twice', [checked(), checked()], 'MerchantChecked of an order that is checked'],
    ['failed after it passed', [checked(), checkFailed()], 'MerchantCheckFailed of an order that is checked'],
    ['offers before the check', [feesOffered()], 'FeesOffered of an order that is unchecked'],
    ['a choice without an offer', [checked(), deviceEvents.feeChosen()], 'FeeChosen of an order that is checked'],
    [
      'a gate that the plan does not have',
      [checked(), feesOffered(), deviceEvents.feeChosen({ gate: 'sim-x' as never })],
      'the plan has no gate sim-x',
    ],
  ])('throws for %s', (_what, events, message) => {
    expect(() => given(...events)).toThrow(message);
  });
});
