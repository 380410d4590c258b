import { EndableDeadline, type Instant, type MerchantLogin, type OrderId } from '@app/kernel';
import { claimHolder, OutcomeUnknown, StoreUnavailable, type EventStore } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import { ReturnRequest } from '@app/gateway-protocol';
import type { EntryPoint, Merchant, OperationName } from '@app/configuration';
import { settle, VirtualClock } from '@app/testing';
import type { AdmittedRequest } from '../admitted-request';
import { refused, type Accepted, type Answer, type KeyedAnswer } from '../answers/answer';
import { testDigests } from '../testing/keyed-digests';
import type { KeyedTranslation } from '../translation';
import { IdempotencyKeys } from './idempotency-keys';

const UNDER_WAY_MS = 5_000;
const ENTRY_POINT = { kind: 'endpoint', id: '1001', merchant: 'acme' } as EntryPoint;
const KEY = 'key-1';

/** An order whose returns are counted: two equal ones can both be meant, so a key alone tells a repeat. */
class Returns {
  readonly taken: string[] = [];
  isFinal = true;
  /** Held back while it is set. */
  gate: Promise<void> | undefined;
  failure: Error | undefined;

  translation(): KeyedTranslation<ReturnRequest> {
    return {
      perform: (request) => this.perform(request),
      existing: ({ serial, message }) => Promise.resolve(this.existing(serial, message)),
    };
  }

  private existing(serial: string, message: ReturnRequest) {
    return this.taken.includes(serial) ? { accepted: accepted(message), isOfThisRequest: true } : undefined;
  }

  private async perform({ serial, message }: AdmittedRequest<ReturnRequest>): Promise<Answer> {
    await this.gate;
    const { failure } = this;
    if (failure !== undefined) throw failure;
    if (!this.isFinal) return refused('order-not-final');
    // As the log does: the same serial makes the same event ids.
    if (!this.taken.includes(serial)) this.taken.push(serial);
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
  readonly underWayMs?: number;
  readonly store?: EventStore;
}
interface Asking {
  readonly at?: IdempotencyKeys;
  readonly key?: string;
  readonly login?: string;
  readonly name?: OperationName;
}

const setUp = ({ underWayMs = UNDER_WAY_MS, store = new MemoryEventStore(new VirtualClock()) }: Process = {}) => {
  const clock = new VirtualClock();
  const returns = new Returns();
  const errors: unknown[] = [];
  const mayAppendUnseen = jest.fn();
  const deadline = Object.assign(new EndableDeadline(), { named: () => undefined, mayAppendUnseen });
  /** One more process over the same log. */
  const instance = () =>
    new IdempotencyKeys({ store, digests: testDigests, scheduler: clock, underWayMs, onError: (_serial, error) => errors.push(error) });
  const keys = instance();
  const ask = (serial: string, fields: object = {}, { at = keys, key = KEY, login = 'acme', name = 'return' }: Asking = {}) => {
    const merchant = { login: login as MerchantLogin } as Merchant;
    const request = { message: message(fields), entryPoint: ENTRY_POINT, merchant, serial, amountMinor: 500n, receivedAt: 0 as Instant };
    const keyed = { ...request, operation: name, idempotencyKey: key, deadline };
    return at.perform(keyed, returns.translation()) as Promise<KeyedAnswer>;
  };
  const holder = () => claimHolder(store, 'idempotencyKey', testDigests.onceKey('idempotencyKey', ['acme', 'return', KEY]));
  return { clock, returns, errors, mayAppendUnseen, instance, ask, holder, store };
};

const held = (): { readonly promise: Promise<void>; readonly open: () => void } => {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
};

describe('an Idempotency-Key (protocol decisions, section 10)', () => {
  it('answers the same request again with the same order and serial, and changes nothing', async () => {
    const { ask, returns, mayAppendUnseen } = setUp();
    const first = await ask('serial-1');
    expect(mayAppendUnseen).toHaveBeenCalledTimes(1);
    expect(first).toMatchObject({ answer: { kind: 'accepted', orderId: 'p0sample0order1r' }, serial: 'serial-1' });
    await expect(ask('serial-2')).resolves.toStrictEqual(first);
    await expect(ask('serial-3')).resolves.toStrictEqual(first);
    expect(returns.taken).toStrictEqual(['serial-1']);
  });

  it('is refused with other content: code 7, under the serial of that request', async () => {
    const { ask, returns } = setUp();
    await ask('serial-1');
    await expect(ask('serial-2', { comment: 'another' })).resolves.toMatchObject({
      answer: { kind: 'refused', name: 'client-orderid-reused', message: expect.stringContaining('Idempotency-Key') as string },
      serial: 'serial-2',
    });
    expect(returns.taken).toStrictEqual(['serial-1']);
  });

  it('is one merchant’s and one operation’s', async () => {
    const { ask, returns } = setUp();
    await ask('serial-1');
    await ask('serial-2', {}, { login: 'other' });
    await ask('serial-3', {}, { name: 'capture' });
    await ask('serial-4', {}, { key: 'key-2' });
    expect(returns.taken).toStrictEqual(['serial-1', 'serial-2', 'serial-3', 'serial-4']);
  });

  it('is free again where the request was refused: for the same, and for other content', async () => {
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
    expect(returns.taken).toStrictEqual(['serial-3']);
  });

  it('of twenty at once makes one change with one serial', async () => {
    const { ask, returns } = setUp();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`serial-${index}`)));
    expect(new Set(answers.map(({ serial }) => serial))).toStrictEqual(new Set(returns.taken));
    expect(returns.taken).toHaveLength(1);
  });

  it('of two contents at once gives one to the change and code 7 to the other', async () => {
    const { ask, returns } = setUp();
    const [one, other] = await Promise.all([ask('serial-1'), ask('serial-2', { comment: 'another' })]);
    expect([one.answer.kind, other.answer]).toMatchObject(['accepted', { name: 'client-orderid-reused' }]);
    expect(returns.taken).toStrictEqual(['serial-1']);
  });
});

describe('the same key in two processes', () => {
  it('waits for the first, and answers as it does', async () => {
    const { ask, returns, instance, clock } = setUp();
    const gate = held();
    returns.gate = gate.promise;
    const first = ask('serial-1');
    await settle();
    const second = ask('serial-2', {}, { at: instance() });
    await clock.advance(UNDER_WAY_MS / 2);
    gate.open();
    await expect(first).resolves.toMatchObject({ serial: 'serial-1' });
    await clock.advance(UNDER_WAY_MS);
    await expect(second).resolves.toStrictEqual(await first);
    expect(returns.taken).toStrictEqual(['serial-1']);
  });

  it('is decided for itself where the first was refused meanwhile', async () => {
    const { ask, returns, instance, clock } = setUp();
    const gate = held();
    returns.gate = gate.promise;
    returns.isFinal = false;
    const first = ask('serial-1');
    await settle();
    const second = ask('serial-2', {}, { at: instance() });
    await clock.advance(50);
    gate.open();
    await expect(first).resolves.toMatchObject({ answer: { kind: 'refused' }, serial: 'serial-1' });
    returns.isFinal = true;
    await clock.advance(UNDER_WAY_MS);
    await expect(second).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-2' });
    expect(returns.taken).toStrictEqual(['serial-2']);
  });

  it('goes on under the recorded serial where the first died between claim and append', async () => {
    const { ask, returns, instance, clock } = setUp();
    returns.gate = new Promise(() => undefined);
    void ask('serial-1');
    await settle();
    returns.gate = undefined;
    const second = ask('serial-2', {}, { at: instance() });
    await clock.advance(UNDER_WAY_MS - 1);
    expect(returns.taken).toStrictEqual([]);
    await clock.advance(1);
    await expect(second).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-1' });
    await expect(ask('serial-3', {}, { at: instance() })).resolves.toStrictEqual(await second);
    expect(returns.taken).toStrictEqual(['serial-1']);
  });

  it('waits for nobody where no other process is there', async () => {
    const { ask, returns, instance } = setUp({ underWayMs: 0 });
    returns.gate = new Promise(() => undefined);
    void ask('serial-1');
    await settle();
    returns.gate = undefined;
    await expect(ask('serial-2', {}, { at: instance() })).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-1' });
  });

  it('is never freed by one that was thought dead and is refused late: its repeat may have been accepted', async () => {
    const { ask, returns, instance, clock, holder } = setUp();
    const gate = held();
    returns.gate = gate.promise;
    const first = ask('serial-1');
    await settle();
    returns.gate = undefined;
    const second = ask('serial-2', {}, { at: instance() });
    await clock.advance(UNDER_WAY_MS);
    await expect(second).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-1' });
    returns.isFinal = false;
    gate.open();
    await expect(first).resolves.toMatchObject({ answer: { kind: 'refused' } });
    await expect(holder()).resolves.toMatchObject({ owner: 'serial-1' });
    returns.isFinal = true;
    await expect(ask('serial-3', {}, { at: instance() })).resolves.toMatchObject({ serial: 'serial-1' });
    expect(returns.taken).toStrictEqual(['serial-1']);
  });
});

describe('faults under an Idempotency-Key', () => {
  it('a store that took nothing frees the key', async () => {
    const { ask, returns, holder } = setUp();
    returns.failure = new StoreUnavailable('away');
    await expect(ask('serial-1')).rejects.toThrow('away');
    await expect(holder()).resolves.toBeUndefined();
    returns.failure = undefined;
    await expect(ask('serial-2', { comment: 'another' })).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-2' });
  });

  it('an outcome that is not known keeps it, and the same request again goes on in its name', async () => {
    const { ask, returns, holder } = setUp({ underWayMs: 0 });
    returns.failure = new OutcomeUnknown('lost');
    await expect(ask('serial-1')).rejects.toThrow(OutcomeUnknown);
    await expect(holder()).resolves.toMatchObject({ owner: 'serial-1' });
    returns.failure = undefined;
    await expect(ask('serial-2')).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-1' });
    expect(returns.taken).toStrictEqual(['serial-1']);
  });

  it('answers what stands in the log, where another appended under the same serial first (architecture, rule 2)', async () => {
    const { ask, returns } = setUp();
    const translation = returns.translation();
    const existing = { accepted: { ...accepted(message({})), orderId: 'p0the0rivals000r' as OrderId }, isOfThisRequest: true };
    jest.spyOn(returns, 'translation').mockReturnValue({ ...translation, existing: () => Promise.resolve(existing) });
    await expect(ask('serial-1')).resolves.toMatchObject({ answer: { orderId: 'p0the0rivals000r' } });
  });

  it('says that it is not known, never that nothing was accepted, where the log cannot be read again', async () => {
    const { ask, returns } = setUp();
    const translation = returns.translation();
    const away = () => Promise.reject(new StoreUnavailable('away'));
    jest.spyOn(returns, 'translation').mockReturnValue({ ...translation, existing: away });
    await expect(ask('serial-1')).rejects.toThrow(OutcomeUnknown);
    expect(returns.taken).toStrictEqual(['serial-1']);
  });

  it('a refusal stands where the key cannot be freed, and that is told', async () => {
    const store = new StumblingStore(new MemoryEventStore(new VirtualClock()));
    const { ask, returns, errors, holder } = setUp({ underWayMs: 0, store });
    returns.isFinal = false;
    const gate = held();
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

  it('a claim whose answer was lost is a claim', async () => {
    const store = new StumblingStore(new MemoryEventStore(new VirtualClock())).stumble({ kind: 'stored-answer-lost' });
    const { ask, returns } = setUp({ store });
    await expect(ask('serial-1')).resolves.toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-1' });
    expect(returns.taken).toStrictEqual(['serial-1']);
  });
});

describe('an order of its own name under an Idempotency-Key', () => {
  it('that an earlier request made is answered by the handler, under the recorded serial from then on', async () => {
    const { ask, returns } = setUp();
    const existing = { accepted: accepted(message({})), isOfThisRequest: false };
    const translation = { ...returns.translation(), existing: () => Promise.resolve(existing) };
    jest.spyOn(returns, 'translation').mockReturnValue(translation);
    const first = await ask('serial-1');
    expect(first).toMatchObject({ answer: { kind: 'accepted' }, serial: 'serial-1' });
    await expect(ask('serial-2')).resolves.toStrictEqual(first);
  });
});
