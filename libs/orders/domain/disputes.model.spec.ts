import fc from 'fast-check';
import { addMs, isRejection, type AttemptKey } from '@app/kernel';
import {
  attemptEvents,
  disputeReports,
  finalEvents,
  FOLLOW_UP_AT,
  followUpAnswers,
  followUpCommands,
  recordReport,
  SAMPLE_AMOUNT,
  sampleOrder,
  samplePlan,
  usd,
  expectSame,
} from '@app/testing';
import { decideProcessing, evolveProcessing, processingOf, type ProcessingCommand, type ProcessingEvent } from './processing';
import { CHARGEBACK_STAGES, takenBackMinor } from './dispute.events';
import type { DisputeReport } from './dispute';

const RUNS = 100;
const FULL = SAMPLE_AMOUNT.minor;
const BEFORE: readonly ProcessingEvent[] = [attemptEvents.started(), attemptEvents.approved(), finalEvents.approved()];
const START = BEFORE.reduce(evolveProcessing, processingOf(sampleOrder({ plan: samplePlan({ operation: 'sale' }) })));

const caseHistory = fc
  .record({
    id: fc.constantFrom('A', 'B', 'C'),
    stages: fc.array(fc.record({ minor: fc.bigInt({ min: 1n, max: FULL }), outcome: fc.constantFrom('won', 'lost', undefined) }), {
      minLength: 1,
      maxLength: CHARGEBACK_STAGES.length,
    }),
  })
  .map(({ id, stages }) =>
    stages.flatMap(({ minor, outcome }, index): readonly DisputeReport[] => {
      const stage = CHARGEBACK_STAGES[index] ?? 'first';
      const received = disputeReports.chargeback({ reportId: id, stage, amount: usd(minor) });
      return outcome === undefined ? [received] : [received, disputeReports.representment({ reportId: id, stage, outcome })];
    }),
  );

const histories = fc.uniqueArray(caseHistory, { selector: ([first]) => first?.reportId, maxLength: 3 }).chain((cases) => {
  const inOrder = [...cases.flat(), disputeReports.reversal({ amount: usd(7n) })];
  return fc.record({
    inOrder: fc.constant(inOrder),
    disordered: fc
      .tuple(fc.shuffledSubarray(inOrder, { minLength: inOrder.length }), fc.shuffledSubarray(inOrder))
      .map(([once, again]) => [...once, ...again]),
  });
});

const live = (commands: readonly ProcessingCommand[]) => {
  let state = START;
  const log: ProcessingEvent[] = [];
  for (const command of commands) {
    const decision = decideProcessing(command, state);
    expectSame(decideProcessing(command, state), decision);
    if (isRejection(decision)) continue;
    log.push(...decision);
    state = decision.reduce(evolveProcessing, state);
  }
  return { state, log };
};

const casesOf = ({ state }: ReturnType<typeof live>) =>
  [...state.disputes.cases].sort((one, other) => one.reportId.localeCompare(other.reportId));

it('repeated reports in any order lead to the same cases and reversals as reports in order', () => {
  fc.assert(
    fc.property(histories, ({ inOrder, disordered }) => {
      const expected = live(inOrder.map((report) => recordReport(report)));
      const actual = live(disordered.map((report) => recordReport(report)));
      expectSame(casesOf(actual), casesOf(expected));
      expectSame(actual.state.disputes.reversals, expected.state.disputes.reversals);
      expectSame(takenBackMinor(actual.state.disputes), takenBackMinor(expected.state.disputes));
    }),
    { numRuns: RUNS },
  );
});

const KEY = (number: number): AttemptKey => `key-${number}` as AttemptKey;
const command = fc.oneof(
  caseHistory.chain((reports) => fc.constantFrom(...reports)).map((report) => recordReport(report)),
  fc
    .record({ id: fc.constantFrom('R1', 'R2'), minor: fc.bigInt({ min: 1n, max: FULL }) })
    .map(({ id, minor }) => recordReport(disputeReports.reversal({ reportId: id, amount: usd(minor) }))),
  fc
    .record({ kind: fc.constantFrom('return' as const, 'return' as const, 'void' as const), minor: fc.bigInt({ min: 1n, max: FULL }) })
    .map(({ kind, minor }) => followUpCommands.request({ kind, ...(kind === 'return' && { amount: usd(minor) }) })),
  fc.integer({ min: 1, max: 6 }).map((number) => followUpCommands.start({ number, key: KEY(number), now: addMs(FOLLOW_UP_AT, 1) })),
  fc
    .record({
      number: fc.integer({ min: 1, max: 6 }),
      answer: fc.constantFrom(followUpAnswers.approved(), followUpAnswers.declined(), followUpAnswers.unknown()),
    })
    .map(({ number, answer }) => followUpCommands.record(answer, { number, key: KEY(number) })),
);

/** Read only from the log: our requests that moved money or may have, and the gate's own reversals. */
const bookOf = (log: readonly ProcessingEvent[]) => {
  const sent = new Map<number, bigint>();
  const asked = new Map<number, bigint>();
  const taken = new Map<string, bigint>();
  for (const event of log) {
    if (event.type === 'FollowUpAccepted') asked.set(event.data.number, event.data.amount.minor);
    if (event.type === 'FollowUpStarted') sent.set(event.data.number, asked.get(event.data.number) ?? 0n);
    if (event.type === 'FollowUpDeclined' || event.type === 'FollowUpFailed') sent.delete(event.data.number);
    if (event.type === 'LateFollowUpConflict' && event.data.told === 'approved')
      sent.set(event.data.number, asked.get(event.data.number) ?? 0n);
    if (event.type === 'ReversalReported') taken.set(`reversal ${event.data.reportId}`, event.data.amount.minor);
    if (event.type === 'ChargebackReceived') taken.set(`case ${event.data.reportId}`, event.data.amount.minor);
    if (event.type === 'RepresentmentReported')
      taken.set(`case ${event.data.reportId}`, event.data.outcome === 'won' ? 0n : event.data.amount.minor);
  }
  const sum = (parts: Iterable<bigint>): bigint => [...parts].reduce((total, one) => total + one, 0n);
  return { sentMinor: sum(sent.values()), takenMinor: sum(taken.values()) };
};

it('no follow-up returns reversed money again, and a report above the charged amount is marked', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 30, size: 'max' }), (commands) => {
      const { log } = live(commands);
      for (const [index, event] of log.entries()) {
        const { sentMinor, takenMinor } = bookOf(log.slice(0, index + 1));
        const isAbove = sentMinor + takenMinor > FULL;
        if (event.type === 'FollowUpStarted' && log[index + 1]?.type !== 'FollowUpFailed') expectSame(isAbove, false);
        if (event.type === 'ReversalReported' || event.type === 'ChargebackReceived') expectSame(event.data.isAboveTaken ?? false, isAbove);
      }
    }),
    { numRuns: RUNS },
  );
});
