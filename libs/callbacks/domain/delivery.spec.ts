import { isDeepStrictEqual } from 'node:util';
import type { EventId, StreamName } from '@app/event-store';
import { addMs, isRejection, type Instant, type Sealed } from '@app/kernel';
import { deciderSpec } from '@app/testing';
import fc from 'fast-check';
import {
  delivery,
  type DeliveryCommand,
  type CallbackDelivered,
  type CallbackExhausted,
  type CallbackFailed,
  type CallbackResendRequested,
  type DeliveryEvent,
  type DeliveryIdentity,
  type TryFailure,
  type Delivery,
  gapAfterTryMs,
  REPEAT_GAPS_MS,
  TRIES_MAX,
  JITTER_SHARE,
} from './delivery';

const NOW = 1_704_067_200_000 as Instant;
const identity: DeliveryIdentity = {
  factId: '6b1c2d3e-4f50-5a61-8b72-9c83ad94be05' as EventId,
  target: 'callback',
  orderStream: 'payment-aaaa' as StreamName,
};
const answered500: TryFailure = { cause: 'answered', status: 500 };
const FAILURES: readonly TryFailure[] = [
  answered500,
  { cause: 'answered', status: 302 },
  { cause: 'timed-out' },
  { cause: 'connection-failed', code: 'ECONNRESET' },
  { cause: 'refused-target', reason: 'loopback' },
  { cause: 'answer-too-large' },
  { cause: 'answer-malformed' },
  { cause: 'malformed-request' },
  { cause: 'no-address' },
  { cause: 'unknown-merchant' },
];

const succeed: DeliveryCommand = { type: 'RecordSuccess', data: { delivery: identity, status: 200, now: NOW } };
const fail = (tryNumber: number, failure: TryFailure = answered500, fraction = 0.5, speedFactor = 1, now = NOW): DeliveryCommand => ({
  type: 'RecordFailure',
  data: { delivery: identity, tryNumber, failure, fraction, speedFactor, now },
});
const failAt = (tryNumber: number, afterMs: number): DeliveryCommand => fail(tryNumber, answered500, 0.5, 1, addMs(NOW, afterMs));
const delivered = (tries: number): CallbackDelivered => ({
  type: 'CallbackDelivered',
  data: { ...identity, tries, status: 200, deliveredAt: NOW },
});
const failed = (tryNumber: number, failure: TryFailure = answered500, gapMs = REPEAT_GAPS_MS[tryNumber - 1] ?? 0): CallbackFailed => ({
  type: 'CallbackFailed',
  data: { ...identity, tryNumber, failure, failedAt: NOW, nextTryAt: addMs(NOW, gapMs) },
});
const exhausted = (failure: TryFailure = answered500): CallbackExhausted => ({
  type: 'CallbackExhausted',
  data: { ...identity, tries: TRIES_MAX, failure, exhaustedAt: NOW },
});
const failures = (count: number): CallbackFailed[] => Array.from({ length: count }, (_, index) => failed(index + 1));

const { given } = deciderSpec(delivery);

describe('a callback that returns 200', () => {
  it('is delivered by its first attempt in one event', () => given().when(succeed).then(delivered(1)));
  it('is delivered by a later attempt', () =>
    given(...failures(4))
      .when(succeed)
      .then(delivered(5)));
  it('is delivered by the last attempt', () =>
    given(...failures(29))
      .when(succeed)
      .then(delivered(30)));
  it('is not delivered twice', () => given(delivered(1)).when(succeed).thenRejected({ reason: 'nothing-new' }));
  it('changes nothing once the delivery is exhausted', () =>
    given(...failures(29), exhausted())
      .when(succeed)
      .thenRejected({ reason: 'nothing-new' }));
});

describe('a failed attempt', () => {
  it.each(FAILURES)('is recorded with its cause and the time of the next attempt: $cause', (failure) =>
    given().when(fail(1, failure)).then(failed(1, failure)),
  );
  it('has the number after the previous attempt', () => given(failed(1)).when(fail(2)).then(failed(2)));
  it('is recorded once if another worker made the same attempt', () =>
    given(failed(1)).when(fail(1)).thenRejected({ reason: 'nothing-new' }));
  it('changes nothing after a successful attempt', () => given(delivered(1)).when(fail(1)).thenRejected({ reason: 'nothing-new' }));
  it('changes nothing after a successful repeat', () =>
    given(failed(1), delivered(2)).when(fail(2)).thenRejected({ reason: 'nothing-new' }));
  it('delays the next attempt by the random fraction and speed factor of the command', () => {
    given()
      .when(fail(1, answered500, 0))
      .then(failed(1, answered500, 13_500));
    given()
      .when(fail(1, answered500, 0.5, 100))
      .then(failed(1, answered500, 150));
  });
  it('is followed by a last attempt after 24 hours', () =>
    given(...failures(28))
      .when(fail(29))
      .then(failed(29, answered500, 86_400_000)));
  it.each(FAILURES)('exhausts the delivery if it was the last: $cause', (failure) =>
    given(...failures(29))
      .when(fail(30, failure))
      .then(exhausted(failure)),
  );
  it('exhausts the delivery only once', () =>
    given(...failures(29), exhausted())
      .when(fail(30))
      .thenRejected({ reason: 'nothing-new' }));
  it('throws if the previous attempt is not recorded', () => {
    expect(() => delivery.decide(fail(3), given(failed(1)).state)).toThrow('try 3 is recorded after 1');
  });
});

describe("an operator's resend request (safety, F30)", () => {
  const reason = 'sealed reason' as Sealed;
  const resend: DeliveryCommand = { type: 'RequestResend', data: { delivery: identity, reason, now: NOW } };
  const requested: CallbackResendRequested = { type: 'CallbackResendRequested', data: { ...identity, reason, requestedAt: NOW } };

  it.each<[string, readonly DeliveryEvent[]]>([
    ['was delivered', [delivered(1)]],
    ['was exhausted', [...failures(29), exhausted()]],
    ['waits for its next try', [failed(1)]],
  ])('is recorded if the callback %s', (_, before) =>
    given(...before)
      .when(resend)
      .then(requested),
  );
  it('changes nothing if repeated', () => given(delivered(1), requested).when(resend).thenRejected({ reason: 'nothing-new' }));
  it('changes nothing before the first attempt, which is already due', () => given().when(resend).thenRejected({ reason: 'nothing-new' }));
  it('is delivered by the next attempt number, even beyond the thirtieth', () => {
    given(delivered(1), requested).when(succeed).then(delivered(2));
    given(...failures(29), exhausted(), requested)
      .when(succeed)
      .then(delivered(31));
  });
  it('continues the schedule if a resend after delivery fails, and exhausts the delivery again if it was exhausted', () => {
    given(delivered(1), requested).when(fail(2)).then(failed(2));
    given(...failures(29), exhausted(), requested)
      .when(fail(31))
      .then({ type: 'CallbackExhausted', data: { ...exhausted().data, tries: 31 } });
  });

  describe('for a waiting delivery whose requested attempt fails', () => {
    /** Of a schedule that continues 15 s after `NOW`. */
    const unscheduled = (tryNumber: number): CallbackFailed => failed(tryNumber, answered500, 15_000);
    const failedAt = (tryNumber: number, afterMs: number, gapMs: number): CallbackFailed => ({
      type: 'CallbackFailed',
      data: { ...failed(tryNumber).data, failedAt: addMs(NOW, afterMs), nextTryAt: addMs(NOW, afterMs + gapMs) },
    });

    it('does not move the next scheduled attempt', () =>
      given(failed(1), requested)
        .when(failAt(2, 9_000))
        .then(failedAt(2, 9_000, 6_000)));
    it('uses no attempt of the schedule, even after several requests', () =>
      given(failed(1), requested, unscheduled(2), requested, unscheduled(3))
        .when(failAt(4, 15_000))
        .then(failedAt(4, 15_000, 30_000)));
    it('still allows thirty scheduled attempts', () => {
      const before = [failed(1), requested, unscheduled(2), ...Array.from({ length: 28 }, (_, index) => failed(index + 3))];
      given(...before.slice(0, -1))
        .when(fail(30))
        .then(failed(30, answered500, 86_400_000));
      given(...before)
        .when(fail(31))
        .then({ type: 'CallbackExhausted', data: { ...exhausted().data, tries: 31 } });
    });
    it('counts as the scheduled attempt if it ends after that was due', () =>
      given(failed(1), requested)
        .when(failAt(2, 15_000))
        .then(failedAt(2, 15_000, 30_000)));
    it('continues the schedule from now if the clock was set back before or after the request', () => {
      given(failedAt(1, 3_600_000, 15_000), requested)
        .when(fail(2))
        .then(failed(2));
      given(failed(1), requested)
        .when(failAt(2, -3_600_000))
        .then(failedAt(2, -3_600_000, 30_000));
    });
  });
});

describe('the state of a delivery', () => {
  it('is initially untried', () => expect(given().state).toStrictEqual<Delivery>({ status: 'untried' }));
  it('is waiting for the next attempt after a failure', () =>
    expect(given(failed(1)).state).toStrictEqual<Delivery>({
      status: 'waiting',
      tries: 1,
      unscheduled: 0,
      nextTryAt: addMs(NOW, 15_000),
      since: NOW,
    }));
  it('is delivered after a success', () =>
    expect(given(failed(1), delivered(2)).state).toStrictEqual<Delivery>({ status: 'delivered', tries: 2, unscheduled: 0 }));
  it('is exhausted after the last failure', () =>
    expect(given(...failures(29), exhausted()).state).toStrictEqual<Delivery>({ status: 'exhausted', tries: TRIES_MAX, unscheduled: 0 }));

  it('is waiting and due at once after a resend request', () =>
    expect(
      given(delivered(1), {
        type: 'CallbackResendRequested',
        data: { ...identity, reason: 'sealed' as Sealed, requestedAt: NOW },
      }).state,
    ).toStrictEqual<Delivery>({ status: 'waiting', tries: 1, unscheduled: 0, nextTryAt: NOW, since: NOW }));

  it.each<[string, DeliveryEvent[], DeliveryEvent, string]>([
    ['anything after delivered', [delivered(1)], failed(2), 'CallbackFailed of a delivery that is delivered'],
    ['anything after exhausted', [...failures(29), exhausted()], delivered(31), 'CallbackDelivered of a delivery that is exhausted'],
    ['a try out of turn', [failed(1)], failed(3), 'CallbackFailed of try 3, not 2'],
    ['a delivery that counts wrongly', [failed(1)], delivered(1), 'CallbackDelivered counts 1 tries, not 2'],
    ['an exhaustion that counts wrongly', [failed(1)], exhausted(), 'CallbackExhausted counts 30 tries, not 2'],
  ])('rejects %s', (_, before, event, message) => {
    expect(() => delivery.evolve(given(...before).state, event)).toThrow(message);
  });
});

describe('an unknown event or command', () => {
  it('makes evolve throw', () => {
    expect(() => delivery.evolve(delivery.initial, { type: 'CallbackLost', data: {} } as never)).toThrow('no case for');
  });
  it('makes decide throw', () => {
    expect(() => delivery.decide({ type: 'ForgetCallback', data: {} } as never, delivery.initial)).toThrow('no case for');
  });
});

describe('any sequence of outcomes (safety, F30)', () => {
  const outcome = () =>
    fc.record({
      isSuccess: fc.oneof({ weight: 19, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
      failure: fc.constantFrom(...FAILURES),
      fraction: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      isRecordedTwice: fc.boolean(),
    });

  it('ends at the first success or is exhausted after exactly 30 attempts, without further events', () => {
    fc.assert(
      fc.property(fc.array(outcome(), { minLength: TRIES_MAX + 5, maxLength: TRIES_MAX + 5 }), (outcomes) => {
        let state: Delivery = delivery.initial;
        let now = NOW;
        const events: DeliveryEvent[] = [];
        const repeated: unknown[] = [];
        const gapsMs: [number, number | undefined][] = [];
        for (const [index, { isSuccess, failure, fraction, isRecordedTwice }] of outcomes.entries()) {
          const tryNumber = index + 1;
          const command: DeliveryCommand = isSuccess
            ? { type: 'RecordSuccess', data: { delivery: identity, status: 200, now } }
            : { type: 'RecordFailure', data: { delivery: identity, tryNumber, failure, fraction, speedFactor: 1, now } };
          const decision = delivery.decide(command, state);
          if (isRejection(decision)) continue;
          events.push(...decision);
          state = decision.reduce(delivery.evolve, state);
          if (isRecordedTwice && !isSuccess) repeated.push(delivery.decide(command, state));
          if (state.status !== 'waiting') continue;
          gapsMs.push([state.nextTryAt - now, gapAfterTryMs(tryNumber, fraction, 1)]);
          now = state.nextTryAt;
        }
        expect(repeated.every((decision) => isDeepStrictEqual(decision, { reason: 'nothing-new' }))).toBe(true);
        expect(gapsMs.filter(([waitedMs, gapMs]) => waitedMs !== gapMs)).toStrictEqual([]);
        const firstSuccess = outcomes.findIndex(({ isSuccess }) => isSuccess);
        const isDelivered = firstSuccess >= 0 && firstSuccess < TRIES_MAX;
        const tries = isDelivered ? firstSuccess + 1 : TRIES_MAX;
        expect(state).toStrictEqual({ status: isDelivered ? 'delivered' : 'exhausted', tries, unscheduled: 0 });
        expect(events).toHaveLength(tries);
        expect(events.slice(0, -1).every(({ type }) => type === 'CallbackFailed')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

const MIDDLE = 0.5;
const fraction = () => fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const tryNumber = () => fc.integer({ min: 1, max: TRIES_MAX - 1 });

describe('the retry schedule (protocol decisions 6)', () => {
  it('has 30 attempts with the documented gaps [W330]', () => {
    const written = REPEAT_GAPS_MS.map((gapMs) =>
      gapMs < 60_000 ? `${gapMs / 1_000} s` : gapMs < 3_600_000 ? `${gapMs / 60_000} min` : `${gapMs / 3_600_000} h`,
    );
    expect(TRIES_MAX).toBe(30);
    expect(written).toStrictEqual([
      ...['15 s', '30 s', '1 min', '2 min', '5 min', '10 min', '20 min', '30 min'],
      ...['1 h', '2 h', '3 h', '4 h', '6 h', '6 h', '6 h', '6 h', '12 h'],
      ...Array.from({ length: 12 }, () => '24 h'),
    ]);
  });

  it('lasts 14 days on average and never more than 15 days 9 hours', () => {
    const totalMs = (share: number) => REPEAT_GAPS_MS.reduce((sum, _, index) => sum + (gapAfterTryMs(index + 1, share, 1) ?? 0), 0);
    expect(totalMs(MIDDLE)).toBe(335 * 3_600_000 + 8 * 60_000 + 45_000);
    expect(Math.round(totalMs(MIDDLE) / 86_400_000)).toBe(14);
    expect(totalMs(0)).toBe(Math.round(totalMs(MIDDLE) * 0.9));
    expect(totalMs(1)).toBe(Math.round(totalMs(MIDDLE) * 1.1));
    expect(totalMs(1)).toBeLessThan(15 * 86_400_000 + 9 * 3_600_000);
  });

  it('has no gap after the last attempt', () => {
    expect(gapAfterTryMs(TRIES_MAX - 1, MIDDLE, 1)).toBe(86_400_000);
    expect(gapAfterTryMs(TRIES_MAX, MIDDLE, 1)).toBeUndefined();
  });

  it('spreads each gap by up to 10 % in both directions [W331]', () => {
    expect(gapAfterTryMs(1, 0, 1)).toBe(13_500);
    expect(gapAfterTryMs(1, MIDDLE, 1)).toBe(15_000);
    expect(gapAfterTryMs(1, 1 - Number.EPSILON, 1)).toBe(16_500);
  });

  it('divides each spread gap by the speed factor and waits at least one millisecond [W331]', () => {
    expect(gapAfterTryMs(30 - 1, 0, 1_000)).toBe(77_760);
    expect(gapAfterTryMs(1, MIDDLE, 0.5)).toBe(30_000);
    expect(gapAfterTryMs(1, MIDDLE, 1_000_000)).toBe(1);
  });

  it('has gaps in whole milliseconds within 10 % for any random fraction', () => {
    fc.assert(
      fc.property(tryNumber(), fraction(), (number, share) => {
        const base = REPEAT_GAPS_MS[number - 1] ?? Number.NaN;
        const gapMs = gapAfterTryMs(number, share, 1) ?? Number.NaN;
        expect(Number.isSafeInteger(gapMs)).toBe(true);
        expect(gapMs).toBeGreaterThanOrEqual(base * (1 - JITTER_SHARE));
        expect(gapMs).toBeLessThanOrEqual(base * (1 + JITTER_SHARE));
      }),
    );
  });
});
