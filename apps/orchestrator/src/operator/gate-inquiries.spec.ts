import type { Operator } from '@app/configuration';
import type { CallLimit, InquiryAnswer } from '@app/gateway-adapters/contract';
import { StoreUnavailable } from '@app/event-store';
import { EndableDeadline, type Instant } from '@app/kernel';
import type { GateAttemptsCursor } from '@app/read-models';
import { VirtualClock } from '@app/testing';
import { GateInquiries, type GateInquiriesPorts } from './gate-inquiries';
import type { InquireRequest } from './reconciliation.requests';

const AT = 1_767_225_600_000 as Instant;
const STREAM = `payment-${'a'.repeat(52)}`;
const acting = { operator: { name: 'kim', role: 'operator' } as Operator, claimedActor: undefined };
const request = { gate: 'sim-a', from: AT, before: AT + 1_000 } as InquireRequest;

const asked = (change: object = {}) => ({
  key: 'key-1',
  original: 'key-1',
  followUp: null,
  operation: 'sale',
  gate: 'sim-a',
  amountMinor: '1042',
  currency: 'USD',
  status: 'approved',
  askedAt: AT,
  answeredAt: AT,
  processedAt: AT,
  commissionMinor: null,
  gateOrderId: 'G-1',
  rrn: null,
  ...change,
});
const record = (...all: readonly object[]) => ({
  stream: STREAM,
  revision: 3n,
  view: { merchant: 'acme', orderId: 'pabcdefghijklmnr', endpointId: '1001', operation: 'sale', acceptedAt: AT, asked: all },
});
const APPROVED = { kind: 'approved', transactionId: 'T', processedAt: AT, approvalCode: '1' } as const;

const world = (
  records: readonly object[],
  answer: (sent: { key: string }, limit: CallLimit) => Promise<unknown>,
  next?: GateAttemptsCursor,
) => {
  const clock = new VirtualClock();
  const sent: object[] = [];
  const after: (GateAttemptsCursor | undefined)[] = [];
  const outcomes: string[] = [];
  const deadline = new EndableDeadline();
  const gates = {
    'sim-a': {
      profile: { alias: 'sim-a' },
      inquiring: { inquire: (one: { key: string }, limit: CallLimit) => (sent.push(one), answer(one, limit)) },
    },
    mute: { profile: { alias: 'mute' } },
  };
  const ports = {
    gates: { find: (alias: keyof typeof gates) => gates[alias] },
    gateAttempts: {
      touchedIn: (_from: Instant, _before: Instant, _limit: number, place?: GateAttemptsCursor) => {
        after.push(place);
        return Promise.resolve({ records, next });
      },
    },
    scheduler: clock,
    audit: {
      begin: () => Promise.resolve('id'),
      end: (_by: unknown, _id: string, outcome: string) => (outcomes.push(outcome), Promise.resolve()),
    },
  };
  const inquiries = new GateInquiries(ports as unknown as GateInquiriesPorts);
  const ask = async (change: object = {}) => {
    let isOver = false;
    const answered = inquiries.ask({ ...request, ...change }, acting, deadline).finally(() => (isOver = true));
    // Asserted below; this only prevents an unhandled rejection.
    answered.catch(() => undefined);
    for (let turn = 0; turn < 1_000 && !isOver; turn++) await clock.advance(1_000);
    return answered;
  };
  return { ask, sent, after, outcomes, deadline };
};
const told = (answer: InquiryAnswer) => () => Promise.resolve(answer);

describe('gate inquiries for a period', () => {
  it("match if the gate's answers equal our records, and name each attempt as it was sent", async () => {
    const followUp = asked({ key: 'key-2', followUp: 1, operation: 'return', amountMinor: '5' });
    const { ask, sent } = world([record(asked(), followUp)], told({ ...APPROVED, gateOrderId: 'G-1' }));
    await expect(ask()).resolves.toStrictEqual({ reason: 'asked', asked: 2, matched: 2, notTold: 0, differences: [] });
    const named = { orderId: 'pabcdefghijklmnr', merchant: 'acme', endpointId: '1001' };
    expect(sent).toStrictEqual([
      { ...named, key: 'key-1', amount: { minor: 1_042n, currency: 'USD' } },
      { ...named, key: 'key-2', amount: { minor: 5n, currency: 'USD' }, original: 'key-1', operation: 'return', gateOrderId: 'G-1' },
    ]);
  });

  it('omit the amount of an account verification', async () => {
    const { ask, sent } = world([record(asked({ operation: 'account-verification' }))], told(APPROVED));
    await ask();
    expect(sent).toStrictEqual([{ key: 'key-1', orderId: 'pabcdefghijklmnr', merchant: 'acme', endpointId: '1001' }]);
  });

  it('skip attempts that were not sent, used another gate or are outside the period', async () => {
    const { ask, sent } = world([record(asked({ key: null }), asked({ gate: 'sim-b' }), asked({ askedAt: AT + 1_000 }))], told(APPROVED));
    await expect(ask()).resolves.toMatchObject({ asked: 0 });
    expect(sent).toStrictEqual([]);
  });

  it.each<[string, InquiryAnswer, object]>([
    [
      'another outcome',
      { ...APPROVED, kind: 'declined', code: 100 },
      { kind: 'different', told: { status: 'declined', reference: 'T', amountMinor: '1042' } },
    ],
    ['not-found', { kind: 'not-found' }, { kind: 'missing-there' }],
    ['not-asked', { kind: 'not-asked', cause: 'unavailable' }, { kind: 'missing-there' }],
    [
      'another name of the order',
      { ...APPROVED, gateOrderId: 'G-2', rrn: 'r', commission: { minor: 1n, currency: 'USD' as never } },
      { kind: 'different' },
    ],
  ])('report a difference if the gate answers with %s', async (_, answer, difference) => {
    const { ask } = world([record(asked())], told(answer));
    await expect(ask()).resolves.toMatchObject({ matched: 0, differences: [{ order: { orderId: 'pabcdefghijklmnr' }, ...difference }] });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['does not know yet', told({ kind: 'unknown', cause: 'gate-undecided' })],
    ['waits for the payer', told({ kind: 'payer-needed', page: { address: 'https://x' }, transactionId: 'T' })],
    ['is silent', () => new Promise(() => undefined)],
    ['throws', () => Promise.reject(new Error('a fault of the adapter'))],
  ])('count the attempt as notTold if the gate %s', async (_, answer) => {
    await expect(world([record(asked())], answer).ask()).resolves.toMatchObject({ asked: 1, notTold: 1, differences: [] });
  });

  it('stop and abort the inquiry in progress once the caller disconnects', async () => {
    const signals: AbortSignal[] = [];
    const { ask, sent, outcomes, deadline } = world(
      [record(asked(), asked({ key: 'key-2' })), record(asked({ key: 'key-3' }))],
      ({ key }, { signal }) => {
        signals.push(signal);
        if (key === 'key-1') return Promise.resolve(APPROVED);
        deadline.end();
        return new Promise(() => undefined);
      },
    );
    await expect(ask()).rejects.toThrow(StoreUnavailable);
    expect(sent).toMatchObject([{ key: 'key-1' }, { key: 'key-2' }]);
    expect(signals.map(({ aborted }) => aborted)).toStrictEqual([false, true]);
    expect(outcomes).toStrictEqual(['failed']);
  });

  it('return the next page position and resume from it', async () => {
    const next = { touchedAt: AT, stream: STREAM } as GateAttemptsCursor;
    const { ask, after } = world([], told(APPROVED), next);
    await expect(ask()).resolves.toMatchObject({ next: `${AT}@${STREAM}` });
    await ask({ after: `${AT}@${STREAM}` });
    expect(after).toStrictEqual([undefined, next]);
  });

  it.each([
    [{ gate: 'none' }, 'unknown-gate'],
    [{ gate: 'mute' }, 'takes-no-inquiries'],
    [{ after: 'x' }, 'malformed-after'],
  ])('reject %j with %s', async (change, reason) => {
    await expect(world([record(asked())], told(APPROVED)).ask(change)).resolves.toStrictEqual({ reason });
  });
});
