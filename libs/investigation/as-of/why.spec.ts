import { addMs, type Instant } from '@app/kernel';
import type { OrderEvent } from '@app/read-models';
import { attemptEvents, finalEvents, followUpEvents, sampleOrder, sampleReceipt } from '@app/testing';
import { recorded, SERIAL, type Append } from '../testing/recorded';
import { type Cause, differenceOf, replayedSteps, whyOf } from './why';
import { datedEvents } from './dated-events';

const noon = 1_777_809_600_000 as Instant;
const accepted: OrderEvent = { type: 'OrderAccepted', data: sampleOrder({ acceptedAt: noon }) };
const receipt = sampleReceipt({ processedAt: addMs(noon, 10_000), rrn: '000000000001' });
const appends: readonly Append[] = [
  { at: noon, events: [accepted], actor: 'acme' },
  { at: addMs(noon, 1_000), events: [attemptEvents.started()] },
  { at: addMs(noon, 30_000), events: [attemptEvents.unknown()] },
  { at: addMs(noon, 60_000), events: [attemptEvents.approved({ receipt }), finalEvents.approved()], actor: 'jane' },
  { at: addMs(noon, 90_000), events: [followUpEvents.accepted()] },
];
const history = datedEvents(recorded(appends));
const upTo = (count: number) => history.slice(0, count);

describe('differenceOf two moments', () => {
  const told = (from: number, to: number) =>
    differenceOf(upTo(from), upTo(to)).map(({ field, before, after, event }) => [field, before, after, event.logEvent.event.type]);

  it('lists each changed field with old value, new value and causing event', () => {
    expect(told(3, 5)).toStrictEqual([
      ['status', 'unknown', 'approved', 'OrderApproved'],
      ['stage', 'sale_unknown', 'sale_approved', 'OrderApproved'],
      ['transactionId', null, 'PNTEST-1', 'AttemptApproved'],
      ['rrn', null, '000000000001', 'AttemptApproved'],
      ['approvalCode', null, 'A1B2C3', 'AttemptApproved'],
      ['receiptId', null, expect.any(String), 'OrderApproved'],
      ['finalAt', null, expect.any(String), 'OrderApproved'],
      ['processedAt', null, '2026-05-03T12:00:10.000Z', 'AttemptApproved'],
      ['callbacks[0]', null, 'callback', 'OrderApproved'],
      ['unknownSince', expect.any(String), null, 'AttemptApproved'],
    ]);
  });

  it('names the latest of several events that changed a field', () => {
    expect(told(2, 3)).toStrictEqual([
      ['status', 'processing', 'unknown', 'AttemptUnknown'],
      ['stage', 'sale_filtering', 'sale_unknown', 'AttemptUnknown'],
      ['unknownSince', null, expect.any(String), 'AttemptUnknown'],
    ]);
  });

  it('omits a field that changed and changed back', () => {
    const back = [
      ...upTo(3),
      ...datedEvents(recorded([...appends.slice(0, 3), { at: noon, events: [attemptEvents.notAsked()] }])).slice(3),
    ];
    expect(differenceOf(upTo(2), back).map(({ field }) => field)).toStrictEqual(['stage']);
  });

  it('lists the fields of a new part of the state', () => {
    expect(told(5, 6)).toContainEqual(['followUps[0].status', null, 'processing', 'FollowUpAccepted']);
  });

  it('is empty for equal moments, and lists all fields from before the acceptance', () => {
    expect(told(4, 4)).toStrictEqual([]);
    expect(told(0, 1)).toContainEqual(['status', null, 'processing', 'OrderAccepted']);
  });
});

describe('whyOf a field', () => {
  const shown = (cause: Cause) => (cause.kind === 'event' ? cause.event.logEvent.event.type : cause);

  it('returns the event, the previous value, and the causes back to the request', () => {
    const why = whyOf('status', history, history);
    if (why.kind !== 'explained') throw new Error(why.kind);
    expect([...why.values, ...why.before]).toStrictEqual([
      ['status', 'approved'],
      ['status', 'processing'],
    ]);
    expect(why.event.logEvent.event.type).toBe('OrderApproved');
    expect(why.event.logEvent.metadata.actor).toBe('jane');
    expect(why.causes.map(shown)).toStrictEqual(['AttemptUnknown', 'AttemptStarted', 'OrderAccepted', { kind: 'request', serial: SERIAL }]);
  });

  it('explains an earlier moment by the events up to then', () => {
    expect(whyOf('status', upTo(3), history)).toMatchObject({ event: { logEvent: { event: { type: 'AttemptUnknown' } } } });
  });

  it('explains a part of the state by the latest change to any of its fields', () => {
    const why = whyOf('followUps', history, history);
    expect(why).toMatchObject({ event: { logEvent: { event: { type: 'FollowUpAccepted' } } } });
    expect(why.kind === 'explained' && [...why.values.keys()].every((field) => field.startsWith('followUps[0].'))).toBe(true);
  });

  it('explains a field that never changed by the acceptance', () => {
    expect(whyOf('advice', history, history)).toMatchObject({
      values: new Map([['advice', null]]),
      event: { logEvent: { event: { type: 'OrderAccepted' } } },
    });
  });

  it('lists the known fields for an unknown name, and returns no-state before the acceptance', () => {
    const why = whyOf('stat', history, history);
    expect(why.kind === 'no-field' && why.known).toEqual(expect.arrayContaining(['status', 'followUps', 'card', 'reports']));
    expect(whyOf('status', [], history)).toStrictEqual({ kind: 'no-state' });
  });

  it('ends the causes at an event of another stream', () => {
    const [first] = recorded([{ at: noon, events: [accepted] }]);
    if (first === undefined) throw new Error('nothing');
    const [dated] = datedEvents([{ ...first, metadata: { ...first.metadata, causation: 'another' } }]);
    if (dated === undefined) throw new Error('nothing');
    expect(whyOf('status', [dated], [dated])).toMatchObject({ causes: [{ kind: 'elsewhere', id: 'another' }] });
  });
});

it('replayedSteps yields each state with its changes, and all fields for the first state', () => {
  const steps = [...replayedSteps(history)];
  expect(steps.map(({ state, changes }) => [state.status, changes.length])).toStrictEqual([
    ['processing', expect.any(Number)],
    ['processing', 6],
    ['unknown', 3],
    ['processing', 7],
    ['approved', 5],
    ['approved', 6],
  ]);
  expect(steps[0]?.changes).toContainEqual({ field: 'amount', before: null, after: '10.42' });
});
