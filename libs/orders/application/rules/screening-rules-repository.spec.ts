import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import type { MerchantLogin } from '@app/kernel';
import { RULES_VERSION, VirtualClock } from '@app/testing';
import { screeningStream } from '../../events/screening.codec';
import { ScreeningRulesRepository } from './screening-rules';
import { requestEnvelope } from '../acceptance/accept-order';

const configured = {
  blockedBins: ['444433'],
  blockedCountries: ['PRK'],
  blockedIps: ['10.0.0.0/8'],
  perCard: { count: 3, hours: 24 },
  perIp: { count: 0, hours: 1 },
};
const rules = { version: RULES_VERSION, configured };

const setUp = () => {
  const clock = new VirtualClock();
  const store = new StumblingStore(new MemoryEventStore(clock));
  const envelope = (serial: string) => requestEnvelope('acme' as MerchantLogin, { serial }, clock.now());
  const types = async () => {
    const found: string[] = [];
    for await (const { type } of store.read(screeningStream(RULES_VERSION))) found.push(type);
    return found;
  };
  return { store, envelope, types, newBook: () => new ScreeningRulesRepository(store, clock) };
};

describe('ScreeningRulesRepository', () => {
  it('records rules once in a process and does not access the store again', async () => {
    const { store, newBook, envelope, types } = setUp();
    const book = newBook();
    await book.record(rules, envelope('s-1'));
    await book.record(rules, envelope('s-2'));
    expect(store.appends).toBe(1);
    expect(await types()).toEqual(['ScreeningRulesRecorded']);
  });

  it('records one entry for each version if many processes record concurrently', async () => {
    const { newBook, envelope, types } = setUp();
    await Promise.all(Array.from({ length: 20 }, (_, index) => newBook().record(rules, envelope(`s-${index}`))));
    expect(await types()).toEqual(['ScreeningRulesRecorded']);
  });

  it('returns the rules of a version in any process and reads them once', async () => {
    const { store, newBook, envelope } = setUp();
    await newBook().record(rules, envelope('s-1'));
    const book = newBook();
    const found = await book.rulesOf(RULES_VERSION);
    expect(found.configured).toMatchObject(configured);
    expect(found.prepared).toMatchObject({ perCardCount: 3, blockedCountries: new Set(['PRK']) });
    expect(await book.rulesOf(RULES_VERSION)).toBe(found);
    expect(store.reads).toBe(1);
  });

  it('records again after a failed append, and throws for a version that was never recorded', async () => {
    const { store, newBook, envelope, types } = setUp();
    const book = newBook();
    store.isAway = true;
    await expect(book.record(rules, envelope('s-1'))).rejects.toThrow();
    store.isAway = false;
    await expect(book.rulesOf(RULES_VERSION)).rejects.toThrow('were never recorded');
    await book.record(rules, envelope('s-1'));
    expect(await types()).toEqual(['ScreeningRulesRecorded']);
  });
});
