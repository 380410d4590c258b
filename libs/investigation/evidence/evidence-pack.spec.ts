import { strFromU8, unzipSync, zipSync, type ZipOptions } from 'fflate';
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createHash, generateKeyPairSync, hash, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { eventId, hashOf, metadataWriter, type NewEvent, type Revision, type StoredEvent, type StreamName } from '@app/event-store';
import type { ClientOrderId, Instant, MerchantLogin, OrderId } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { signCheckpoint, signNote, readSigningKey } from '../log-proofs/checkpoint';
import { leafText } from '../log-proofs/log-tree';
import { keyOfSeed } from '../log-proofs/testing/log-keys';
import { readLogKey, verifyPack, type LogKey, type PackVerdict } from '@app/proofs';
import { samplePage } from './testing/sample-page';
import { canonical, fileInPack, packEvidence, type Evidence, type Json, type ProvenEvent } from './evidence-pack';

const key = readSigningKey(keyOfSeed(1));
const otherKey = readSigningKey(keyOfSeed(2));
const ORIGIN = 'log-1';
const ownVerifier = join(__dirname, 'verify.py');
const verifier = readFileSync(ownVerifier, 'utf8');
const SIGNED_AT = 1_700_000_000_000;

const sha = (...parts: readonly Uint8Array[]): Buffer => parts.reduce((digest, part) => digest.update(part), createHash('sha256')).digest();
const splitOf = (count: number): number => {
  let k = 1;
  while (2 * k < count) k *= 2;
  return k;
};
/** RFC 6962, section 2.1, word for word. */
const treeHash = (leaves: readonly string[]): Buffer => {
  if (leaves.length === 1) return sha(Buffer.of(0), Buffer.from(leaves[0] ?? ''));
  const k = splitOf(leaves.length);
  return sha(Buffer.of(1), treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)));
};
const pathOf = (index: number, leaves: readonly string[]): readonly Buffer[] => {
  if (leaves.length === 1) return [];
  const k = splitOf(leaves.length);
  return index < k
    ? [...pathOf(index, leaves.slice(0, k)), treeHash(leaves.slice(k))]
    : [...pathOf(index - k, leaves.slice(k)), treeHash(leaves.slice(0, k))];
};

const ORDER = 'payment-order' as StreamName;
const OTHER = 'payment-other' as StreamName;
const OPERATOR = 'operator-boot' as StreamName;
const TOKEN = 'tok-very-secret';

const storedLog = async (): Promise<readonly StoredEvent[]> => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const ends = new Map<StreamName, { readonly revision: Revision; readonly hash: string }>();
  const datas: readonly (readonly [StreamName, string])[] = [
    [OTHER, '{"orderId":"2"}'],
    [ORDER, '{"orderId":"1","customer":"sealed…"}'],
    [OPERATOR, '{"action":"settle-unknown"}'],
    [ORDER, `{"receipt":{"cardToken":"${TOKEN}","rrn":"123"}}`],
    [OTHER, '{"number":1}'],
    [ORDER, '{"finalAt":"é"}'],
    [OPERATOR, '{"action":"resend-delivery"}'],
  ];
  for (const [stream, data] of datas) {
    const last = ends.get(stream);
    const revision = ((last?.revision ?? -1n) + 1n) as Revision;
    const cause = { correlation: 'c', causation: 'c', actor: 'acme', merchant: 'acme', commandId: 'c' };
    const metadata = metadataWriter({ ...cause, recordedAt: clock.now() }, stream)(last?.hash ?? null, 1);
    const event: NewEvent = { id: eventId(stream, `${revision}`, 0), type: `Type${revision}`, data, metadata };
    await store.append(stream, last?.revision ?? 'no_stream', [event]);
    ends.set(stream, { revision, hash: hashOf(event) });
  }
  const events: StoredEvent[] = [];
  for await (const item of store.subscribe('all', 'start')) {
    if (item.kind === 'caught-up') break;
    if (item.kind === 'event') events.push(item.event);
  }
  return events;
};

const evidenceOf = (log: readonly StoredEvent[], chosen: (event: StoredEvent, index: number) => boolean): Evidence => {
  const leaves = log.map((event) => leafText(event));
  const events: readonly ProvenEvent[] = log.flatMap((event, index) =>
    chosen(event, index) ? [{ event, index, path: pathOf(index, leaves) }] : [],
  );
  return {
    order: { merchant: 'acme' as MerchantLogin, orderId: '1' as OrderId, clientOrderId: 'inv-1' as ClientOrderId, kind: 'payment' },
    at: 1_699_000_000_000 as Instant,
    streams: [
      { name: ORDER, isWhole: true },
      { name: OPERATOR, isWhole: false },
    ],
    events,
    checkpoint: signCheckpoint({ origin: ORIGIN, size: leaves.length, root: treeHash(leaves), extensions: [] }, key),
    facts: { earlierOrders: [] },
    page: samplePage(),
  };
};

const isPython = spawnSync('python3', ['--version']).status === 0;

const MANY = `
import contextlib, importlib.util, io, json, sys
spec = importlib.util.spec_from_file_location('verify', sys.argv[1])
verify = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify)
for line in sys.stdin:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = verify.main(json.loads(line))
    print(json.dumps({'status': status, 'said': said.getvalue()}), flush=True)
`;
interface Checked {
  readonly status: number;
  readonly said: string;
}
class Verifier {
  readonly #python: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;

  constructor(program: string) {
    this.#python = spawn('python3', ['-c', MANY, program]);
    this.#answers = createInterface(this.#python.stdout)[Symbol.asyncIterator]();
  }

  async check(...parameters: readonly string[]): Promise<Checked> {
    this.#python.stdin.write(`${JSON.stringify(parameters)}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error('the program ended by an error of its own');
    return JSON.parse(value) as Checked;
  }

  end(): void {
    this.#python.kill();
  }
}
const withPython = isPython ? it : it.skip;
/** What verify.py prints; Python's own words for an error of form are left out. */
const printed = (verdict: PackVerdict): Checked => {
  switch (verdict.kind) {
    case 'no-pack':
      return { status: 2, said: `cannot be checked: ${verdict.reason}\n` };
    case 'wrong':
      return { status: 1, said: verdict.faults.map(({ text }) => `WRONG ${text}\n`).join('') };
    case 'held':
    case 'held-under-own-key': {
      const { origin, signedAt, orderId, clientOrderId, merchant, at, events, streams } = verdict.contents;
      const lines = [
        `signed by ${origin}, ${signedAt}`,
        `order ${orderId} (${clientOrderId}) of ${merchant}, as of ${at}`,
        `${events} events of ${streams} streams, each in the log ${origin}`,
        verdict.kind === 'held' ? 'ALL OF IT HOLDS' : `${OWN_KEY}${verdict.key}`,
      ];
      return { status: verdict.kind === 'held' ? 0 : 3, said: lines.map((line) => `${line}\n`).join('') };
    }
  }
};
const OWN_KEY =
  'IT HOLDS UNDER THE KEY IN IT, which says nothing of who signed it: compare that key with the published one, which ends in ';
const withoutReason = ({ status, said }: Checked): Checked => ({ status, said: said.replace(/(not of the form that it has) .*/g, '$1') });

describe('evidence pack', () => {
  const folder = mkdtempSync(join(tmpdir(), 'evidence-'));
  let evidence: Evidence;
  let pack: Uint8Array;
  let log: readonly StoredEvent[];
  const isOfOrder = (event: StoredEvent, index: number): boolean => event.stream === ORDER || index === 2;

  beforeAll(async () => {
    log = await storedLog();
    evidence = evidenceOf(log, isOfOrder);
    pack = packEvidence(evidence, { verifier, script: 'start();', key, signedAtMs: SIGNED_AT });
  });
  afterAll(() => {
    verifying?.end();
    rmSync(folder, { recursive: true });
  });

  type Texts = Record<string, string>;
  const textsOf = (zip: Uint8Array): Texts =>
    Object.fromEntries(Object.entries(unzipSync(zip)).map(([name, bytes]) => [name, strFromU8(bytes)]));
  const zipped = (texts: Texts, options: ZipOptions = { level: 0, mtime: new Date(1980, 0, 1) }): Uint8Array =>
    zipSync(Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)])), options);
  let verifying: Verifier | undefined;
  /** By the browser's code, and by verify.py if there is a Python: both must print the same. */
  const check = async (zip: Uint8Array, trusted?: LogKey): Promise<Checked> => {
    const own = printed(verifyPack(zip, trusted));
    if (!isPython) return own;
    const path = join(folder, 'pack.zip');
    writeFileSync(path, zip);
    const said = await python(path, ...(trusted === undefined ? [] : ['--key', trusted.text]));
    expect(withoutReason(own)).toStrictEqual(withoutReason(said));
    return said;
  };
  const python = (...parameters: readonly string[]): Promise<Checked> => {
    if (verifying === undefined) {
      const program = join(folder, 'verify.py');
      writeFileSync(program, textsOf(pack)['verify.py'] ?? '');
      verifying = new Verifier(program);
    }
    return verifying.check(...parameters);
  };
  /** A key signs each log under that log's name, but is published under its own. */
  const withKey = readLogKey(key.textFor('payment-orchestrator/log')) as LogKey;

  /** A forgery by someone with the log's key: a valid manifest of other files. */
  const signedAgain = (texts: Texts, streams: (before: readonly Json[]) => readonly Json[] = (before) => before): Texts => {
    const manifest = JSON.parse(texts['manifest.json'] ?? '') as { files: { name: string }[]; streams: Json[] };
    const files = manifest.files.map(({ name }) => ({ name, sha256: hash('sha256', texts[name] ?? '', 'hex') }));
    const text = canonical({ ...manifest, files, streams: streams(manifest.streams) });
    const note = signNote(`evidence-pack-2\n${hash('sha256', text, 'hex')}\ntime 2026-01-01T00:00:00.000Z\n`, ORIGIN, key);
    return { ...texts, 'manifest.json': text, 'manifest.sig': note };
  };

  it('has the same bytes when it is built again, except the signature, which contains the time', () => {
    expect(packEvidence(evidence, { verifier, script: 'start();', key, signedAtMs: SIGNED_AT })).toStrictEqual(pack);
    const { 'manifest.sig': later, ...others } = textsOf(
      packEvidence(evidence, { verifier, script: 'start();', key, signedAtMs: SIGNED_AT + 1 }),
    );
    const { 'manifest.sig': first, ...before } = textsOf(pack);
    expect(others).toStrictEqual(before);
    expect(later).not.toBe(first);
  });

  it('returns a file by its name', () => {
    expect(strFromU8(fileInPack(pack, 'verify.py') ?? new Uint8Array())).toBe(verifier);
    expect(fileInPack(pack, 'none')).toBeUndefined();
  });

  it('is an uncompressed zip whose bytes follow from its texts', () => {
    expect(Buffer.from(pack).equals(zipped(textsOf(pack)))).toBe(true);
  });

  it('contains the events as stored, and withholds card tokens', () => {
    const texts = textsOf(pack);
    const lines = (texts['events.ndjson'] ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ type, revision, stream }) => [type, revision, stream])).toEqual(
      evidence.events.map(({ event }) => [event.type, Number(event.revision), event.stream]),
    );
    expect(lines[0]).toMatchObject({ data: evidence.events[0]?.event.data, metadata: evidence.events[0]?.event.metadata });
    expect(lines[2]).toMatchObject({
      concealed: { receipt: { cardToken: '[withheld]', rrn: '123' } },
      dataDigest: hash('sha256', evidence.events[2]?.event.data ?? '', 'hex'),
    });
    expect(lines[2]).not.toHaveProperty('data');
    for (const text of Object.values(texts)) expect(text).not.toContain(TOKEN);
  });

  it('has a page with the script that it was given', () => {
    expect(textsOf(pack)['open.html']).toContain('<script>start();</script>');
  });

  it.each([
    ['of another key', (): Evidence => ({ ...evidence, checkpoint: signCheckpoint(evidence.checkpoint, otherKey) }), /another key/],
    [
      'that does not cover an event',
      (): Evidence => ({ ...evidence, checkpoint: signCheckpoint({ ...evidence.checkpoint, size: 3 }, key) }),
      /behind the checkpoint/,
    ],
  ])('is not built with a checkpoint %s', (_what, made, problem) => {
    expect(() => packEvidence(made(), { verifier, script: 'start();', key, signedAtMs: SIGNED_AT })).toThrow(problem);
  });

  withPython('is verified by the program that it contains', () => {
    writeFileSync(join(folder, 'own.zip'), pack);
    writeFileSync(join(folder, 'own.py'), textsOf(pack)['verify.py'] ?? '');
    const { status, stdout } = spawnSync('python3', [join(folder, 'own.py'), join(folder, 'own.zip'), '--key', withKey.text], {
      encoding: 'utf8',
    });
    expect({ status, last: stdout.trim().split('\n').at(-1) }).toEqual({ status: 0, last: 'ALL OF IT HOLDS' });
  });

  it('is verified with the public key', async () => {
    expect(await check(pack, withKey)).toMatchObject({ status: 0, said: expect.stringContaining('ALL OF IT HOLDS') as string });
  });

  it('is not reported as genuine with the key from the pack, because a forger also has a key', async () => {
    const { status, said } = await check(pack);
    expect(status).toBe(3);
    expect(said).not.toContain('ALL OF IT HOLDS');
    expect(said.trim().split('\n').at(-1)).toBe(
      `IT HOLDS UNDER THE KEY IN IT, which says nothing of who signed it: compare that key with the published one, which ends in ${key.textFor(ORIGIN).split('+').slice(2).join('+')}`,
    );
  });

  it('is rejected without one of its files, and the missing file is named', async () => {
    for (const name of Object.keys(textsOf(pack))) {
      const { [name]: _removed, ...others } = textsOf(pack);
      expect(await check(zipped(others), withKey)).toMatchObject({
        status: 1,
        said: expect.stringContaining(`WRONG ${name}: missing`) as string,
      });
    }
  });

  const DIRECTORY = Buffer.of(0x50, 0x4b, 1, 2);
  const patched = (at: number, ...bytes: readonly number[]): Uint8Array => {
    const copy = Buffer.from(pack);
    copy.set(bytes, at < 0 ? copy.length + at : at);
    return copy;
  };
  const directoryAt = (): number => Buffer.from(pack).indexOf(DIRECTORY);
  const resigned = (note: (before: string) => string): Uint8Array =>
    zipped({ ...textsOf(pack), 'manifest.sig': note(textsOf(pack)['manifest.sig'] ?? '') });
  const unusedBits = (note: string): string => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    return note.replace(/(.)(=+)\n$/, (_whole, last: string, end: string) => `${alphabet[alphabet.indexOf(last) ^ 1] ?? ''}${end}\n`);
  };

  it.each([
    ['text after the signature', () => resigned((note) => `${note}THIS PACK IS FALSE\n`), 'manifest.sig: not the digest'],
    ['the signature twice', () => resigned((note) => `${note}${note.split('\n').at(-2) ?? ''}\n`), 'manifest.sig: not the digest'],
    ['unused bits of base64', () => resigned(unusedBits), 'manifest.sig: not signed'],
    ['a comment', () => Buffer.concat([patched(-2, 5, 0), Buffer.from('hello')]), 'the zip: from its byte'],
    ['a byte after the end', () => Buffer.concat([pack, Buffer.from('x')]), 'the zip: from its byte'],
    ['another pack after the end', () => Buffer.concat([pack, pack]), 'the zip: from its byte'],
    ['a date', () => patched(10, 1), 'the zip: from its byte 10 on'],
    ['a date in the directory', () => patched(directoryAt() + 12, 1), 'the zip: from its byte'],
    ['attributes in the directory', () => patched(directoryAt() + 38, 0xff), 'the zip: from its byte'],
    ['another name in the directory', () => patched(directoryAt() + 46, 0x72), 'the zip: from its byte'],
    ['a checksum', () => patched(14, 1, 2, 3, 4), 'the zip: from its byte 14 on'],
    ['another order of files', () => zipped(Object.fromEntries(Object.entries(textsOf(pack)).reverse())), 'the zip: from its byte'],
    ['another time', () => zipped(textsOf(pack), { level: 0, mtime: new Date(2026, 0, 1) }), 'the zip: from its byte 13 on'],
    [
      'names in extra fields',
      () => zipped(textsOf(pack), { level: 0, mtime: new Date(1980, 0, 1), extra: { 0x7075: Buffer.from('evil') } }),
      'the zip: from its byte 28 on',
    ],
    [
      'an entry that the directory does not name',
      () => Buffer.concat([zipped({ 'x.txt': 'x' }).subarray(0, 36), pack]),
      'x.txt: does not belong to a pack',
    ],
    [
      'a second file with the same name',
      () => Buffer.concat([zipped({ 'README.txt': 'x' }).subarray(0, 41), pack]),
      'README.txt: stands twice in it',
    ],
    ['compression', () => zipped(textsOf(pack), { level: 9, mtime: new Date(1980, 0, 1) }), 'README.txt: compressed, encrypted'],
    ['a false compression flag', () => patched(8, 8), 'README.txt: compressed, encrypted'],
    ['an unknown compression method', () => patched(8, 99), 'README.txt: compressed, encrypted'],
    ['LZMA', () => patched(8, 14), 'README.txt: compressed, encrypted'],
    ['encryption', () => patched(6, 1), 'README.txt: compressed, encrypted'],
    ['only the first half', () => pack.subarray(0, pack.length / 2), 'open.html: compressed, encrypted or cut off'],
    ['all bytes except the last', () => pack.subarray(0, -1), 'the zip: from its byte'],
  ])('is rejected with %s', async (_what, changed, fault) => {
    const { status, said } = await check(changed(), withKey);
    expect([status, said]).toStrictEqual([1, expect.stringContaining(`WRONG ${fault}`)]);
  });

  const chance = (seed: number): ((below: number) => number) => {
    let state = seed;
    return (below) => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
    };
  };
  const MUTATIONS = 100;

  it('is rejected with a message after any change of its bytes', async () => {
    const random = chance(4711);
    const whole = Buffer.from(pack);
    // Half of them in zip's own structures, which no digest covers.
    const places = [...whole.keys()].filter((at) => at >= directoryAt() || at < 41);
    const place = (): number => (random(2) === 0 ? (places[random(places.length)] ?? 0) : random(whole.length));
    const mutations: readonly (() => Buffer)[] = [
      () => Buffer.from(patched(place(), random(256))),
      () => ((at) => Buffer.from(patched(at, (whole[at] ?? 0) ^ (1 << random(8)))))(place()),
      () => ((at) => Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1 + random(40))]))(place()),
      () => ((at) => Buffer.concat([whole.subarray(0, at), Buffer.alloc(1 + random(40), random(256)), whole.subarray(at)]))(place()),
      () => ((from, to) => Buffer.concat([whole.subarray(0, to), whole.subarray(from)]))(place(), place()),
      () => Buffer.from(patched(place() & ~1, 0xff, 0xff, 0xff, 0xff).subarray(0, whole.length)),
    ];
    for (let at = 0; at < MUTATIONS; at += 1) {
      const changed = mutations[at % mutations.length]?.() ?? whole;
      const { status, said } = await check(changed, withKey);
      const isSame = changed.equals(whole);
      expect({ at, status, said }).toMatchObject(
        isSame
          ? { status: 0 }
          : { said: expect.stringMatching(status === 1 ? /^WRONG / : /^cannot be checked: /) as string, status: status === 2 ? 2 : 1 },
      );
    }
  });

  it.each([
    ['manifest.json', '7', 'manifest.json: not JSON of the form'],
    ['manifest.json', '{"log":null}', 'manifest.json: not JSON of the form'],
    ['manifest.json', Buffer.of(0xff).toString('latin1'), 'manifest.json: not JSON of the form'],
    ['proofs.json', '{"events":[{"index":0.5,"path":[]}]}', 'proofs.json: not JSON of the form'],
    ['proofs.json', '{"events":[{"index":1.0,"path":[]}]}', 'proofs.json: not JSON of the form'],
    ['proofs.json', '{"events":[{"index":1e0,"path":[]}]}', 'proofs.json: not JSON of the form'],
    ['proofs.json', '{"events":[],"more":NaN}', 'proofs.json: not JSON of the form'],
    ['proofs.json', '\ufeff{"events":[]}', 'proofs.json: not JSON of the form'],
    ['proofs.json', '{"events":[{"index":"1","path":[]}]}', 'proofs.json: not JSON of the form'],
    ['events.ndjson', '{"stream":"s","revision":9007199254740993,"id":"i","type":"T","metadata":"m"}\n', 'event 1: not JSON of the form'],
    ['proofs.json', '{"events":[{"index":1e999,"path":[]}]}', 'proofs.json: not JSON of the form'],
    ['proofs.json', `{"events":[{"index":${'9'.repeat(5_000)},"path":[]}]}`, 'proofs.json: not JSON of the form'],
    ['proofs.json', '{"events":[{"index":1,"path":["*"]}]}', 'event 1 '],
    ['events.ndjson', '[]\n', 'event 1: not JSON of the form'],
    [
      'events.ndjson',
      '{"stream":"s","revision":0,"id":"i","type":"T","metadata":"m"}\n',
      'event 1 (T, s revision 0): not in the log as it stands here',
    ],
    [
      'events.ndjson',
      '{"stream":"s","revision":0,"id":"\\ud800","type":"T","metadata":"m","data":"{}"}\n',
      'the pack: not of the form that it has',
    ],
    ['checkpoint.txt', `log-1\n${'9'.repeat(10_000)}\nAAAA\n\nx\n`, 'checkpoint.txt: not the tree that the manifest names'],
    ['manifest.sig', '', 'manifest.sig: not signed by this key'],
  ])('is rejected with the fault in %s, case %#', async (name, text, fault) => {
    const { status, said } = await check(zipped({ ...textsOf(pack), [name]: text }), withKey);
    expect([status, said]).toStrictEqual([1, expect.stringContaining(`WRONG ${fault}`)]);
  });

  it('is rejected if its own key is invalid and no other key is given', async () => {
    const { status, said } = await check(zipped({ ...textsOf(pack), 'log-key.txt': '/etc/hostname\n' }));
    expect([status, said]).toStrictEqual([1, 'WRONG log-key.txt: not a key of the form NAME+ID+BASE64\n']);
  });

  withPython('is verified with the public key in a file', async () => {
    writeFileSync(join(folder, 'with-key.zip'), pack);
    writeFileSync(join(folder, 'key.txt'), `${key.textFor(ORIGIN)}\n`);
    expect(await python(join(folder, 'with-key.zip'), '--key', join(folder, 'key.txt'))).toMatchObject({ status: 0 });
  });

  withPython('is not verified with an invalid --key, and the message states the key format', async () => {
    writeFileSync(join(folder, 'with-key.zip'), pack);
    for (const text of ['', 'abc', 'a+b+c', 'no-such-file.txt', folder, ownVerifier, `${withKey.text}A`, '\u00e9+1+\ud800']) {
      expect(readLogKey(text)).toBeUndefined();
      expect(await python(join(folder, 'with-key.zip'), '--key', text)).toStrictEqual({
        status: 2,
        said: 'cannot be checked: --key: not a key of the form NAME+ID+BASE64, nor a file with one\n',
      });
    }
  });

  withPython('has a verifier that prints its usage', async () => {
    const usage = expect.stringContaining('python3 verify.py PACK.zip [--key KEY]') as string;
    expect(await python('--help')).toStrictEqual({ status: 0, said: usage });
    for (const parameters of [[], ['a.zip', '--key'], ['a.zip', '--foo', 'x'], ['a', 'b', 'c', 'd']]) {
      expect(await python(...parameters)).toStrictEqual({ status: 2, said: usage });
    }
    for (const path of ['', '/no/such/pack.zip', folder]) {
      expect(await python(path)).toMatchObject({ status: 2, said: expect.stringMatching(/^cannot be checked: /) as string });
    }
  });

  it('is rejected under another key', async () => {
    const { status, said } = await check(pack, readLogKey(otherKey.textFor(ORIGIN)));
    expect(status).toBe(1);
    expect(said).toContain('manifest.sig: not signed by this key');
    expect(said).toContain('checkpoint.txt: not signed by this key');
  });

  it('is rejected if a byte of any file changed, and the file is named', async () => {
    const texts = textsOf(pack);
    for (const name of Object.keys(texts)) {
      const text = texts[name] ?? '';
      // A byte in the middle that keeps the JSON readable.
      const at = text.search(name.endsWith('.sig') || name === 'checkpoint.txt' ? /[A-Za-z0-9](?=[A-Za-z0-9+/=]*\n?$)/ : /[a-y]/);
      const changed = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) + 1) + text.slice(at + 1);
      const { status, said } = await check(zipped({ ...texts, [name]: changed }), withKey);
      expect({ name, status }).not.toEqual({ name, status: 0 });
      if (status === 1) expect(said).toContain(`WRONG ${name}`);
    }
  });

  const lines = (texts: Texts): string[] => (texts['events.ndjson'] ?? '').trim().split('\n');
  const proofsOf = (texts: Texts): { tree: Json; events: Json[] } =>
    JSON.parse(texts['proofs.json'] ?? '') as { tree: Json; events: Json[] };
  const withEvents = (texts: Texts, order: readonly number[], extra: readonly (readonly [string, Json])[] = []): Texts => {
    const [events, proofs] = [lines(texts), proofsOf(texts)];
    const chosen = [...order.map((at) => [events[at], proofs.events[at]] as const), ...extra];
    return {
      ...texts,
      'events.ndjson': chosen.map(([line]) => `${line ?? ''}\n`).join(''),
      'proofs.json': canonical({ ...proofs, events: chosen.map(([, proof]) => proof ?? null) }),
    };
  };

  it.each([
    ['without the last', [0, 1, 2], 'one is missing, or too many'],
    ['without one in the middle', [0, 1, 3], 'an event is missing'],
    ['without the first', [1, 2, 3], 'an event is missing'],
    ['with two exchanged', [0, 2, 1, 3], 'stands behind one that came later: reordered'],
    ['with one repeated', [0, 1, 2, 3, 3], 'stands behind one that came later'],
  ])('is rejected with its events %s, even if the manifest is signed again', async (_what, order, reason) => {
    const said = await check(zipped(signedAgain(withEvents(textsOf(pack), order))), withKey);
    expect(said.status).toBe(1);
    expect(said.said).toContain(reason);
    const unsigned = await check(zipped(withEvents(textsOf(pack), order)), withKey);
    expect(unsigned.said).toContain('WRONG events.ndjson: not the one that the manifest names');
    expect(unsigned.said).toContain(reason);
  });

  it('is rejected with an event of another order', async () => {
    const foreign = evidenceOf(log, ({ stream }) => stream === OTHER);
    const other = textsOf(
      packEvidence({ ...foreign, streams: [{ name: OTHER, isWhole: true }] }, { verifier, script: 'start();', key, signedAtMs: SIGNED_AT }),
    );
    const spliced = withEvents(textsOf(pack), [1, 2, 3], []);
    const first = [lines(other)[0] ?? '', proofsOf(other).events[0] ?? null] as const;
    const texts = withEvents(
      { ...spliced },
      [],
      [first, ...lines(spliced).map((line, at) => [line, proofsOf(spliced).events[at] ?? null] as const)],
    );
    const { status, said } = await check(zipped(signedAgain(texts)), withKey);
    expect(status).toBe(1);
    expect(said).toContain('of a stream that is not in the manifest: spliced from elsewhere');
  });

  it.each([
    ['other data', (event: Record<string, unknown>) => ({ ...event, data: '{"orderId":"3"}' })],
    [
      'another time',
      (event: Record<string, unknown>) => ({ ...event, metadata: String(event['metadata']).replace(/"recordedAt":\d/, '"recordedAt":9') }),
    ],
    ['another revision', (event: Record<string, unknown>) => ({ ...event, revision: 7 })],
    ['another type', (event: Record<string, unknown>) => ({ ...event, type: 'OrderApproved' })],
  ])('is rejected if an event has %s, even if the manifest is signed again', async (_what, change) => {
    const texts = textsOf(pack);
    const changed = lines(texts).map((line, at) =>
      at === 0 ? canonical(change(JSON.parse(line) as Record<string, unknown>) as Json) : line,
    );
    const { status, said } = await check(
      zipped(signedAgain({ ...texts, 'events.ndjson': changed.map((line) => `${line}\n`).join('') })),
      withKey,
    );
    expect(status).toBe(1);
    expect(said).toContain('not in the log as it stands here');
  });

  it('is rejected with the checkpoint of another tree', async () => {
    const other = signCheckpoint({ origin: ORIGIN, size: 7, root: Buffer.alloc(32, 9), extensions: [] }, key);
    const { status, said } = await check(zipped(signedAgain({ ...textsOf(pack), 'checkpoint.txt': other.note })), withKey);
    expect(status).toBe(1);
    expect(said).toContain('checkpoint.txt: not the tree that the manifest names');
  });

  it.each([
    ['no zip', Buffer.from('no zip'), 2],
    ['an empty zip', Buffer.from(zipSync({})), 2],
  ])('has a verifier that rejects %s', async (_what, bytes, status) => {
    const result = await check(bytes, withKey);
    expect(result.status).toBe(status);
    expect(result.said).toMatch(/^cannot be checked: it does not begin as a pack does/);
  });

  withPython('has a verifier that agrees with Node on Ed25519 signatures', () => {
    const cases = Array.from({ length: 16 }, (_, at) => {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const message = Buffer.alloc(at, at);
      const parts = [publicKey.export({ format: 'der', type: 'spki' }).subarray(-32), message, sign(null, message, privateKey)];
      const part = parts[at % 3];
      const isSound = at % 2 === 0 || part === undefined || part.length === 0;
      if (!isSound) part[at % part.length] = (part[at % part.length] ?? 0) ^ (1 << (at % 8));
      return { parts: parts.map((bytes) => bytes.toString('hex')), isSound };
    });
    const program = [
      'import json, sys',
      'sys.path.insert(0, sys.argv[1])',
      'import verify',
      "print(json.dumps([verify.is_signature(*[bytes.fromhex(part) for part in case['parts']]) for case in json.load(sys.stdin)]))",
    ];
    writeFileSync(join(folder, 'verify.py'), textsOf(pack)['verify.py'] ?? '');
    const { stdout } = spawnSync('python3', ['-B', '-c', program.join('\n'), folder], { input: JSON.stringify(cases), encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual(cases.map(({ isSound }) => isSound));
  });

  withPython('is described in ASCII, even if its texts have other characters', () => {
    const order = { ...evidence.order, clientOrderId: 'commande-é\u202e' as ClientOrderId };
    writeFileSync(
      join(folder, 'texts.zip'),
      packEvidence({ ...evidence, order }, { verifier, script: 'start();', key, signedAtMs: SIGNED_AT }),
    );
    const env = { ...process.env, PYTHONIOENCODING: 'ascii' };
    const { status, stdout, stderr } = spawnSync('python3', ['-B', ownVerifier, join(folder, 'texts.zip'), '--key', withKey.text], {
      env,
      encoding: 'utf8',
    });
    expect([status, stderr]).toStrictEqual([0, '']);
    expect(stdout).toContain('(commande-\\u{e9}\\u{202e})');
    writeFileSync(join(folder, 'named.zip'), zipped({ ...textsOf(pack), '\u001b[2Jx': 'x' }));
    const named = spawnSync('python3', ['-B', ownVerifier, join(folder, 'named.zip'), '--key', withKey.text], { env, encoding: 'utf8' });
    expect(named.stdout).toContain('WRONG \\u{1b}[2Jx: does not belong to a pack');
  });

  it('is rejected with an additional file', async () => {
    const { status, said } = await check(zipped({ ...textsOf(pack), 'more.txt': 'x' }), withKey);
    expect(status).toBe(1);
    expect(said).toContain('more.txt: does not belong to a pack');
  });

  it.each(['manifest.json', 'proofs.json', 'events.ndjson'])(
    'is rejected without a stack trace if %s is deeply nested or invalid JSON',
    async (name) => {
      for (const text of ['[', '['.repeat(100_000), '{}', '1'] as const) {
        const { status, said } = await check(zipped({ ...textsOf(pack), [name]: text }), withKey);
        expect(status).not.toBe(0);
        expect(said).not.toContain('Traceback');
      }
    },
  );

  it('is not searched for more faults than a person can read', () => {
    const entry = Buffer.alloc(30);
    entry.write('PK\x03\x04', 'latin1');
    const verdict = verifyPack(Buffer.concat(Array<Buffer>(100_000).fill(entry)), withKey);
    expect(verdict).toMatchObject({ kind: 'wrong' });
    expect(verdict.kind === 'wrong' && verdict.faults.length).toBeLessThan(1_000);
  });
});
