import type { Currency, GateAlias } from '@app/kernel';
import {
  ATTEMPT_KEY,
  attemptEvents,
  deciderSpec,
  disputeEvents,
  disputeReports,
  finalEvents,
  followUpEvents,
  OTHER_KEY,
  recordReport,
  REPORT_DETAILS,
  SAMPLE_AMOUNT,
  sampleOrder,
  samplePlan,
  usd,
} from '@app/testing';
import type { CallbackTarget, Operation } from './accepted-order';
import { decideProcessing, evolveProcessing, processingOf, type ProcessingEvent } from './processing';
import { type MisfitCause, REPORTS_MAX } from './dispute.events';
import type { DisputeReport } from './dispute';

const FULL = SAMPLE_AMOUNT.minor;
const { reversal, chargeback, representment, fraudWarning } = disputeReports;
const recorded = disputeEvents;

const ordered = (operation: Operation = 'sale', callbacks: readonly CallbackTarget[] = ['callback']) =>
  deciderSpec({
    initial: processingOf(sampleOrder({ plan: samplePlan({ operation, callbacks }) })),
    evolve: evolveProcessing,
    decide: decideProcessing,
  });
const APPROVED: readonly ProcessingEvent[] = [attemptEvents.started(), attemptEvents.approved(), finalEvents.approved()];
const sale = (...after: readonly ProcessingEvent[]) => ordered().given(...APPROVED, ...after);
const preauth = (...after: readonly ProcessingEvent[]) => ordered('preauth').given(...APPROVED, ...after);
const captured = (minor: bigint): readonly ProcessingEvent[] => [
  followUpEvents.accepted({ operation: 'capture', amount: usd(minor) }),
  followUpEvents.started(),
  followUpEvents.approved(),
];
const nothingNew = { reason: 'nothing-new' } as const;
const CASE = [recorded.chargeback()];
const WON = [...CASE, recorded.representment()];
const LOST = [...CASE, recorded.representment({ outcome: 'lost' })];
const SECOND = [...WON, recorded.chargeback({ stage: 'second' })];

describe('a gate’s report on an approved order', () => {
  it.each([
    ['a reversal', reversal(), recorded.reversal()],
    ['a chargeback', chargeback(), recorded.chargeback()],
    ['a chargeback of a part', chargeback({ amount: usd(1n) }), recorded.chargeback({ amount: usd(1n) })],
    ['a chargeback at a later stage', chargeback({ stage: 'arbitration' }), recorded.chargeback({ stage: 'arbitration' })],
    ['a fraud warning', fraudWarning(), recorded.fraudWarning()],
    ['a fraud warning of a sum', fraudWarning({ amount: usd(1n) }), recorded.fraudWarning({ amount: usd(1n) })],
  ])('is recorded once: %s', (_, report, event) => {
    sale().when(recordReport(report)).then(event);
    sale(event).when(recordReport(report)).thenRejected(nothingNew);
  });

  it('is accepted if it names the approved attempt', () => {
    sale()
      .when(recordReport(chargeback({ attemptKey: ATTEMPT_KEY })))
      .then(recorded.chargeback());
  });

  it('keeps reason, source and the gate’s time', () => {
    const report = chargeback({ ...REPORT_DETAILS, source: 'file' });
    sale()
      .when(recordReport(report))
      .then(recorded.chargeback({ ...REPORT_DETAILS, source: 'file' }));
  });

  it('schedules a callback only to notify_url', () => {
    const { given } = ordered('sale', ['callback', 'notify']);
    given(...APPROVED)
      .when(recordReport(chargeback()))
      .then(recorded.chargeback({ callbacks: ['notify'] }));
    given(...APPROVED)
      .when(recordReport(fraudWarning()))
      .then(recorded.fraudWarning({ callbacks: ['notify'] }));
  });

  it('with another report id is a separate case', () => {
    sale(recorded.chargeback({ amount: usd(1n) }))
      .when(recordReport(chargeback({ reportId: 'CB-2', amount: usd(2n) })))
      .then(recorded.chargeback({ reportId: 'CB-2', amount: usd(2n) }));
  });

  it('can be a chargeback of a transfer or of the captured part of a preauth', () => {
    ordered('transfer')
      .given(...APPROVED)
      .when(recordReport(chargeback()))
      .then(recorded.chargeback());
    preauth(...captured(400n))
      .when(recordReport(chargeback({ amount: usd(400n) })))
      .then(recorded.chargeback({ amount: usd(400n) }));
  });

  it('is recorded as a cancel if it reverses an uncaptured preauth', () => {
    preauth()
      .when(recordReport(reversal()))
      .then(recorded.reversal({ operation: 'cancel' }));
    preauth(followUpEvents.accepted({ operation: 'capture' }), followUpEvents.started())
      .when(recordReport(reversal()))
      .then(recorded.reversal());
  });
});

describe('the outcome of a representment', () => {
  it.each(['won', 'lost'] as const)('is recorded once with the amount of its chargeback: %s', (outcome) => {
    const event = recorded.representment({ outcome, amount: usd(7n) });
    const before = recorded.chargeback({ amount: usd(7n) });
    sale(before)
      .when(recordReport(representment({ outcome })))
      .then(event);
    sale(before, event)
      .when(recordReport(representment({ outcome })))
      .thenRejected(nothingNew);
  });

  it('may be followed by a later stage with its own outcome', () => {
    sale(...WON)
      .when(recordReport(chargeback({ stage: 'second' })))
      .then(recorded.chargeback({ stage: 'second' }));
    sale(...LOST)
      .when(recordReport(chargeback({ stage: 'second', amount: usd(5n) })))
      .then(recorded.chargeback({ stage: 'second', amount: usd(5n) }));
    sale(...SECOND)
      .when(recordReport(representment({ outcome: 'lost' })))
      .then(recorded.representment({ stage: 'second', outcome: 'lost' }));
  });

  it('is ignored for an earlier stage than the current one, as is that stage’s chargeback', () => {
    sale(...SECOND)
      .when(recordReport(representment({ stage: 'first', outcome: 'lost' })))
      .thenRejected(nothingNew);
    sale(...SECOND)
      .when(recordReport(chargeback()))
      .thenRejected(nothingNew);
  });

  it('is set aside before its chargeback and recorded together with it', () => {
    const early = recorded.setAside({ kind: 'representment', cause: 'case-unknown', outcome: 'lost', reasonCode: '13.1' });
    sale()
      .when(recordReport(representment({ outcome: 'lost', reasonCode: '13.1' })))
      .then(early);
    sale(early)
      .when(recordReport(representment({ outcome: 'lost', reasonCode: '13.1' })))
      .thenRejected(nothingNew);
    sale(early)
      .when(recordReport(chargeback()))
      .then(recorded.chargeback(), recorded.representment({ outcome: 'lost', reasonCode: '13.1' }));
  });

  it('is set aside until the chargeback of the same stage and case', () => {
    const early = recorded.setAside({ kind: 'representment', cause: 'case-unknown', stage: 'second', outcome: 'won' });
    sale(...CASE)
      .when(recordReport(representment({ stage: 'second' })))
      .then(early);
    sale(early).when(recordReport(chargeback())).then(recorded.chargeback());
    sale(early)
      .when(recordReport(chargeback({ reportId: 'CB-2', stage: 'second' })))
      .then(recorded.chargeback({ reportId: 'CB-2', stage: 'second' }));
    sale(early, ...CASE)
      .when(recordReport(chargeback({ stage: 'second' })))
      .then(recorded.chargeback({ stage: 'second' }), recorded.representment({ stage: 'second' }));
  });
});

const EUR = { minor: 1n, currency: 'EUR' as Currency };
const OTHER_GATE = 'sim-b' as GateAlias;

describe('a dispute report that does not match the order', () => {
  const misfits: readonly (readonly [MisfitCause, readonly ProcessingEvent[], DisputeReport, Operation?])[] = [
    ['order-not-final', [attemptEvents.started()], chargeback()],
    ['order-not-final', [attemptEvents.started(), attemptEvents.unknown()], fraudWarning()],
    ['order-not-approved', [attemptEvents.started(), attemptEvents.declined(), finalEvents.declined()], reversal()],
    ['order-not-approved', [finalEvents.failed()], chargeback()],
    ['other-gate', APPROVED, chargeback({ gate: OTHER_GATE })],
    ['other-gate', APPROVED, representment({ gate: OTHER_GATE })],
    ['other-attempt', APPROVED, chargeback({ attemptKey: OTHER_KEY })],
    ['currency-differs', APPROVED, chargeback({ amount: EUR })],
    ['currency-differs', APPROVED, reversal({ amount: EUR })],
    ['nothing-taken', APPROVED, chargeback(), 'preauth'],
    ['nothing-taken', APPROVED, reversal(), 'account-verification'],
    ['more-than-taken', APPROVED, chargeback({ amount: usd(FULL + 1n) })],
    ['more-than-taken', APPROVED, reversal({ amount: usd(FULL + 1n) })],
    ['more-than-taken', [...APPROVED, ...captured(400n)], chargeback({ amount: usd(401n) }), 'preauth'],
    ['more-than-taken', [...APPROVED, ...WON], chargeback({ stage: 'second', amount: usd(FULL + 1n) })],
    ['case-unknown', APPROVED, representment()],
    ['contradicts-recorded', [...APPROVED, ...CASE], chargeback({ amount: usd(1n) })],
    ['contradicts-recorded', [...APPROVED, recorded.reversal()], reversal({ amount: usd(1n) })],
    ['contradicts-recorded', [...APPROVED, ...WON], representment({ outcome: 'lost' })],
    ['contradicts-recorded', [...APPROVED, ...LOST], representment()],
  ];

  it.each(misfits.map(([cause, before, report, operation = 'sale']) => ({ cause, before, report, operation, kind: report.kind })))(
    'is set aside once from a gate or a file and rejected from an operator: $kind, $cause, $operation',
    ({ cause, before, report, operation }) => {
      const { given } = ordered(operation);
      const { amount, stage, outcome } = report as { amount?: typeof SAMPLE_AMOUNT; stage?: 'second'; outcome?: 'won' };
      for (const source of ['gate', 'file'] as const) {
        const event = recorded.setAside({
          kind: report.kind,
          gate: report.gate,
          reportId: report.reportId,
          source,
          cause,
          ...(amount && { amount }),
          ...(stage && { stage }),
          ...(outcome && { outcome }),
        });
        given(...before)
          .when(recordReport({ ...report, source }))
          .then(event);
        given(...before, event)
          .when(recordReport({ ...report, source }))
          .thenRejected(nothingNew);
      }
      given(...before)
        .when(recordReport({ ...report, source: 'operator' }))
        .thenRejected({ reason: cause });
    },
  );

  it('is rejected for an order without an attempt', () => {
    const { given } = ordered();
    given().when(recordReport(chargeback())).thenRejected({ reason: 'order-not-final' });
  });

  it('does not prevent recording the correct report later', () => {
    sale(recorded.setAside({ amount: usd(FULL + 1n) }))
      .when(recordReport(chargeback()))
      .then(recorded.chargeback());
  });
});

describe('reversals above the charged amount', () => {
  const refunded = (...events: readonly ProcessingEvent[]): readonly ProcessingEvent[] => [followUpEvents.accepted(), ...events];
  const above = recorded.chargeback({ isAboveTaken: true });

  it.each([
    ['a return that is under way', refunded(followUpEvents.started())],
    ['a return of unknown outcome', refunded(followUpEvents.started(), followUpEvents.unknown())],
    ['a return', refunded(followUpEvents.started(), followUpEvents.approved())],
    ['a void', [followUpEvents.accepted({ operation: 'void' }), followUpEvents.started(), followUpEvents.approved()]],
    ['a reversal', [recorded.reversal()]],
    ['a chargeback under another id', [recorded.chargeback({ reportId: 'CB-0' })]],
  ])('are recorded and marked: a chargeback after %s', (_, before) => {
    sale(...before)
      .when(recordReport(chargeback()))
      .then(above);
  });

  it.each([
    ['a return that was declined', refunded(followUpEvents.started(), followUpEvents.declined())],
    ['a return that was not sent yet, and will not be', refunded()],
    ['a chargeback that was won back', [recorded.chargeback({ reportId: 'CB-0' }), recorded.representment({ reportId: 'CB-0' })]],
    ['a return of the rest', [followUpEvents.accepted({ amount: usd(1n) }), followUpEvents.started(), followUpEvents.approved()]],
  ])('are not marked after %s', (_, before) => {
    const amount = usd(FULL - 1n);
    sale(...before)
      .when(recordReport(chargeback({ amount })))
      .then(recorded.chargeback({ amount }));
  });

  it('are marked for a reversal after a chargeback and for the release of a cancelled amount', () => {
    sale(...CASE)
      .when(recordReport(reversal()))
      .then(recorded.reversal({ isAboveTaken: true }));
    const cancelled = [
      followUpEvents.accepted({ operation: 'cancel', amount: usd(1n) }),
      followUpEvents.started(),
      followUpEvents.approved(),
    ];
    preauth(...cancelled)
      .when(recordReport(reversal()))
      .then(recorded.reversal({ operation: 'cancel', isAboveTaken: true }));
  });
});

describe('an order with the maximum number of reports', () => {
  const many = Array.from({ length: REPORTS_MAX }, (_, index) => recorded.fraudWarning({ reportId: `FW-${index}` }));

  it('rejects new reports but continues its open cases', () => {
    const { given } = ordered();
    const full = [...APPROVED, ...CASE, ...many.slice(1)];
    given(...full)
      .when(recordReport(fraudWarning({ reportId: 'one-more' })))
      .thenRejected({ reason: 'too-many-reports' });
    given(...full)
      .when(recordReport(representment()))
      .then(recorded.representment());
    given(...full)
      .when(recordReport(chargeback({ stage: 'second' })))
      .then(recorded.chargeback({ stage: 'second' }));
  });
});

it('a representment without its chargeback in the history throws', () => {
  const fold = (): unknown => [...APPROVED, recorded.representment()].reduce(evolveProcessing, processingOf(sampleOrder()));
  expect(fold).toThrow('RepresentmentReported before ChargebackReceived');
});

it.each([recorded.reversal(), recorded.chargeback(), recorded.representment(), recorded.fraudWarning()])(
  '$type before the order was approved throws',
  (event) => {
    expect(() => evolveProcessing(processingOf(sampleOrder()), event)).toThrow(`${event.type} before OrderApproved`);
  },
);
