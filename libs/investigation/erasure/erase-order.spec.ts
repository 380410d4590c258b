import type { OrderKeyId } from '@app/card-vault';
import { metadataOf, OutcomeUnknown, StoreUnavailable, type StoredEvent, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { systemIds, type CardHandle, type CardRefId, type MerchantLogin, type OrderId, type Sealed } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { erasureCodec, erasureStream, erasureOf } from './erasure.codec';
import { EraseOrder, ERASURE_REASON, type WantedErasure, LegalHolds, type ErasableData } from './erase-order';

const ORDER = 'payment-a' as StreamName;
const merchant = 'acme' as MerchantLogin;
const by = { actor: 'operator:kim' };
const named = { orderStream: ORDER as string, orderId: 'potjk0knd68sdvnr' as OrderId, merchant };
const TEXTS = ['k-1', 'k-2'] as unknown as readonly OrderKeyId[];
const card = (references: readonly string[] = []) => ({ handle: 'h-1' as CardHandle, references: references as readonly CardRefId[] });
const wanted = (more: Partial<WantedErasure> = {}): WantedErasure => ({
  cause: 'request',
  what: 'everything',
  reason: 'asked by letter',
  by,
  ...more,
});

const world = (held: Partial<ErasableData> = {}) => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const done: string[] = [];
  const faults = { failsAt: undefined as string | undefined };
  const erasableData: { of: ErasableData | undefined } = { of: { ...named, obstacles: [], texts: TEXTS, cards: [card()], ...held } };
  const step = (what: string): Promise<void> => {
    if (faults.failsAt === what) return Promise.reject(new Error(`died at ${what}`));
    done.push(what);
    return Promise.resolve();
  };
  const vault = {
    takeKey: () =>
      Promise.resolve({
        id: 'own' as OrderKeyId,
        seal: (login: string, field: string, text: string) => `${login}/${field}/${text}` as Sealed,
      }),
    shred: (_merchant: MerchantLogin, handle: CardHandle) => step(`shred ${handle}`),
    erase: (keys: readonly OrderKeyId[]) => step(`erase ${keys.join(' ')}`),
  };
  const references = { end: (_merchant: MerchantLogin, cardRefId: CardRefId) => step(`end ${cardRefId}`) };
  const process = () =>
    new EraseOrder({ store, erasableData: { of: () => Promise.resolve(erasableData.of) }, vault, references, clock, ids: systemIds });
  const holds = new LegalHolds({ store, sealer: vault, clock, ids: systemIds });
  const events = async () => {
    const read: StoredEvent[] = [];
    for await (const stored of store.read(erasureStream(ORDER))) read.push(stored);
    return read.map((stored) => ({ ...erasureCodec.decode(stored), by: metadataOf(stored).actor }));
  };
  return { clock, store, process, holds, events, done, faults, erasableData };
};

describe('EraseOrder', () => {
  it('records who requested the erasure and why before anything is destroyed, and its completion afterwards', async () => {
    const { process, events, done, clock } = world({ cards: [card(['r-1', 'r-2'])] });
    const answer = await process().erase(ORDER, wanted({ endsReferences: true }));
    expect(done).toStrictEqual(['end r-1', 'end r-2', 'shred h-1', 'erase k-1 k-2']);
    const [requested, erased, ...others] = await events();
    const requestId = 'requestId' in answer ? answer.requestId : '';
    expect(answer).toStrictEqual({ reason: 'erased', requestId, texts: 2, cards: 1 });
    expect(requested).toStrictEqual({
      type: 'ErasureRequested',
      data: {
        ...named,
        requestId,
        cause: 'request',
        reason: `acme/${ERASURE_REASON}/asked by letter`,
        texts: TEXTS,
        cards: [card(['r-1', 'r-2'])],
        requestedAt: clock.now(),
      },
      by: 'operator:kim',
    });
    expect(erased).toStrictEqual({ type: 'Erased', data: { requestId, erasedAt: clock.now() }, by: 'orchestrator' });
    expect(others).toStrictEqual([]);
  });

  it('records one erasure if it is requested repeatedly', async () => {
    const { process, events, done } = world();
    await process().erase(ORDER, wanted());
    await expect(process().erase(ORDER, wanted())).resolves.toStrictEqual({ reason: 'erased-before' });
    await process().goOn(ORDER);
    expect(await events()).toHaveLength(2);
    // Destroyed twice, since the vault may have been restored from a back-up.
    expect(done).toStrictEqual(['shred h-1', 'erase k-1 k-2', 'shred h-1', 'erase k-1 k-2']);
  });

  it('records one erasure if two processes request it concurrently', async () => {
    const { process, events } = world();
    const answers = await Promise.all([process().erase(ORDER, wanted()), process().erase(ORDER, wanted())]);
    expect(new Set(answers.map((answer) => ('requestId' in answer ? answer.requestId : answer.reason))).size).toBe(1);
    expect((await events()).map(({ type }) => type)).toStrictEqual(['ErasureRequested', 'Erased']);
  });

  it.each(['end r-1', 'shred h-1', 'erase k-1 k-2'])('continues in the next process if one died at %j', async (failsAt) => {
    const { process, events, done, faults } = world({ cards: [card(['r-1'])] });
    faults.failsAt = failsAt;
    await expect(process().erase(ORDER, wanted({ endsReferences: true }))).rejects.toThrow('died at');
    expect((await events()).map(({ type }) => type)).toStrictEqual(['ErasureRequested']);
    expect(done).not.toContain(failsAt);
    faults.failsAt = undefined;
    await process().goOn(ORDER);
    expect(new Set(done)).toStrictEqual(new Set(['end r-1', 'shred h-1', 'erase k-1 k-2']));
    expect((await events()).map(({ type }) => type)).toStrictEqual(['ErasureRequested', 'Erased']);
  });

  it('destroys nothing if the request cannot be stored', async () => {
    const { process, store, done } = world();
    jest.spyOn(store, 'append').mockRejectedValue(new StoreUnavailable('away'));
    await expect(process().erase(ORDER, wanted())).rejects.toThrow(StoreUnavailable);
    expect(done).toStrictEqual([]);
  });

  it('has an unknown outcome if the request is stored and its end is not, and is completed later', async () => {
    const { process, store, events } = world();
    const append = store.append.bind(store);
    jest.spyOn(store, 'append').mockImplementationOnce(append).mockRejectedValueOnce(new StoreUnavailable('away'));
    await expect(process().erase(ORDER, wanted())).rejects.toThrow(OutcomeUnknown);
    await process().goOn(ORDER);
    expect((await events()).map(({ type }) => type)).toStrictEqual(['ErasureRequested', 'Erased']);
  });

  it('erases later data with a separate request', async () => {
    const { process, done, erasableData } = world();
    await process().erase(ORDER, wanted());
    erasableData.of = { ...named, obstacles: [], texts: [...TEXTS, 'k-3' as OrderKeyId], cards: [card()] };
    await expect(process().erase(ORDER, wanted())).resolves.toMatchObject({ reason: 'erased', texts: 1, cards: 0 });
    expect(done.at(-1)).toBe('erase k-3');
  });
});

describe('EraseOrder with a smaller erasure in progress', () => {
  const byAge = (): WantedErasure => ({ cause: 'retention', what: 'cards', by: { actor: 'orchestrator' } });

  it('erases the rest if a process died during the smaller erasure', async () => {
    const { process, done, faults, events } = world();
    faults.failsAt = 'shred h-1';
    await expect(process().erase(ORDER, byAge())).rejects.toThrow('died at');
    faults.failsAt = undefined;
    await expect(process().erase(ORDER, wanted())).resolves.toMatchObject({ reason: 'erased', texts: 2, cards: 0 });
    expect(done).toStrictEqual(['shred h-1', 'erase k-1 k-2']);
    expect((await events()).map(({ type, by: actor }) => [type, actor])).toStrictEqual([
      ['ErasureRequested', 'orchestrator'],
      ['Erased', 'orchestrator'],
      ['ErasureRequested', 'operator:kim'],
      ['Erased', 'orchestrator'],
    ]);
  });

  it('erases everything if both are requested concurrently', async () => {
    const { process, done } = world();
    await Promise.all([process().erase(ORDER, byAge()), process().erase(ORDER, wanted())]);
    expect(new Set(done)).toStrictEqual(new Set(['shred h-1', 'erase k-1 k-2']));
  });

  it('reports the obstacles to erasing the rest', async () => {
    const { process, faults, erasableData } = world();
    faults.failsAt = 'shred h-1';
    await expect(process().erase(ORDER, byAge())).rejects.toThrow('died at');
    faults.failsAt = undefined;
    erasableData.of = { ...named, obstacles: ['dispute-open'], texts: TEXTS, cards: [card()] };
    await expect(process().erase(ORDER, wanted())).resolves.toStrictEqual({ reason: 'obstructed', obstacles: ['dispute-open'] });
  });
});

describe('EraseOrder with obstacles', () => {
  it.each(['not-final', 'follow-up-open', 'callback-due', 'dispute-open', 'case-open'] as const)(
    'refuses to erase an order with %s',
    async (obstacle) => {
      const { process, events, done } = world({ obstacles: [obstacle] });
      await expect(process().erase(ORDER, wanted())).resolves.toStrictEqual({ reason: 'obstructed', obstacles: [obstacle] });
      await expect(process().erase(ORDER, wanted({ what: 'texts' }))).resolves.toMatchObject({ reason: 'obstructed' });
      expect([await events(), done]).toStrictEqual([[], []]);
    },
  );

  it.each([
    ['not-final', 'obstructed'],
    ['follow-up-open', 'obstructed'],
    ['callback-due', 'erased'],
    ['dispute-open', 'erased'],
    ['case-open', 'erased'],
  ] as const)('for cards only, with %s: %s', async (obstacle, reason) => {
    const { process, done } = world({ obstacles: [obstacle], cards: [card(['r-1'])] });
    await expect(process().erase(ORDER, wanted({ what: 'cards' }))).resolves.toMatchObject({ reason });
    expect(done).toStrictEqual(reason === 'erased' ? ['end r-1', 'shred h-1'] : []);
  });

  it('refuses if a card reference is active, unless the erasure ends the reference', async () => {
    const { process, done } = world({ cards: [card(['r-1'])] });
    const obstructed = { reason: 'obstructed', obstacles: ['card-reference-lives'] };
    await expect(process().erase(ORDER, wanted())).resolves.toStrictEqual(obstructed);
    await expect(process().erase(ORDER, wanted({ what: 'texts' }))).resolves.toStrictEqual(obstructed);
    expect(done).toStrictEqual([]);
    await expect(process().erase(ORDER, wanted({ endsReferences: true }))).resolves.toMatchObject({ reason: 'erased' });
  });

  it('refuses an unknown order, and an order with nothing left to erase', async () => {
    const { process, erasableData } = world({ texts: [], cards: [] });
    await expect(process().erase(ORDER, wanted())).resolves.toStrictEqual({ reason: 'erased-before' });
    erasableData.of = undefined;
    await expect(process().erase(ORDER, wanted())).resolves.toStrictEqual({ reason: 'unknown-order' });
  });

  it('refuses under a legal hold until it is released', async () => {
    const { process, holds, done, store } = world();
    await expect(holds.place(named, 'a court asks', by)).resolves.toBe('placed');
    await expect(holds.place(named, 'again', by)).resolves.toBe('held-before');
    await expect(process().erase(ORDER, wanted())).resolves.toStrictEqual({ reason: 'under-legal-hold' });
    expect(done).toStrictEqual([]);
    expect(await erasureOf(store, ORDER)).toMatchObject({ heldSince: expect.any(Number), done: [] });
    await expect(holds.release(named, 'it ended', by)).resolves.toBe('released');
    await expect(holds.release(named, 'again', by)).resolves.toBe('not-held');
    await expect(process().erase(ORDER, wanted())).resolves.toMatchObject({ reason: 'erased' });
  });

  it('lets either the erasure or a concurrent legal hold succeed', async () => {
    const { process, holds, done, events } = world();
    const [held, erased] = await Promise.all([holds.place(named, 'a court asks', by), process().erase(ORDER, wanted())]);
    const types = (await events()).map(({ type }) => type);
    if (held === 'placed') {
      expect([erased.reason, types, done]).toStrictEqual(['under-legal-hold', ['LegalHoldPlaced'], []]);
    } else {
      expect([held, erased.reason, types]).toStrictEqual(['under-way', 'erased', ['ErasureRequested', 'Erased']]);
    }
  });
});

describe('EraseOrder for a part of an order', () => {
  it('erases only the texts, only the cards, or one of two cards', async () => {
    const two = [card(), { handle: 'h-2' as CardHandle, references: [] }];
    const { process, done } = world({ cards: two });
    await process().erase(ORDER, wanted({ what: 'cards', card: 'h-2' as CardHandle }));
    await process().erase(ORDER, wanted({ what: 'texts' }));
    await expect(process().erase(ORDER, wanted({ what: 'texts' }))).resolves.toStrictEqual({ reason: 'erased-before' });
    await process().erase(ORDER, wanted({ what: 'cards' }));
    // A repeated request destroys again what is recorded as erased.
    expect(done).toStrictEqual(['shred h-2', 'erase k-1 k-2', 'shred h-2', 'erase k-1 k-2', 'shred h-1']);
  });
});
