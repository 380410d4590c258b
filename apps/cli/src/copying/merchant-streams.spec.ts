import type { MerchantLogin } from '@app/kernel';
import { eventId, metadataWriter, type NewEvent, type StreamName } from '@app/event-store';
import { verifyCopy, copyLog } from '@app/event-store/copy';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { EVENT_CODECS } from '@app/order-queries';
import { ACCEPTED_AT, VirtualClock } from '@app/testing';
import { surveyMerchant } from './merchant-streams';

const ACME = 'acme' as MerchantLogin;
const CATEGORIES = EVENT_CODECS.map(({ category }) => category);
const clock = new VirtualClock();
const newLog = (): MemoryEventStore => new MemoryEventStore(clock);

const event = (stream: StreamName, merchant: string, { type = 'Tested', data = {} }: { type?: string; data?: object } = {}): NewEvent => {
  const envelope = { correlation: 'c', causation: 'c', actor: 'test', merchant, commandId: merchant, recordedAt: ACCEPTED_AT };
  return { id: eventId(stream, merchant, 0), type, data: JSON.stringify(data), metadata: metadataWriter(envelope, stream)(null, 1) };
};
const write = async (log: MemoryEventStore, name: string, merchant: string, more: { type?: string; data?: object } = {}): Promise<void> => {
  const stream = name as StreamName;
  expect((await log.append(stream, 'no_stream', [event(stream, merchant, more)])).kind).toBe('appended');
};
const survey = (source: MemoryEventStore, merchant = ACME, isStopRequested = () => false) =>
  surveyMerchant({ source, merchant, scheduler: clock, isStopRequested });
const copied = async (source: MemoryEventStore, target: MemoryEventStore) => {
  const { selection, leftOut } = await (await survey(source)).against(target);
  const settings = { source, target, selection, knownCategories: new Set(CATEGORIES), scheduler: clock };
  const { outcome, faults } = await copyLog(settings);
  const names: string[] = [];
  for await (const item of target.subscribe('all', 'start')) {
    if (item.kind === 'caught-up') break;
    if (item.kind === 'event') names.push(item.event.stream);
  }
  return { outcome, faults, names, leftOut, verify: () => verifyCopy(settings) };
};
const PLAN = { plan: { screening: 'named', route: { rulesVersion: 'named' } } };

it('takes a stream of every category that is a merchant’s, the rules that its orders name, and nothing else', async () => {
  const [source, target] = [newLog(), newLog()];
  for (const category of CATEGORIES) {
    if (category === 'screening' || category === 'routing') continue;
    for (const merchant of ['acme', 'other']) {
      const more =
        category === 'payment' ? { type: 'OrderAccepted', data: merchant === 'acme' ? PLAN : { plan: { screening: 'theirs' } } } : {};
      await write(source, `${category}-${merchant}`, merchant, more);
    }
  }
  // Whoever was first to need them recorded the rules.
  for (const rules of ['screening-named', 'routing-named', 'screening-theirs']) await write(source, rules, 'other');
  const { outcome, faults, names, leftOut } = await copied(source, target);
  expect({ outcome, faults }).toStrictEqual({ outcome: 'equal', faults: [] });
  const merchants = [
    'payment',
    'recurring',
    'deviceVerification',
    'transfer',
    'cardReference',
    'delivery',
    'velocity',
    'randomSum',
    'once',
    'erasure',
  ];
  const installation = ['serial', 'operator', 'reconciliation', 'configuration'];
  expect([...names].sort()).toStrictEqual([...merchants.map((category) => `${category}-acme`), 'routing-named', 'screening-named'].sort());
  expect([...merchants, ...installation, 'screening', 'routing'].sort()).toStrictEqual([...CATEGORIES].sort());
  const left = leftOut.map(({ category, why, streams, events }) => `${why} ${category} ${streams} ${events}`);
  expect([...left].sort()).toStrictEqual(
    [
      ...merchants.map((category) => `other-merchants ${category} 1 1`),
      ...installation.map((category) => `installation ${category} 2 2`),
      'rules-not-named screening 1 1',
    ].sort(),
  );
});

it('leaves rules that the target recorded by itself as they are, for under their name nothing else can be said', async () => {
  const [source, target] = [newLog(), newLog()];
  await write(source, 'payment-acme', 'acme', { type: 'OrderAccepted', data: PLAN });
  await write(source, 'screening-named', 'acme');
  await write(source, 'routing-named', 'acme');
  await write(target, 'screening-named', 'resident');
  const first = await copied(source, target);
  expect(first.outcome).toBe('equal');
  expect(first.leftOut).toStrictEqual([{ category: 'screening', why: 'rules-held', streams: 1, events: 1 }]);
  expect(first.names).toStrictEqual(['screening-named', 'payment-acme', 'routing-named']);
  // The same command again: what was copied is held now.
  const again = await copied(source, target);
  expect(again.outcome).toBe('equal');
  await expect(again.verify()).resolves.toMatchObject({ outcome: 'equal' });
});

it('comes back with what it did in the other cell, for what was left is the beginning of that', async () => {
  const [home, away] = [newLog(), newLog()];
  await write(home, 'payment-acme', 'acme', { type: 'OrderAccepted', data: PLAN });
  await write(home, 'screening-named', 'acme');
  await write(home, 'routing-named', 'acme');
  await write(home, 'payment-other', 'other');
  await copied(home, away);
  await write(away, 'payment-later', 'acme');
  await write(away, 'payment-resident', 'resident');
  const back = await copied(away, home);
  expect(back.outcome).toBe('equal');
  expect([...back.names].sort()).toStrictEqual(['payment-acme', 'payment-later', 'payment-other', 'routing-named', 'screening-named']);
});

it('names streams of another service in the same server, and takes none', async () => {
  const source = newLog();
  await write(source, 'payment-acme', 'acme');
  const theirs: NewEvent = { id: eventId('x' as StreamName, 'x', 0), type: 'Theirs', data: '{}', metadata: '{"merchant":"acme"}' };
  await source.append('theirs-1' as StreamName, 'no_stream', [theirs]);
  const { names, leftOut } = await copied(source, newLog());
  expect(names).toStrictEqual(['payment-acme']);
  expect(leftOut).toStrictEqual([{ category: 'theirs', why: 'another-service', streams: 1, events: 1 }]);
});

describe('is refused before anything is written', () => {
  it('where nothing of the merchant is there, exit code 3', async () => {
    const source = newLog();
    await write(source, 'payment-other', 'other');
    await write(source, 'reconciliation-1', 'acme');
    await expect(survey(source)).rejects.toMatchObject({
      name: 'CommandFailed',
      exitCode: 3,
      message: '--merchant: nothing of "acme" in the source',
    });
  });

  it('where a category is of a later release, exit code 4', async () => {
    const source = newLog();
    await write(source, 'payment-acme', 'acme');
    await write(source, 'refund-1', 'acme');
    await expect(survey(source)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(/^the source holds "refund", a category that this release does not know: /) as string,
    });
  });

  it('where a merchant’s event names no merchant, exit code 1', async () => {
    const source = newLog();
    await write(source, 'payment-acme', '');
    await expect(survey(source)).rejects.toMatchObject({
      exitCode: 1,
      message: 'payment-acme names no merchant at revision 0: whose it is, is not known',
    });
  });

  it('where it was stopped, exit code 130', async () => {
    const source = newLog();
    await write(source, 'payment-acme', 'acme');
    await expect(survey(source, ACME, () => true)).rejects.toMatchObject({ exitCode: 130 });
  });
});
