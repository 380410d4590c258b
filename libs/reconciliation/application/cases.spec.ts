import { metadataOf } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { GateAlias, MerchantLogin } from '@app/kernel';
import { seededIds, VirtualClock } from '@app/testing';
import { caseOf } from '../domain/case-of-finding';
import { reconciliationCodec, caseStream } from '../reconciliation.codec';
import { line, ORDER, own } from '../testing/lines';
import { CASE_REASON, Cases, type CasesPorts } from './cases';

const BY = { actor: 'operator:kim', claimedActor: 'jane' };
const found = caseOf({ kind: 'missing-there', order: ORDER, ours: own() }, { gate: 'gate-a' as GateAlias, source: 'file' });
const nobodys = caseOf({ kind: 'missing-here', line: line() }, { gate: 'gate-a' as GateAlias, source: 'file' });
const NONE = 'a'.repeat(52);

const world = () => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const sealer = {
    takeKey: () => Promise.resolve({ id: 'key', seal: (merchant: MerchantLogin, field: string) => `sealed for ${merchant}: ${field}` }),
  };
  const cases = new Cases({ store, sealer: sealer as unknown as CasesPorts['sealer'], clock, ids: seededIds() });
  const recorded = async (caseId: string) => {
    const events = [];
    for await (const stored of store.read(caseStream(caseId)))
      events.push({ ...reconciliationCodec.decode(stored), by: metadataOf(stored).actor, merchant: metadataOf(stored).merchant });
    return events;
  };
  return { cases, recorded };
};

it('a repeated difference opens one case', async () => {
  const { cases, recorded } = world();
  const opened = await cases.open(found, BY);
  expect(opened.isNew).toBe(true);
  await expect(cases.open({ ...found, fileDigest: 'ab' }, { actor: 'operator:other' })).resolves.toStrictEqual({ ...opened, isNew: false });
  expect(await recorded(opened.caseId)).toMatchObject([{ type: 'CaseOpened', by: 'operator:kim', merchant: 'acme' }]);
  expect(await cases.find(opened.caseId)).toMatchObject({ status: 'open', opened: found });
});

it('a case is closed by an operator, with the reason sealed for the order’s merchant', async () => {
  const { cases, recorded } = world();
  const { caseId } = await cases.open(found, BY);
  expect(await cases.close(caseId, 'looked at', BY)).toBe('closed');
  expect(await cases.close(caseId, 'again', BY)).toBe('closed-before');
  expect(await cases.open(found, BY)).toStrictEqual({ caseId, isNew: false });
  const [, closed] = await recorded(caseId);
  expect(closed).toMatchObject({ type: 'CaseClosed', data: { reason: `sealed for acme: ${CASE_REASON}` }, by: 'operator:kim' });
});

it('a case without an order has no merchant', async () => {
  const { cases, recorded } = world();
  const { caseId } = await cases.open(nobodys, BY);
  await cases.close(caseId, 'not ours', BY);
  expect((await recorded(caseId)).map(({ merchant }) => merchant)).toStrictEqual(['', '']);
});

it('an applied result is recorded once and ends the case', async () => {
  const { cases, recorded } = world();
  const { caseId } = await cases.open(found, BY);
  const applied = { to: 'declined', effect: 'reconciled' } as const;
  expect(await cases.recordApplied(caseId, applied, 'the statement', BY)).toBe('applied');
  expect(await cases.recordApplied(caseId, applied, 'the statement', BY)).toBe('closed-before');
  expect((await recorded(caseId)).at(-1)).toMatchObject({ type: 'CaseApplied', data: applied });
});

it('a difference that returns after its case was applied reopens the case', async () => {
  const { cases, recorded } = world();
  const { caseId } = await cases.open(found, BY);
  await cases.recordApplied(caseId, { to: 'declined', effect: 'reconciled' }, 'the statement', BY);
  const again = { ...found, fileDigest: 'ab' };
  expect(await cases.open(again, { actor: 'operator:other' })).toStrictEqual({ caseId, isNew: true });
  expect(await cases.open(again, BY)).toStrictEqual({ caseId, isNew: false });
  expect(await cases.find(caseId)).toMatchObject({ status: 'open', opened: again });
  expect((await recorded(caseId)).map(({ type, by }) => [type, by])).toStrictEqual([
    ['CaseOpened', 'operator:kim'],
    ['CaseApplied', 'operator:kim'],
    ['CaseOpened', 'operator:other'],
  ]);
});

it('an unknown case cannot be closed or applied', async () => {
  const { cases } = world();
  expect(await cases.close(NONE, 'why', BY)).toBe('unknown-case');
  expect(await cases.recordApplied(NONE, { to: 'approved', effect: 'resolved' }, 'why', BY)).toBe('unknown-case');
  expect(await cases.find(NONE)).toStrictEqual({ status: 'none' });
});
