import { addMs } from '@app/kernel';
import {
  attemptEvents,
  deciderSpec,
  finalEvents,
  FOLLOW_UP_AT,
  followUpAnswers,
  followUpCommands,
  followUpEvents,
  OTHER_KEY,
  SAMPLE_AMOUNT,
  sampleOrder,
  samplePlan,
  usd,
} from '@app/testing';
import { type FollowUpEvent, evolveFollowUps, type FollowUp } from './follow-up.events';
import { decideFollowUp, followUpFlightEndsAt, type FollowUpAnswer, nextFollowUpStep, WAIT_CHECK_MS } from './follow-ups';
import { decideProcessing, evolveProcessing, processingOf, type ProcessingEvent } from './processing';

const { given } = deciderSpec({ initial: processingOf(sampleOrder()), evolve: evolveProcessing, decide: decideProcessing });
const { start, record, resolve } = followUpCommands;
const { accepted, started, unknown, approved, declined, failed, settled, conflict } = followUpEvents;
const APPROVED: readonly ProcessingEvent[] = [attemptEvents.started(), attemptEvents.approved(), finalEvents.approved()];
const preauthOrder = deciderSpec({
  initial: processingOf(sampleOrder({ plan: samplePlan({ operation: 'preauth' }) })),
  evolve: evolveProcessing,
  decide: decideProcessing,
});
const preauth = (...followUps: readonly FollowUpEvent[]) => preauthOrder.given(...APPROVED, ...followUps);
const sale = (...followUps: readonly FollowUpEvent[]) => given(...APPROVED, ...followUps);
const nothingNew = { reason: 'nothing-new' } as const;
const notify = { callbacks: ['notify'] } as const;

describe('the start of a follow-up', () => {
  it('is accepted once', () => {
    sale(accepted()).when(start()).then(started());
    sale(accepted(), started())
      .when(start({ key: OTHER_KEY }))
      .thenRejected({ reason: 'follow-up-started' });
    sale(accepted(), started(), approved()).when(start()).thenRejected({ reason: 'follow-up-started' });
  });

  it('is rejected if no follow-up was accepted', () => {
    sale().when(start()).thenRejected(nothingNew);
    sale(accepted())
      .when(start({ number: 2 }))
      .thenRejected(nothingNew);
  });

  it('does not wait for an open follow-up', () => {
    sale(accepted({ amount: usd(500n) }), accepted({ number: 2, amount: usd(500n) }), started(), unknown())
      .when(start({ number: 2, key: OTHER_KEY }))
      .then(started({ number: 2, attemptKey: OTHER_KEY }));
  });

  it('of a capture waits until earlier cancels have an outcome, which reduce its amount', () => {
    const cancel = accepted({ operation: 'cancel', amount: usd(42n) });
    const capture = accepted({ number: 2, operation: 'capture', amount: usd(1_000n) });
    const command = start({ number: 2, key: OTHER_KEY });
    const begun = started({ number: 2, attemptKey: OTHER_KEY });
    preauth(cancel, capture).when(command).thenRejected({ reason: 'follow-up-waits' });
    preauth(cancel, capture, started(), unknown()).when(command).thenRejected({ reason: 'follow-up-waits' });
    for (const end of [approved(), declined(), failed(), settled()]) {
      preauth(cancel, capture, started(), end).when(command).then(begun);
    }
    preauth(accepted({ operation: 'capture' }), accepted({ number: 2, operation: 'cancel' }))
      .when(start())
      .then(started());
  });

  describe('fails with 122 if a revoked decline leaves no amount (safety, I12)', () => {
    const command = start({ number: 2, key: OTHER_KEY });
    const begun = started({ number: 2, attemptKey: OTHER_KEY });
    const notSent = failed({ number: 2, failedAt: command.data.now });
    const tookBack = [started(), declined(), conflict({ believed: 'declined' })] as const;

    it('for a second full return and a second capture', () => {
      sale(accepted(), ...tookBack.slice(0, 2), accepted({ number: 2 }))
        .when(command)
        .then(begun);
      sale(accepted(), ...tookBack.slice(0, 2), accepted({ number: 2 }), tookBack[2])
        .when(command)
        .then(begun, notSent);
      const capture = { operation: 'capture' } as const;
      preauth(accepted(capture), ...tookBack.slice(0, 2), accepted({ number: 2, ...capture }), tookBack[2])
        .when(command)
        .then(begun, notSent);
    });

    it('for a void after a return and a return after a void', () => {
      sale(accepted({ amount: usd(1n) }), ...tookBack.slice(0, 2), accepted({ number: 2, operation: 'void' }), tookBack[2])
        .when(command)
        .then(begun, notSent);
      sale(accepted({ operation: 'void' }), ...tookBack.slice(0, 2), accepted({ number: 2, amount: usd(1n) }), tookBack[2])
        .when(command)
        .then(begun, notSent);
    });

    it('but not for a part that the remaining amount covers', () => {
      sale(
        accepted({ amount: usd(SAMPLE_AMOUNT.minor - 1n) }),
        ...tookBack.slice(0, 2),
        accepted({ number: 2, amount: usd(1n) }),
        tookBack[2],
      )
        .when(command)
        .then(begun);
    });
  });
});

describe('the gate’s answer to a follow-up', () => {
  const words: readonly (readonly [FollowUpAnswer, FollowUpEvent])[] = [
    [followUpAnswers.approved(), approved(notify)],
    [followUpAnswers.declined(), declined(notify)],
    [followUpAnswers.declined({ advice: 'ask your bank' }), declined({ ...notify, advice: 'ask your bank' })],
    [followUpAnswers.notAsked(), failed(notify)],
    [followUpAnswers.notAsked({ cause: 'refused-by-gate' }), failed(notify)],
    [followUpAnswers.notAsked({ cause: 'never-heard-of' }), failed({ ...notify, code: 121 })],
  ];

  it.each(words)('%j ends the follow-up', (answer, event) => {
    sale(accepted(notify), started()).when(record(answer)).then(event);
    sale(accepted(notify), started(), unknown()).when(record(answer)).then(event);
    sale(accepted(notify), started(), event).when(record(answer)).thenRejected(nothingNew);
  });

  it('is recorded once as unknown and does not end the follow-up', () => {
    sale(accepted(), started()).when(record(followUpAnswers.unknown())).then(unknown());
    sale(accepted(), started(), unknown()).when(record(followUpAnswers.unknown())).thenRejected(nothingNew);
  });

  it('is ignored under any key except that of the started follow-up', () => {
    const answer = followUpAnswers.approved();
    sale(accepted()).when(record(answer)).thenRejected(nothingNew);
    sale(accepted(), started())
      .when(record(answer, { key: OTHER_KEY }))
      .thenRejected(nothingNew);
    sale().when(record(answer)).thenRejected(nothingNew);
  });

  it.each([
    ['approved', approved(), followUpAnswers.declined(), 'declined'],
    ['declined', declined(), followUpAnswers.approved(), 'approved'],
    ['failed', failed(), followUpAnswers.approved(), 'approved'],
  ] as const)('is recorded once as a conflict if it contradicts the outcome %s, which is kept', (believed, end, answer, told) => {
    const late = conflict({ believed, told, toldAt: record(answer).data.now });
    sale(accepted(), started(), end).when(record(answer)).then(late);
    sale(accepted(), started(), end, late).when(record(answer)).thenRejected(nothingNew);
    const { followUps } = sale(accepted(), started(), end, late).state;
    expect(followUps).toMatchObject([{ status: believed, conflicts: [told] }]);
  });

  it.each([followUpAnswers.declined(), followUpAnswers.unknown(), followUpAnswers.notAsked()])(
    'is not new after a failure if it reports no movement of money: $kind',
    (answer) => sale(accepted(), started(), failed()).when(record(answer)).thenRejected(nothingNew),
  );
});

describe('an operator’s resolution of a follow-up', () => {
  it.each(['approved', 'declined'] as const)('ends an unknown outcome as %s', (as) => {
    sale(accepted(notify), started(), unknown())
      .when(resolve({ as }))
      .then(settled({ as, ...notify }));
    sale(accepted(), started(), unknown(), settled({ as })).when(resolve({ as })).thenRejected({ reason: 'nothing-to-resolve' });
    expect(sale(accepted(), started(), unknown(), settled({ as })).state.followUps).toMatchObject([{ status: as }]);
  });

  it('is rejected within the longest flight, after the end and before the start', () => {
    const flightEndsAt = addMs(started().data.startedAt, 37_000);
    for (const history of [
      [accepted(), started()],
      [accepted(), started(), unknown()],
    ]) {
      sale(...history)
        .when(resolve({ now: addMs(flightEndsAt, -1) }))
        .thenRejected({ reason: 'flight-not-over' });
      sale(...history)
        .when(resolve({ now: flightEndsAt }))
        .then(settled({ settledAt: flightEndsAt }));
    }
    sale(accepted(), started(), unknown({ isCallOver: true }))
      .when(resolve({ now: addMs(flightEndsAt, -1) }))
      .then(settled({ settledAt: addMs(flightEndsAt, -1) }));
    for (const history of [[], [accepted()], [accepted(), started(), approved()]]) {
      sale(...history)
        .when(resolve())
        .thenRejected({ reason: 'nothing-to-resolve' });
    }
  });

  it('is kept if the gate contradicts it, and the conflict is recorded', () => {
    const late = conflict({ believed: 'declined', toldAt: record(followUpAnswers.approved()).data.now });
    sale(accepted(), started(), unknown(), settled({ as: 'declined' }))
      .when(record(followUpAnswers.approved()))
      .then(late);
  });
});

describe('the next step of a follow-up', () => {
  const stepAt = (ms: number, ...events: readonly FollowUpEvent[]) => {
    const { followUps } = sale(...events).state;
    const followUp = followUps.at(-1);
    if (followUp === undefined) throw new Error('no follow-up');
    return nextFollowUpStep(followUp, followUps, addMs(FOLLOW_UP_AT, ms));
  };
  const { startedAt } = started().data;

  it('is the submit, then inquiries by the schedule and at the end of the longest flight', () => {
    expect(stepAt(0, accepted())).toEqual({ task: 'submit', dueAt: FOLLOW_UP_AT });
    expect(stepAt(10, accepted(), started())).toEqual({ task: 'inquire', dueAt: addMs(startedAt, 1_000) });
    expect(stepAt(24_000, accepted(), started(), unknown())).toEqual({ task: 'inquire', dueAt: addMs(startedAt, 37_000) });
    const over = unknown({ isCallOver: true });
    expect(stepAt(4_000, accepted(), started(), over)).toEqual({ task: 'inquire', dueAt: addMs(over.data.answeredAt, 5_000) });
  });

  it('is to wait if a capture follows an open cancel', () => {
    const events = [accepted({ operation: 'cancel' }), accepted({ number: 2, operation: 'capture' })];
    expect(stepAt(5, ...events)).toEqual({ task: 'wait', dueAt: addMs(FOLLOW_UP_AT, 5 + WAIT_CHECK_MS) });
  });

  it.each([approved(), declined(), failed(), settled()])('is nothing after $type', (end) => {
    expect(stepAt(0, accepted(), started(), end)).toEqual({ task: 'nothing' });
  });

  it('counts the longest flight from the start', () => {
    const [followUp] = sale(accepted(), started()).state.followUps;
    if (followUp?.status !== 'started') throw new Error('not started');
    expect(followUpFlightEndsAt(followUp)).toBe(addMs(startedAt, 37_000));
  });
});

describe('an impossible history of follow-ups throws', () => {
  const cannot = (message: string, ...events: readonly FollowUpEvent[]) => expect(() => sale(...events)).toThrow(message);

  it('if its events or numbers are out of order', () => {
    cannot('follow-up 2 after 0 of them', accepted({ number: 2 }));
    cannot('FollowUpStarted of follow-up 1, of which there are 0', started());
    cannot('FollowUpStarted of a follow-up that is started', accepted(), started(), started({ attemptKey: OTHER_KEY }));
    cannot('FollowUpStarted of a follow-up that is approved', accepted(), started(), approved(), started());
    cannot('FollowUpApproved of a follow-up that is accepted', accepted(), approved());
    cannot('FollowUpDeclined of a follow-up that is approved', accepted(), started(), approved(), declined());
    cannot('LateFollowUpConflict of a follow-up that is started', accepted(), started(), conflict());
  });

  it('if the order was not approved', () => {
    expect(() => given(accepted())).toThrow('FollowUpAccepted before OrderApproved');
    expect(() => given(attemptEvents.started(), attemptEvents.declined(), finalEvents.declined(), accepted())).toThrow(
      'FollowUpAccepted before OrderApproved',
    );
  });
});

describe('an unknown case throws', () => {
  const unknownCase = { type: 'UnheardOf', data: { number: 1 } } as never;
  const { followUps } = sale(accepted(), started()).state;
  const unknownState = { status: 'unheard-of' } as unknown as FollowUp;

  it.each([
    ['a command', () => decideFollowUp(unknownCase, { kind: 'not-final' }, followUps)],
    ['an answer', () => sale(accepted(), started()).when(record({ kind: 'unheard-of' } as never))],
    ['a kind of follow-up', () => sale().when(followUpCommands.request({ kind: 'unheard-of' as never }))],
    ['a state to go on from', () => nextFollowUpStep(unknownState, [unknownState], FOLLOW_UP_AT)],
  ])('for %s', (_, ask) => expect(ask).toThrow(/^no case for .*unheard-?of/i));

  it('for an event of a follow-up', () => {
    const state = sale(accepted(), started()).state;
    expect(() => evolveProcessing({ ...state }, { ...started(), type: 'FollowUpUnheardOf' } as never)).toThrow(/^no case for/);
    expect(() => evolveFollowUps(state.followUps, { ...started(), type: 'FollowUpUnheardOf' } as never)).toThrow(/^no case for/);
  });
});
