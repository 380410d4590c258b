import { addMs } from '@app/kernel';
import {
  ACCEPTED_AT,
  ATTEMPT_HISTORIES,
  BOOT_ID,
  deciderSpec,
  finalEvents,
  processingCommands,
  sampleOrder,
  samplePlan,
} from '@app/testing';
import type { Attempts } from './attempts.state';
import { decideProcessing, evolveProcessing, processingOf } from './processing';

const ordersWith = (plan: Parameters<typeof samplePlan>[0]) =>
  deciderSpec({ initial: processingOf(sampleOrder({ plan: samplePlan(plan) })), evolve: evolveProcessing, decide: decideProcessing });
const { interrupt } = processingCommands;

const DUE_AT = addMs(ACCEPTED_AT, 60_000);
const withCvv = ordersWith({ cvvHolder: BOOT_ID, callbacks: ['notify'] });
const withoutCvv = ordersWith({});

describe('an order that lost its CVV with its process', () => {
  it.each([
    { when: 'at once, where the holder is known to be gone', now: ACCEPTED_AT, isHolderGone: true },
    { when: '60 s after its submit was due', now: DUE_AT, isHolderGone: false },
    { when: 'later', now: addMs(DUE_AT, 1), isHolderGone: false },
  ])('ends in error 121, with nothing charged: $when', ({ now, isHolderGone }) => {
    const end = finalEvents.failed({ code: 121, callbacks: ['notify'], failedAt: now });
    withCvv.given().when(interrupt({ now, isHolderGone })).then(end);
    withCvv.given(end).when(interrupt({ now, isHolderGone })).thenRejected({ reason: 'order-final' });
  });

  it('is left to a holder that lives until its time is over', () => {
    withCvv
      .given()
      .when(interrupt({ now: addMs(DUE_AT, -1), isHolderGone: false }))
      .thenRejected({ reason: 'submit-not-overdue' });
  });

  it.each([true, false])(
    'is never interrupted where it came without a CVV, because any process submits it (holder gone: %s)',
    (isHolderGone) => {
      withoutCvv
        .given()
        .when(interrupt({ now: addMs(DUE_AT, 3_600_000), isHolderGone }))
        .thenRejected({ reason: 'submit-not-overdue' });
    },
  );

  it.each((Object.keys(ATTEMPT_HISTORIES) as Attempts['status'][]).filter((status) => status !== 'none'))(
    'is not interrupted once its attempt is %s, because the gate is asked instead',
    (status) => {
      withCvv
        .given(...ATTEMPT_HISTORIES[status])
        .when(interrupt({ now: DUE_AT, isHolderGone: true }))
        .thenRejected({ reason: 'nothing-new' });
    },
  );
});
