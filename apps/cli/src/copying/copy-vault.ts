import { existsSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { BoxRefused, KeyRingFault, loadKeyRing, MerchantCarrier, openVaultRows, type KeyRing, type OrderKeyId } from '@app/card-vault';
import { parseStoreUrl, type StoreUrl } from '@app/configuration';
import { RetryPolicy, wholeLog } from '@app/event-store/copy';
import { systemClock, systemRandom, systemScheduler, type MerchantLogin } from '@app/kernel';
import { merchantOf, orderKeysIn, ownerOf } from '@app/order-queries';
import { openDatabase } from '@app/sqlite';
import { CommandFailed, EXIT } from '../command-failed';
import type { EventLogReader } from '../service/event-log';
import type { Output } from '../terminal/output';
import { StopRequest } from '../terminal/stop-request';
import { logAddress, openToRead, type Side } from './log-address';
import { showCopiedVault, type CopiedVault } from './vault-report';

export interface CopyVaultOptions {
  readonly from: string;
  readonly fromKeys: string;
  readonly to: string;
  readonly toKeys: string;
  readonly log: string;
  readonly merchant: MerchantLogin;
}

type VaultAddress = Exclude<StoreUrl, { readonly kind: 'eventstoredb' }>;

/** Keys carried at once. */
const KEYS_PER_BATCH = 200;
/** Events of others between two turns of the event loop. */
const PASSED_PER_TURN = 1_000;
const EXIT_CODES: Readonly<Record<CopiedVault['outcome'], number>> = { equal: 0, differs: EXIT.failed, stopped: EXIT.interrupted };

/** The message never repeats the text, which may contain a password. */
const vaultAddress = (side: Side, text: string): VaultAddress => {
  const address = parseStoreUrl(text);
  if (address === undefined || address.kind === 'eventstoredb')
    throw new CommandFailed(`${side}: expected is a path, file: or postgres://`, EXIT.usage);
  return address;
};

const assertDistinct = (from: VaultAddress, to: VaultAddress): void => {
  const isSameFile = from.kind === 'file' && to.kind === 'file' && from.path === to.path;
  const isSameServer = from.kind === 'postgres' && to.kind === 'postgres' && from.url.reveal() === to.url.reveal();
  if (isSameFile || isSameServer) throw new CommandFailed('--from and --to name the same vault', EXIT.usage);
};

/** A file is opened only where it is a vault: opening makes the tables that it lacks. */
const assertVault = (side: Side, at: VaultAddress): void => {
  if (at.kind !== 'file') return;
  if (!existsSync(at.path)) throw new CommandFailed(`${side}: there is no vault at ${at.path}`);
  try {
    const db = openDatabase(at.path, { readOnly: true });
    try {
      db.prepare('SELECT handle FROM cards LIMIT 1').all();
    } finally {
      db.close();
    }
  } catch {
    throw new CommandFailed(`${side}: ${at.path} is no vault`);
  }
};

const ringOf = (option: string, path: string): KeyRing => {
  try {
    return loadKeyRing(path);
  } catch (error) {
    if (error instanceof KeyRingFault) throw new CommandFailed(`${option}: ${error.message}`);
    throw error;
  }
};

const openRows = async (side: Side, at: VaultAddress, keyRing: KeyRing) => {
  try {
    return await openVaultRows({ at, keyRing });
  } catch (error) {
    throw new CommandFailed(`${side}: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/**
 * `orch copy-vault`: carries the cards and the order keys of one merchant into the vault of another cell, or goes on with it. Both services may run.
 * Resolves with the exit code: 0 where the target has all of it, 1 where something there is otherwise, 130 where it was stopped.
 * @throws CommandFailed
 */
export const copyVaultTo = async (options: CopyVaultOptions, output: Output): Promise<number> => {
  const [from, to] = [vaultAddress('--from', options.from), vaultAddress('--to', options.to)];
  assertDistinct(from, to);
  const logAt = logAddress('--log', options.log);
  assertVault('--from', from);
  assertVault('--to', to);
  const rings = { from: ringOf('--from-keys', options.fromKeys), to: ringOf('--to-keys', options.toKeys) };
  const stop = new StopRequest();
  const log = await openToRead('--log', logAt);
  try {
    const source = { store: await openRows('--from', from, rings.from), keyRing: rings.from };
    try {
      const target = { store: await openRows('--to', to, rings.to), keyRing: rings.to };
      try {
        const { merchant } = options;
        const isStopRequested = (): boolean => stop.isRequested;
        const ports = { clock: systemClock, random: systemRandom };
        const carrier = await orFailed(MerchantCarrier.open({ source, target, merchant, isStopRequested, ...ports }));
        const copied = await orFailed(carried(carrier, log, merchant, isStopRequested));
        showCopiedVault(copied, output);
        return EXIT_CODES[copied.outcome];
      } finally {
        await target.store.close();
      }
    } finally {
      await source.store.close();
    }
  } finally {
    await log.close();
  }
};

const carried = async (
  carrier: MerchantCarrier,
  log: EventLogReader,
  merchant: MerchantLogin,
  isStopRequested: () => boolean,
): Promise<CopiedVault> => {
  const isWhole = (await carrier.carryCards()) && (await carryOrderKeys(carrier, log, merchant, isStopRequested));
  const { cards, uids, orderKeys, faults } = carrier;
  const outcome = !isWhole ? 'stopped' : faults.length > 0 ? 'differs' : 'equal';
  const isNothing = [cards, orderKeys].every(({ carried: count, held }) => count + held === 0);
  if (outcome === 'equal' && isNothing) throw new CommandFailed(`--merchant: nothing of "${merchant}" in the source`, EXIT.notFound);
  return { outcome, merchant, cards, uids, orderKeys, faults };
};

/** No row of the vault says whose an order's key is: the texts in the log do. */
const carryOrderKeys = async (
  carrier: MerchantCarrier,
  log: EventLogReader,
  merchant: MerchantLogin,
  isStopRequested: () => boolean,
): Promise<boolean> => {
  const retry = new RetryPolicy(systemScheduler, isStopRequested);
  const batch = new Set<OrderKeyId>();
  let passed = 0;
  for await (const item of wholeLog(log, 'start', await retry.run(() => log.head()), retry)) {
    if (isStopRequested()) return false;
    if (++passed % PASSED_PER_TURN === 0) await turn();
    if (item.kind === 'broken' || ownerOf(item.event.stream) !== 'merchant' || merchantOf(item.event) !== merchant) continue;
    for (const id of orderKeysIn(item.event)) batch.add(id);
    if (batch.size < KEYS_PER_BATCH) continue;
    await carrier.carryOrderKeys([...batch]);
    batch.clear();
  }
  await carrier.carryOrderKeys([...batch]);
  return true;
};

const orFailed = async <Result>(work: Promise<Result>): Promise<Result> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof KeyRingFault) throw new CommandFailed(error.message, EXIT.refused);
    if (error instanceof BoxRefused) throw new CommandFailed(`a row of a vault is not as it was written: ${error.message}`);
    throw error;
  }
};
