import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import {
  consistencyProblem,
  consistencyProofOf,
  consistencyProofText,
  eventProofProblem,
  EventProofs,
  eventProofText,
  parseCheckpoint,
  parseLeaf,
  PROOF_CHARACTERS_MAX,
  readProof,
  timeOf,
  type ConsistencyProof,
  type EventProof,
} from '@app/investigation';
import type { StoredEvent } from '@app/event-store';
import { CommandFailed, EXIT, asJson, type Output, type CommandContext, writeResult } from '../terminal';
import { withOrders, ownEnvironment } from '../stores';
import { oneOrder, type NameOptions, orderCommand } from '../orders/order-name';
import {
  openCheckpointStores,
  orTileFailed,
  readCheckpointFile,
  readTextFile,
  requiredVerifyKey,
  verifyKey,
  newLogKey,
  showLogKey,
} from './keys-and-checkpoints';
import { verify, type VerifyOptions } from './verify';

interface ProofOptions extends NameOptions {
  readonly key?: string;
  readonly event?: string;
  readonly out?: string;
}

const REVISION = /^(0|[1-9]\d{0,6})$/;
const FILE_MODE = 0o600;

/** Writes to a new file, or to the output. @throws CommandFailed if the file exists */
const put = (text: string, path: string | undefined, output: Output): void => {
  if (path === undefined) {
    output.line(text.replace(/\n$/, ''));
    return;
  }
  try {
    writeFileSync(path, text, { flag: 'wx', mode: FILE_MODE });
  } catch (error) {
    throw new CommandFailed(`${path}: it cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unwritable'})`, EXIT.usage);
  }
};

const proof = async (name: string, options: ProofOptions, output: Output): Promise<void> => {
  const { key, event, out } = options;
  if (event !== undefined && !REVISION.test(event))
    throw new CommandFailed('--event must be the number of an event in its stream, from 0', EXIT.usage);
  await withOrders(options.merchant, async (verb) => {
    const { environment, readers } = verb;
    const stream = await oneOrder(verb, name, options);
    let found: StoredEvent | undefined;
    for await (const one of readers.log.read(stream)) if (event === undefined || one.revision === BigInt(event)) found = one;
    if (found === undefined) throw new CommandFailed(`${stream} has no event ${event}`, EXIT.notFound);
    const stored = found;
    const { files, places, origin } = await openCheckpointStores(environment);
    const source = { log: readers.log, files, places, key: verifyKey(key, environment), origin };
    const made = await orTileFailed(environment, async () => (await EventProofs.open(source)).of(stored));
    switch (made.kind) {
      case 'proof':
        put(output.isJson ? asJson(eventData(made.proof)) : eventProofText(made.proof), out, output);
        return;
      case 'not-covered':
        throw new CommandFailed(`${stream} ${stored.revision}: no checkpoint covers it yet`, EXIT.refused);
      case 'event-differs':
        throw new CommandFailed(
          `${stream} ${stored.revision}: it is not the event that was written there. Run orch log verify for details`,
        );
      case 'no-leaf':
        throw new CommandFailed(`${stream} ${stored.revision}: it has no hash chain, and is not in the tree`);
    }
  });
};

const eventData = ({ leaf, index, path, checkpoint }: EventProof): object => ({ index, path, checkpoint, leaf, event: parseLeaf(leaf) });

interface ConsistencyOptions {
  readonly key?: string;
  readonly out?: string;
}

const consistency = async (older: string, later: string, { key, out }: ConsistencyOptions, output: Output): Promise<void> => {
  const environment = ownEnvironment();
  const [first, second] = [readCheckpointFile(older), readCheckpointFile(later)];
  if (first.size > second.size)
    throw new CommandFailed(`${older} is of ${first.size} events, and ${later} of ${second.size}: the older one comes first`, EXIT.usage);
  const verifier = requiredVerifyKey(key, environment);
  const { files } = await openCheckpointStores(environment);
  const made = await orTileFailed(environment, () => consistencyProofOf(files, first, second));
  const problem = consistencyProblem(made, verifier);
  if (problem !== undefined) throw new CommandFailed(`no proof: ${problem}`);
  put(output.isJson ? asJson(made) : consistencyProofText(made), out, output);
};

const checkProof = (path: string, { key }: { readonly key?: string }, output: Output): void => {
  const environment = ownEnvironment();
  const verifier = requiredVerifyKey(key, environment);
  const read = readProof(readTextFile(path, PROOF_CHARACTERS_MAX));
  if (read === undefined) throw new CommandFailed(`${path}: not a proof that this release can read`, EXIT.usage);
  const problem = read.kind === 'event' ? eventProofProblem(read.proof, verifier) : consistencyProblem(read.proof, verifier);
  if (problem !== undefined) throw new CommandFailed(`${path}: the proof does not hold: ${problem}`);
  if (read.kind === 'event') showEvent(read.proof, output);
  else showConsistency(read.proof, output);
};

const showEvent = ({ leaf, index, checkpoint: note }: EventProof, output: Output): void => {
  const [event, checkpoint] = [parseLeaf(leaf), parseCheckpoint(note)];
  if (event === undefined || checkpoint === undefined) return;
  const { stream, revision, id, type } = event;
  const madeAt = timeOf(checkpoint);
  const { origin, size } = checkpoint;
  writeResult(output, { holds: true, stream, revision: Number(revision), id, type, index, origin, size, madeAt }, () => [
    output.paint('good', 'the proof holds'),
    `${type}, revision ${revision} of ${stream} (${id}), is event ${index} of ${origin}`,
    `under its checkpoint of ${size} events${madeAt === undefined ? '' : `, made ${madeAt}`}`,
  ]);
};

const showConsistency = ({ older, later }: ConsistencyProof, output: Output): void => {
  const [first, second] = [parseCheckpoint(older), parseCheckpoint(later)];
  if (first === undefined || second === undefined) return;
  writeResult(output, { holds: true, origin: first.origin, olderSize: first.size, laterSize: second.size }, () => [
    output.paint('good', 'the proof holds'),
    `the ${second.size} events of ${second.origin} begin with the ${first.size} of the older checkpoint`,
  ]);
};

const KEY = ['--key <file>', 'the public key of the log (default: LOG_VERIFY_KEY, or the public half of LOG_SIGNING_KEY)'] as const;
const OUT = ['-o, --out <file>', 'write a new file instead of standard output'] as const;

export const addLogProofCommands = (program: Command, { output, endedWith }: CommandContext): void => {
  const log = program.command('log').description('verify the event log, and make proofs about it');

  orderCommand(log, 'verify', '[order]', 'check only the events of this order: an orderid or a client_orderid')
    .description('compare the stored log with its Merkle tree and every signed checkpoint; works with or without a running service')
    .option('--since <checkpoint>', 'begin after this checkpoint, a file')
    .option(...KEY)
    .action(async (order: string | undefined, options: VerifyOptions) => {
      endedWith(await verify(order, options, output()));
    });

  orderCommand(log, 'proof')
    .description('write a proof (C2SP tlog-proof) that an event is in the log under a signed checkpoint; it can be checked without the log')
    .option('--event <number>', 'its number in the order’s stream, counted from 0 (default: the newest)')
    .option(...KEY)
    .option(...OUT)
    .action((name: string, options: ProofOptions) => proof(name, options, output()));

  log
    .command('consistency')
    .description('write a proof that the log of the later checkpoint begins with the log of the older one')
    .argument('<older>', 'a checkpoint file')
    .argument('<later>', 'a checkpoint file')
    .option(...KEY)
    .option(...OUT)
    .action((older: string, later: string, options: ConsistencyOptions) => consistency(older, later, options, output()));

  log
    .command('check-proof')
    .description('check a proof of either kind; no log is needed')
    .argument('<file>')
    .option(...KEY)
    .action((file: string, options: { key?: string }) => checkProof(file, options, output()));

  const key = log.command('key').description('the key that signs checkpoints');

  key
    .command('new')
    .description('make a key in a new file, and its public half in <file>.pub')
    .argument('<file>')
    .action((file: string) => newLogKey(file, output()));

  key
    .command('show')
    .description('print the public half of the service’s key')
    .action(() => showLogKey(output()));
};
