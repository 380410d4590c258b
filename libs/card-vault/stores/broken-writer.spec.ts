import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { eventually } from '@app/testing';
import { Secret, systemClock, type MerchantLogin } from '@app/kernel';
import { KeyRingFault } from '../keys/key-ring';
import { openVault } from '../open-vault';
import { VaultUnavailable } from '../port';
import { newKeyRing } from '../testing/keys';

const mockThreads: Worker[] = [];
jest.mock('node:worker_threads', () => {
  const actual = jest.requireActual<typeof import('node:worker_threads')>('node:worker_threads');
  return {
    ...actual,
    Worker: class extends actual.Worker {
      constructor(...given: ConstructorParameters<typeof actual.Worker>) {
        super(...given);
        mockThreads.push(this);
      }
    },
  };
});

jest.setTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), 'broken-writer-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a vault whose writer died reports it once, rejects writes and still opens stored cards', async () => {
  const acme = 'acme' as MerchantLogin;
  const card = { number: '4444333322221111', expiryMonth: 7, expiryYear: 2031, holder: 'JOHN SMITH' };
  const broken: Error[] = [];
  const vault = await openVault({
    at: { kind: 'file', path: join(folder, 'vault.sqlite') },
    keyRing: newKeyRing(),
    clock: systemClock,
    orderKeysAhead: 4,
    onBroken: (error) => broken.push(error),
  });
  const { handle } = await vault.keep(acme, new Secret(card), 'payment-stream');
  const late = vault.keep(acme, new Secret(card), 'payment-stream');
  const refused = expect(late).rejects.toThrow(VaultUnavailable);
  await mockThreads.at(-1)?.terminate();
  await refused;
  await expect(vault.keep(acme, new Secret(card), 'payment-stream')).rejects.toThrow(VaultUnavailable);
  await expect(vault.shred(acme, handle)).rejects.toThrow(VaultUnavailable);
  expect((await vault.open(acme, handle)).reveal()).toEqual(card);
  expect(broken).toEqual([expect.objectContaining({ name: 'WriterBroken' })]);
  expect(await vault.ready()).toMatchObject({ isReady: false, problem: broken[0]?.message });
  while (vault.takeKeyNow() !== undefined);
  await expect(vault.takeKey()).rejects.toThrow(VaultUnavailable);
  await vault.close();
});

it('a vault written with other keys is rejected and leaves no worker thread running', async () => {
  const at = { kind: 'file' as const, path: join(folder, 'other-keys.sqlite') };
  await (await openVault({ at, keyRing: newKeyRing(), clock: systemClock, orderKeysAhead: 4 })).close();
  await expect(openVault({ at, keyRing: newKeyRing(), clock: systemClock, orderKeysAhead: 4 })).rejects.toThrow(KeyRingFault);
  await eventually(() => mockThreads.at(-1)?.threadId === -1);
});
