import type { Command } from 'commander';
import { keyRingChangedAt, KeyRingFault, type KeyUse, retireKek, rotateKeyRing } from '@app/card-vault';
import { systemClock } from '@app/kernel';
import { CommandFailed, EXIT, type Output, type CommandContext, writeResult } from '../terminal';
import { ownEnvironment } from '../stores';
import { OperatorPort } from '../operator-port';

/** By then every process has reread the ring (once a minute), and its writes under the previous key are stored. */
export const RETIRED_AFTER_MS = 5 * 60_000;
const KEY_ID = /^(?:kek:)?([1-9]\d{0,9})$/;

/** Parses a key's number, or its name as shown by `orch keys`; undefined for anything else. */
export const keyNamed = (text: string): number | undefined => {
  const [, number] = KEY_ID.exec(text) ?? [];
  return number === undefined ? undefined : Number(number);
};

const ringPath = (): string => ownEnvironment().vaultKeyringPath;

/** Faults of the ring are the user's to fix. */
const changing = <Result>(change: () => Result): Result => {
  try {
    return change();
  } catch (error) {
    throw error instanceof KeyRingFault ? new CommandFailed(error.message, EXIT.refused) : error;
  }
};

const keyUse = (): Promise<KeyUse> => OperatorPort.of().read('/keys');

const listKeys = async (output: Output): Promise<void> => {
  const { primary, keys, retired } = await keyUse();
  writeResult(output, { primary, keys, retired }, () => [
    ...keys.map(({ id, cards, orderKeys }) => `kek:${id}  ${cards} cards, ${orderKeys} order keys${id === primary ? ', primary' : ''}`),
    ...retired.map((name) => `${name}  retired`),
  ]);
};

const rotateKeys = (output: Output): void => {
  const id = changing(() => rotateKeyRing(ringPath()));
  writeResult(output, { primary: id }, () => [
    `kek:${id} is the primary key. Each process uses it within a minute; the worker rewraps the other rows, and orch keys shows the progress`,
    'back up the key ring now: no back-up of the vault can be read without it',
  ]);
};

/** Why a key must be kept; undefined if it may be retired. */
export const whyNotRetired = (id: number, { primary, keys }: KeyUse, changedAgoMs: number): string | undefined => {
  const one = keys.find((key) => key.id === id);
  if (id === primary) return `kek:${id} is the primary key: run orch keys rotate first`;
  if (one === undefined) return `the ring holds no kek:${id}`;
  if (one.cards > 0 || one.orderKeys > 0)
    return `${one.cards} cards and ${one.orderKeys} order keys are under kek:${id}: wait until the worker has rewrapped them`;
  if (changedAgoMs < RETIRED_AFTER_MS)
    return `the ring was changed ${Math.floor(changedAgoMs / 1_000)} s ago, and a process may not have read it yet: wait ${RETIRED_AFTER_MS / 60_000} min`;
  return undefined;
};

const retireKey = async (text: string, output: Output): Promise<void> => {
  const id = keyNamed(text);
  if (id === undefined) throw new CommandFailed('a key must be named as in orch keys, such as kek:1, or by its number', EXIT.usage);
  const path = ringPath();
  const why = whyNotRetired(id, await keyUse(), systemClock.now() - changing(() => keyRingChangedAt(path)));
  if (why !== undefined) throw new CommandFailed(why, EXIT.refused);
  changing(() => retireKek(path, id));
  writeResult(
    output,
    { retired: id },
    () => `kek:${id} is removed from the ring: rows under it, for example in back-ups, cannot be read with this ring`,
  );
};

export const addKeyCommands = (program: Command, { output }: CommandContext): void => {
  const keys = program
    .command('keys')
    .description('the cards and order keys of the vault under each key of the ring; needs a running service')
    .action(() => listKeys(output()));

  keys
    .command('rotate')
    .description('add a primary key to the ring; running services use it for new rows and rewrap the others')
    .action(() => rotateKeys(output()));

  keys
    .command('retire')
    .description('remove a key from the ring, once no rows are under it; final')
    .argument('<id>', 'its id in orch keys, such as kek:1, or its number')
    .action((id: string) => retireKey(id, output()));
};
