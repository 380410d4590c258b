import { systemIds, type MerchantLogin } from '@app/kernel';
import { NumberBlocks } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { recordConfiguration } from '@app/configuration-record';
import { VirtualClock } from '@app/testing';
import { purposeOfCopy } from './cell-check';

const ACME = 'acme' as MerchantLogin;
const clock = new VirtualClock();

interface Side {
  readonly merchants?: readonly object[];
  readonly cell?: { readonly number: number; readonly of: number };
  readonly copy?: string;
}

/** The log of a service that was started with this configuration. */
const started = async ({ merchants = [{ login: 'acme', suspended: true }], cell, copy }: Side = {}): Promise<MemoryEventStore> => {
  const store = new MemoryEventStore(clock);
  await recordConfiguration({ store, clock, ids: systemIds, bootId: 'boot' }, copy ?? JSON.stringify({ accounts: { merchants } }), []);
  const series = { name: 'blocks', actor: 'test', blockSize: 10, size: 1_000 };
  await new NumberBlocks({ series, store, clock, ids: systemIds, bootId: 'boot', ...(cell && { cell }) }).open();
  return store;
};
const first = { number: 1, of: 2 };
const second = { number: 2, of: 2 };
const refusal = (message: string) => ({ name: 'CommandFailed', exitCode: 4, message });

it('a copy between two cells that both have the merchant suspended, and numbers of their own, is one for a cell', async () => {
  const [source, target] = [await started({ cell: first }), await started({ cell: second })];
  await expect(purposeOfCopy(source, target, ACME)).resolves.toStrictEqual({ kind: 'cell', notOnRecord: [] });
});

it('a copy into a log on which no service was ever started is for study, and asks for nothing', async () => {
  const source = await started({ merchants: [{ login: 'acme' }] });
  await expect(purposeOfCopy(source, new MemoryEventStore(clock), ACME)).resolves.toStrictEqual({ kind: 'study' });
});

it.each([
  ['works in the source', [{ login: 'acme' }], undefined, 'is not suspended in the newest configuration on record of the source'],
  ['works in the target', undefined, [{ login: 'acme' }], 'is not suspended in the newest configuration on record of the target'],
  ['is gone from the source', [{ login: 'other' }], undefined, 'is not in the newest configuration on record of the source'],
  ['is not in the target', undefined, [{ login: 'other' }], 'is not in the newest configuration on record of the target'],
] as const)('a merchant that %s is refused, exit code 4', async (_what, ours, theirs, why) => {
  const source = await started({ cell: first, ...(ours && { merchants: ours }) });
  const target = await started({ cell: second, ...(theirs && { merchants: theirs }) });
  await expect(purposeOfCopy(source, target, ACME)).rejects.toMatchObject(
    refusal(`--merchant: acme ${why}: two cells would work on its orders`),
  );
});

it('goes by the newest configuration', async () => {
  const source = await started({ cell: first });
  const open = JSON.stringify({ accounts: { merchants: [{ login: 'acme' }] } });
  await recordConfiguration({ store: source, clock, ids: systemIds, bootId: 'boot-2' }, open, []);
  await expect(purposeOfCopy(source, await started({ cell: second }), ACME)).rejects.toMatchObject({ exitCode: 4 });
});

it('says where the record has no copy of a configuration', async () => {
  const source = await started({ cell: first, copy: `{"a":"${'x'.repeat(900_000)}"}` });
  await expect(purposeOfCopy(source, await started({ cell: second }), ACME)).resolves.toStrictEqual({
    kind: 'cell',
    notOnRecord: ['source'],
  });
});

it('cells that digest by another service key, or have another control key of the merchant, are refused, exit code 4', async () => {
  const merchants = (keyId: string) => [{ login: 'acme', suspended: true, controlKey: { keyId } }];
  const source = await started({ cell: first, merchants: merchants('one') });
  await expect(purposeOfCopy(source, await started({ cell: second, merchants: merchants('other') }), ACME)).rejects.toMatchObject(
    refusal(
      '--merchant: the control key of acme, or the service key of the key rings, is not the same in both cells: requests would not be known again',
    ),
  );
  await expect(purposeOfCopy(source, await started({ cell: second, merchants: merchants('one') }), ACME)).resolves.toMatchObject({
    kind: 'cell',
  });
});

it('two logs that give the same numbers are refused, exit code 4', async () => {
  const [source, target] = [await started(), await started()];
  await expect(purposeOfCopy(source, target, ACME)).rejects.toMatchObject(
    refusal(
      '--merchant: both logs give the same numbers (serial-blocks): each cell needs numbers of its own, by cell in its configuration',
    ),
  );
});
