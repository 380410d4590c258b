import type { EgressOutcome, EgressRequest } from '@app/egress';
import { VirtualClock, settle } from '@app/testing';
import { parseCheckpoint, signCheckpoint, type SignedCheckpoint } from '../checkpoints/checkpoint';
import { CheckpointHistory } from '../checkpoints/checkpoint-history';
import { readSigningKey } from '../checkpoints/log-key';
import type { WitnessKey } from '../checkpoints/witness-key';
import { EMPTY_ROOT, Frontier, isConsistent, leafHash, rootAt } from '../merkle';
import { keyOfSeed } from '../testing/log-keys';
import { MemoryFiles } from '../testing/memory-files';
import { GrowingTiles } from '../tiles/growing-tiles';
import { TileReader } from '../tiles/tile-reader';
import { CosignedPlace } from './cosigned-place';
import { HttpWitness } from './http-witness';

const key = readSigningKey(keyOfSeed(1));
const SIZE = 700;

/** A witness that keeps to C2SP tlog-witness. */
class Witness {
  taken: SignedCheckpoint | undefined;
  readonly statuses: number[] = [];
  /** Answers in place of the witness, the first of them first. */
  readonly instead: EgressOutcome[] = [];

  send({ url, body = '' }: EgressRequest): Promise<EgressOutcome> {
    expect(url).toBe('https://witness.example/log/add-checkpoint');
    const outcome = this.instead.shift() ?? this.#answer(body);
    if (outcome.kind === 'answered') this.statuses.push(outcome.status);
    return Promise.resolve(outcome);
  }

  #answer(body: string): EgressOutcome {
    const [head = '', ...rest] = body.split('\n\n');
    const [old = '', ...proof] = head.split('\n');
    const checkpoint = parseCheckpoint(rest.join('\n\n'));
    if (checkpoint === undefined) return { kind: 'answered', status: 400, body: '' };
    const taken = this.taken ?? { size: 0, root: EMPTY_ROOT };
    if (Number(old.slice(4)) !== taken.size) return { kind: 'answered', status: 409, body: `${taken.size}\n` };
    const path = proof.map((line) => Buffer.from(line, 'base64'));
    if (!isConsistent(taken, checkpoint, path)) return { kind: 'answered', status: 422, body: '' };
    this.taken = checkpoint;
    return { kind: 'answered', status: 200, body: '\u2014 witness.example/w CMp+6LWBU0anHGH5aNDTJkH/gj79sG+T6+iP2ThYN5k=\n' };
  }
}

const world = async () => {
  const clock = new VirtualClock();
  const files = new MemoryFiles();
  const tiles = await GrowingTiles.of(new TileReader(files, 0));
  const frontier = new Frontier((height, _index, hash) => tiles.add(height, hash));
  for (let index = 0; index < SIZE; index++) frontier.push(leafHash(`leaf ${index}`));
  await tiles.flush(files);
  const tree = new TileReader(files, SIZE);
  const witness = new Witness();
  const told: string[] = [];
  const make = (keys: readonly WitnessKey[] = []): HttpWitness =>
    new HttpWitness({
      url: 'https://witness.example/log/',
      egress: witness,
      scheduler: clock,
      cosigned: new CheckpointHistory(files, 'cosigned'),
      keys,
      onFailed: (_, { message }) => told.push(message),
      onContradicted: (_, what) => told.push(what),
    });
  const at = async (size: number, root?: Buffer): Promise<SignedCheckpoint> =>
    signCheckpoint({ origin: 'log', size, root: root ?? (await rootAt(tree, size)), extensions: [] }, key);
  return { clock, files, tree, witness, told, make, at };
};
const settled = (): Promise<void> => settle(40);

describe('a witness at an HTTP address (C2SP tlog-witness)', () => {
  it('takes each checkpoint with the proof that it continues the one before, and its signature is kept', async () => {
    const { files, tree, witness, told, make, at } = await world();
    const client = make();
    for (const size of [1, 256, 300, 700]) {
      client.offer(await at(size), tree);
      await settled();
      expect(witness.taken?.size).toBe(size);
    }
    expect([told, witness.statuses]).toStrictEqual([[], [200, 200, 200, 200]]);
    const kept = await new CheckpointHistory(files, 'cosigned').newest();
    expect(kept?.note).toBe(`${(await at(700)).note}\u2014 witness.example/w CMp+6LWBU0anHGH5aNDTJkH/gj79sG+T6+iP2ThYN5k=\n`);
  });

  it('is held to its key, where that is known: what others signed is told, and not kept', async () => {
    const { files, tree, witness, told, make, at } = await world();
    const isSigned = (size: number): boolean => size !== 300;
    const key: WitnessKey = {
      name: 'w',
      cosignedAtMs: ({ size, note }) => (isSigned(size) && note.includes('witness.example/w') ? 1 : undefined),
    };
    const client = make([key]);
    for (const size of [256, 300, 700]) {
      client.offer(await at(size), tree);
      await settled();
    }
    expect(witness.taken?.size).toBe(700);
    expect(told).toStrictEqual(['took the checkpoint of 300 events, and no known key of a witness signed its answer']);
    const readBack = async (keys: readonly WitnessKey[]): Promise<readonly unknown[]> => {
      const sizes: unknown[] = [];
      for await (const one of new CosignedPlace('w', files, 'cosigned', keys).all())
        sizes.push('unreadable' in one ? 'unsigned' : one.size);
      return sizes;
    };
    expect(await readBack([key])).toStrictEqual([256, 700]);
    expect(await readBack([{ name: 'another', cosignedAtMs: () => undefined }])).toStrictEqual(['unsigned', 'unsigned']);
    expect((await new CosignedPlace('w', files, 'cosigned', [key]).newest(({ size }) => size < 500))?.size).toBe(256);
  });

  it('is asked what it has after a restart', async () => {
    const { tree, witness, told, make, at } = await world();
    witness.taken = await at(256);
    make().offer(await at(600), tree);
    await settled();
    expect([witness.taken?.size, witness.statuses, told]).toStrictEqual([600, [409, 200], []]);
  });

  it('is tried again after longer and longer pauses, with the newest checkpoint alone', async () => {
    const { clock, tree, witness, told, make, at } = await world();
    witness.instead.push({ kind: 'timed-out' }, { kind: 'answered', status: 503 }, { kind: 'connection-failed', code: 'ECONNREFUSED' });
    const client = make();
    client.offer(await at(100), tree);
    await settled();
    client.offer(await at(200), tree);
    client.offer(await at(300), tree);
    for (const gapMs of [1_000, 2_000, 4_000]) {
      expect(witness.taken).toBeUndefined();
      await clock.advance(gapMs);
      await settled();
    }
    expect(told).toStrictEqual(['timed-out', 'answered 503', 'connection-failed ECONNREFUSED']);
    expect([witness.taken?.size, witness.statuses]).toStrictEqual([300, [503, 200]]);
  });

  it('raises an alarm where the witness has seen more of the log than there is', async () => {
    const { tree, witness, told, make, at } = await world();
    witness.taken = await at(700);
    make().offer(await at(300), tree);
    await settled();
    expect(told).toStrictEqual(['it has a checkpoint of 700 events, and the log has 300']);
    expect(witness.taken?.size).toBe(700);
  });

  it('raises an alarm where the witness has seen another log', async () => {
    const { tree, witness, told, make, at } = await world();
    witness.taken = await at(300, Buffer.alloc(32, 9));
    make().offer(await at(600), tree);
    await settled();
    expect(told).toStrictEqual(['it does not take the checkpoint of 600 events as one that continues the log (422)']);
  });

  it('does not keep an answer that is no signatures', async () => {
    const { files, tree, witness, make, at } = await world();
    witness.instead.push({ kind: 'answered', status: 200, body: '<html>' }, { kind: 'answered', status: 204 });
    const client = make();
    for (const size of [100, 200]) {
      client.offer(await at(size), tree);
      await settled();
    }
    expect(files.files.has('cosigned')).toBe(false);
  });

  it('holds a stop up for two seconds at most', async () => {
    const { clock, tree, witness, make, at } = await world();
    witness.send = () => new Promise(() => undefined);
    const client = make();
    client.offer(await at(100), tree);
    await settled();
    let isStopped = false;
    void client.stop().then(() => (isStopped = true));
    await clock.advance(1_999);
    expect(isStopped).toBe(false);
    await clock.advance(1);
    expect(isStopped).toBe(true);
  });
});
