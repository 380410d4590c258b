import type { Command } from 'commander';
import { newLogKey, showLogKey } from '../log/log-key';
import { checkProof, consistency, proof, type ConsistencyOptions, type ProofOptions } from '../log/proof';
import { verify, type VerifyOptions } from '../log/verify';
import { addNameOptions } from '../order/one-order';
import type { CommandContext } from './command-context';

const KEY = ['--key <file>', 'the public key of the log; LOG_VERIFY_KEY, or that of the service’s own key, where it is left out'] as const;
const OUT = ['-o, --out <file>', 'write a new file instead of standard output'] as const;

/** The verbs that show what was changed in the event log, and that prove what was not. */
export const addLogProofCommands = (program: Command, { output, endedWith }: CommandContext): void => {
  const log = program.command('log').description('whether the event log is as it was written, and proofs of it');

  const verified = log
    .command('verify')
    .description(
      'read the log as it is stored, and compare it with its Merkle tree and every signed checkpoint; works beside a running service',
    )
    .argument('[order]', 'the events of one order alone: orderid, or client_orderid')
    .option('--merchant <login>', 'whose order it is')
    .option('--since <checkpoint>', 'begin behind this checkpoint, a file')
    .option(...KEY)
    .action(async (order: string | undefined, options: VerifyOptions) => {
      endedWith(await verify(order, options, output()));
    });
  addNameOptions(verified);

  const proved = log
    .command('proof')
    .description('a proof that an event of an order is in the log under a signed checkpoint (C2SP tlog-proof), to be checked alone')
    .argument('<order>', 'orderid, or client_orderid')
    .option('--event <number>', 'its number in the order’s stream, from 0; the newest where it is left out')
    .option('--merchant <login>', 'whose order it is')
    .option(...KEY)
    .option(...OUT)
    .action((name: string, options: ProofOptions) => proof(name, options, output()));
  addNameOptions(proved);

  log
    .command('consistency')
    .description('a proof that the log of the later checkpoint begins with that of the older one')
    .argument('<older>', 'a file')
    .argument('<later>', 'a file')
    .option(...KEY)
    .option(...OUT)
    .action((older: string, later: string, options: ConsistencyOptions) => consistency(older, later, options, output()));

  log
    .command('check-proof')
    .description('check a proof of either kind by itself; no log is needed')
    .argument('<file>')
    .option(...KEY)
    .action((file: string, options: { key?: string }) => checkProof(file, options, output()));

  const key = log.command('key').description('the key that signs checkpoints');

  key
    .command('new')
    .description('make a key in a new file, and its public half beside it')
    .argument('<file>')
    .action((file: string) => newLogKey(file, output()));

  key
    .command('show')
    .description('show the public half of the service’s key')
    .action(() => showLogKey(output()));
};
