import { EndableDeadline, type ContentDigest, type Instant, type MerchantLogin, type OrderId } from '@app/kernel';
import { claimHolder, claimUnique, OutcomeUnknown, releaseClaim, StoreUnavailable, type EventStore } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import { ReturnRequest } from '@app/gateway-protocol';
import type { EntryPoint, Merchant, OperationName } from '@app/configuration';
import { settle, VirtualClock } from '@app/testing';
import type { AdmittedRequest, KeyedTranslation } from './translation';
import { refused, type Accepted, type Answer, type KeyedAnswer } from './answer';
import { testDigests } from './testing/test-digests';
import { IdempotencyKeys } from './idempotency-keys';

const OWNER_WAIT_MS = 5_000;
const ENTRY_POINT = { kind: 'endpoint', id: '1001', merchant: 'acme' } as EntryPoint;
const KEY = 'key-1';

/** Returns of one order. Two equal returns may both be intended, so only the key identifies a repeat. */
class Returns {
  readonly accepted: string[] = [];
  isFinal = true;
  gate: Promise<void> | undefined;
  failure: Error | undefined;

  translation(): KeyedTranslation<ReturnRequest> {
    return {
      perform: (request) => this.perform(request),
      findExisting: ({ serial, message }) => Promise.resolve(this.findExisting(serial, message)),
    };
  }

  private findExisting(serial: string, message: ReturnRequest) {
    return this.accepted.includes(serial) ? { accepted: accepted(message), isOfThisRequest: true } : undefined;
  }

  private async perform({ serial, message }: AdmittedRequest<ReturnRequest>): Promise<Answer> {
    await this.gate;
    const { failure } = this;
    if (failure !== undefined) throw failure;
    if (!this.isFinal) return refused('order-not-final');
    if (!this.accepted.includes(serial)) this.accepted.push(serial);
    return accepted(message);
  }
}

const accepted = (message: ReturnRequest): Accepted => ({
  kind: 'accepted',
  clientOrderId: message.client_orderid,
  orderId: 'p0sample0order1r' as OrderId,
});

const message = (fields: object): ReturnRequest =>
  Object.assign(Object.create(ReturnRequest.prototype as object) as ReturnRequest, { client_orderid: 'o-1', orderid: 'p' }, fields);

interface Process {
  readonly ownerWaitMs?: number;
  readonly store?: EventStore;
}
interface AskOptions {
  readonly at?: IdempotencyKeys;
  readonly key?: string;
  readonly login?: string;
  readonly name?: OperationName;
}

const setUp = ({ ownerWaitMs = OWNER_WAIT_MS, store = new MemoryEventStore(new VirtualClock()) }: Process = {}) => {
  const clock = new VirtualClock();
  const returns = new Returns();
  const errors: unknown[] = [];
  const mayAppendUnseen = jest.fn();
  const deadline = Object.assign(new EndableDeadline(), { named: () => undefined, mayAppendUnseen });
  const instance = () =>
    new IdempotencyKeys({ store, digests: testDigests, scheduler: clock, ownerWaitMs, onError: (_serial, error) => errors.push(error) });
  const keys = instance();
  const ask = (serial: string, fields: object = {}, { at = keys, key = KEY, login = 'acme', name = 'return' }: AskOptions = {}) => {
    const merchant = { login: login as MerchantLogin } as Merchant;
    const request = { message: message(fields), entryPoint: ENTRY_POINT, merchant, serial, amountMinor: 500n, receivedAt: 0 as Instant };
    const keyed = { ...request, operation: name, idempotencyKey: key, deadline };
    return at.perform(keyed, returns.translation()) as Promise<KeyedAnswer>;
  };
  const holder = () => claimHolder(store, 'idempotencyKey', testDigests.onceKey('idempotencyKey', ['acme', 'return', KEY]));
  return { clock, returns, errors, mayAppendUnseen, instance, ask, holder, store };
};

const openableGate = (): { readonly promise: Promise<void>; readonly open: () => void } => {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
};

describe('an Idempotency-Key (protocol decisions, D10.7)', () => {
  it('returns the same order and serial for a repeated request, without another change', async () => {
    const { ask, returns, mayAppendUnseen } = setUp();
    const first = await ask('serial-1');
    expect(mayAppendUnseen).toHaveBeenCalledTimes(1);
    expect(first).toMatchObject({ answer: { kind: 'accepted', orderId: 'p0sample0order1r' }, serial: 'serial-1' });
    await expect(ask('serial-2')).resolves.toStrictEqual(first);
    await expect(ask('serial-3')).resolves.toStrictEqual(first);
    expect(returns.accepted).toStrictEqual(['serial-1']);
  });

  it('refuses other content with code 7, under the serial of the refused request', async () => {
    const { ask, returns } = setUp();
    await ask('serial-1');
    await expect(ask('serial-2', { comment: 'another' })).resolves.toMatchObject({
      answer: { kind: 'refused', name: 'client-orderid-reused', message: expect.stringContaining('Idempotency-Key') as string },
      serial: 'serial-2',
    });
    expect(returns.accepted).toStrictEqual(['serial-1']);
  });

  it('is separate per merchant and operation [W514]', async () => {
    const { ask, returns } = setUp();
    await ask('serial-1');
    await ask('serial-2', {}, { login: 'other' });
    await ask('serial-3', {}, { name: 'capture' });
    await ask('serial-4', {}, { key: 'key-2' });
    expect(returns.accepted).toStrictEqual(['serial-1', 'serial-2', 'serial-3', 'serial-4']);
  });

  it('is released after a refusal, for the same content and for other content', async () => {
    const { ask, returns, holder } = setUp();
    returns.isFinal = false;
    await expect(ask('serial-1')).resolves.toStrictEqual({ answer: refused('order-not-final'), serial: 'serial-1' });
    await expect(holder()).resolves.toBeUndefined();
    await expect(ask('serial-2', { comment: 'another' })).resolves.toStrictEqual({
      answer: refused('order-not-final'),
      serial: 'serial-2',
    });
    returns.isFinal = true;
    await expect(ask('serial-3')).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-3' });
    expect(returns.accepted).toStrictEqual(['serial-3']);
  });

  it('makes one change with one serial for twenty simultaneous requests', async () => {
    const { ask, returns } = setUp();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`serial-${index}`)));
    expect(new Set(answers.map(({ serial }) => serial))).toStrictEqual(new Set(returns.accepted));
    expect(returns.accepted).toHaveLength(1);
  });

  it('accepts one of two simultaneous requests with different content and refuses the other with code 7', async () => {
    const { ask, returns } = setUp();
    const [one, other] = await Promise.all([ask('serial-1'), ask('serial-2', { comment: 'another' })]);
    expect([one.answer.kind, other.answer]).toMatchObject(['accepted', { name: 'client-orderid-reused' }]);
    expect(returns.accepted).toStrictEqual(['serial-1']);
  });
});

describe('an Idempotency-Key in two processes', () => {
  it('waits for the first request and returns its response [W517]', async () => {
    const { ask, returns, instance, clock } = setUp();
    const gate = openableGate();
    returns.gate = gate.promise;
    const first = ask('serial-1');
    await settle();
    const second = ask('serial-2', {}, { at: instance() });
    await clock.advance(OWNER_WAIT_MS / 2);
    gate.open();
    await expect(first).resolves.toMatchObject({ serial: 'serial-1' });
    await clock.advance(OWNER_WAIT_MS);
    await expect(second).resolves.toStrictEqual(await first);
    expect(returns.accepted).toStrictEqual(['serial-1']);
  });

  it('processes the second request if the first is refused during the wait', async () => {
    const { ask, returns, instance, clock } = setUp();
    const gate = openableGate();
    returns.gate = gate.promise;
    returns.isFinal = false;
    const first = ask('serial-1');
    await settle();
    const second = ask('serial-2', {}, { at: instance() });
    await clock.advance(50);
    gate.open();
    await expect(first).resolves.toMatchObject({ answer: { kind: 'refused' }, serial: 'serial-1' });
    returns.isFinal = true;
    await clock.advance(OWNER_WAIT_MS);
    await expect(second).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-2' });
    expect(returns.accepted).toStrictEqual(['serial-2']);
  });

  it('continues under the recorded serial if the first process died between claim and append', async () => {
    const { ask, returns, instance, clock } = setUp();
    returns.gate = new Promise(() => undefined);
    void ask('serial-1');
    await settle();
    returns.gate = undefined;
    const second = ask('serial-2', {}, { at: instance() });
    await clock.advance(OWNER_WAIT_MS - 1);
    expect(returns.accepted).toStrictEqual([]);
    await clock.advance(1);
    await expect(second).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-1' });
    await expect(ask('serial-3', {}, { at: instance() })).resolves.toStrictEqual(await second);
    expect(returns.accepted).toStrictEqual(['serial-1']);
  });

  it('does not wait if no other process exists', async () => {
    const { ask, returns, instance } = setUp({ ownerWaitMs: 0 });
    returns.gate = new Promise(() => undefined);
    void ask('serial-1');
    await settle();
    returns.gate = undefined;
    await expect(ask('serial-2', {}, { at: instance() })).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-1' });
  });

  it('is not released by a presumed-dead owner whose refusal comes late, because the repeat may have been accepted', async () => {
    const { ask, returns, instance, clock, holder } = setUp();
    const gate = openableGate();
    returns.gate = gate.promise;
    const first = ask('serial-1');
    await settle();
    returns.gate = undefined;
    const second = ask('serial-2', {}, { at: instance() });
    await clock.advance(OWNER_WAIT_MS);
    await expect(second).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-1' });
    returns.isFinal = false;
    gate.open();
    await expect(first).resolves.toMatchObject({ answer: { kind: 'refused' } });
    await expect(holder()).resolves.toMatchObject({ owner: 'serial-1' });
    returns.isFinal = true;
    await expect(ask('serial-3', {}, { at: instance() })).resolves.toMatchObject({ serial: 'serial-1' });
    expect(returns.accepted).toStrictEqual(['serial-1']);
  });
});

describe('an Idempotency-Key under faults', () => {
  it('is released if the store accepted nothing', async () => {
    const { ask, returns, holder } = setUp();
    returns.failure = new StoreUnavailable('away');
    await expect(ask('serial-1')).rejects.toThrow('away');
    await expect(holder()).resolves.toBeUndefined();
    returns.failure = undefined;
    await expect(ask('serial-2', { comment: 'another' })).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-2' });
  });

  it('stays claimed after an unknown outcome, and a repeat continues under its serial [W247]', async () => {
    const { ask, returns, holder } = setUp({ ownerWaitMs: 0 });
    returns.failure = new OutcomeUnknown('lost');
    await expect(ask('serial-1')).rejects.toThrow(OutcomeUnknown);
    await expect(holder()).resolves.toMatchObject({ owner: 'serial-1' });
    returns.failure = undefined;
    await expect(ask('serial-2')).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-1' });
    expect(returns.accepted).toStrictEqual(['serial-1']);
  });

  it('returns the result from the log if another process appended first under the same serial (architecture, rule 2)', async () => {
    const { ask, returns } = setUp();
    const translation = returns.translation();
    const existing = { accepted: { ...accepted(message({})), orderId: 'p0the0rivals000r' as OrderId }, isOfThisRequest: true };
    jest.spyOn(returns, 'translation').mockReturnValue({ ...translation, findExisting: () => Promise.resolve(existing) });
    await expect(ask('serial-1')).resolves.toMatchObject({ answer: { orderId: 'p0the0rivals000r' } });
  });

  it('reports an unknown outcome if the log cannot be read after an acceptance', async () => {
    const { ask, returns } = setUp();
    const translation = returns.translation();
    const away = () => Promise.reject(new StoreUnavailable('away'));
    jest.spyOn(returns, 'translation').mockReturnValue({ ...translation, findExisting: away });
    await expect(ask('serial-1')).rejects.toThrow(OutcomeUnknown);
    expect(returns.accepted).toStrictEqual(['serial-1']);
  });

  it('returns the refusal and logs the failure if the key cannot be released', async () => {
    const store = new StumblingStore(new MemoryEventStore(new VirtualClock()));
    const { ask, returns, errors, holder } = setUp({ ownerWaitMs: 0, store });
    returns.isFinal = false;
    const gate = openableGate();
    returns.gate = gate.promise;
    const first = ask('serial-1');
    await settle();
    store.isAway = true;
    gate.open();
    await expect(first).resolves.toStrictEqual({ answer: refused('order-not-final'), serial: 'serial-1' });
    expect(errors).toHaveLength(1);
    store.isAway = false;
    await expect(holder()).resolves.toMatchObject({ owner: 'serial-1' });
    returns.isFinal = true;
    await expect(ask('serial-2')).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-1' });
  });

  it('is given up if other requests claim and release it in every round', async () => {
    const keyHash = testDigests.onceKey('idempotencyKey', ['acme', 'return', KEY]);
    const log = new MemoryEventStore(new VirtualClock());
    const store = new StumblingStore(log);
    const rival = { correlation: 'r', causation: 'r', actor: 'acme', merchant: 'acme' as MerchantLogin, recordedAt: 0 as Instant };
    let rounds = 0;
    const append = store.append.bind(store);
    store.append = async (to, expected, events) => {
      const { contentDigest } = JSON.parse(events[0].data) as { readonly contentDigest: ContentDigest };
      await claimUnique(log, 'idempotencyKey', keyHash, 'rival', { ...rival, commandId: `claim ${++rounds}` }, contentDigest);
      return append(to, expected, events);
    };
    const read = store.read.bind(store);
    store.read = (to, from, deadline) => {
      const events = read(to, from, deadline);
      return (async function* () {
        yield* events;
        await releaseClaim(log, 'idempotencyKey', keyHash, 'rival', { ...rival, commandId: `release ${rounds}` });
      })();
    };
    const { ask, returns } = setUp({ store });
    await expect(ask('serial-1')).rejects.toThrow(new StoreUnavailable('an Idempotency-Key was claimed and freed 20 times'));
    expect(returns.accepted).toStrictEqual([]);
  });

  it("is claimed even if the store's response to the claim was lost", async () => {
    const store = new StumblingStore(new MemoryEventStore(new VirtualClock())).stumble({ kind: 'stored-answer-lost' });
    const { ask, returns } = setUp({ store });
    await expect(ask('serial-1')).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-1' });
    expect(returns.accepted).toStrictEqual(['serial-1']);
  });
});

describe('an Idempotency-Key for an order of an earlier request', () => {
  it("returns the handler's answer, and keeps the recorded serial for repeats", async () => {
    const { ask, returns } = setUp();
    const existing = { accepted: accepted(message({})), isOfThisRequest: false };
    const translation = { ...returns.translation(), findExisting: () => Promise.resolve(existing) };
    jest.spyOn(returns, 'translation').mockReturnValue(translation);
    const first = await ask('serial-1');
    expect(first).toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-1' });
    await expect(ask('serial-2')).resolves.toStrictEqual(first);
  });
});
