import type { Command } from 'commander';
import { listKeys, retireKey, rotateKeys } from '../service/keys';
import type { CommandContext } from './command-context';

/** The verbs of the vault's key ring. */
export const addKeyCommands = (program: Command, { output }: CommandContext): void => {
  const keys = program
    .command('keys')
    .description('how many cards and order keys of the vault lie under which key of the ring; by the running service')
    .action(() => listKeys(output()));

  keys
    .command('rotate')
    .description('make a new key that wraps what is new; running services take it up, and wrap the rest anew')
    .action(() => rotateKeys(output()));

  keys
    .command('retire')
    .description('take a key out of the ring for good, once nothing lies under it any more')
    .argument('<id>', 'as orch keys shows it, such as kek:1, or its number')
    .action((id: string) => retireKey(id, output()));
};
