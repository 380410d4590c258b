import { createPrivateKey, createPublicKey, hash, sign } from 'node:crypto';
import fc from 'fast-check';
import { parseCheckpoint } from './checkpoint';
import { KeyRefused } from './log-key';
import { readWitnessKey } from './witness-key';
import { keyOfSeed } from '../testing/log-keys';

const NAME = 'witness.example/w1';
const BODY = `log\n7\n${Buffer.alloc(32, 3).toString('base64')}\ntime 2026-11-24T08:30:00.000Z\n`;
const seed = (byte: number) => createPrivateKey(keyOfSeed(byte));
const rawOf = (byte: number): Buffer => createPublicKey(seed(byte)).export({ format: 'der', type: 'spki' }).subarray(-32);
const idOf = (name: string, byte: number): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(4), rawOf(byte)]), 'buffer').subarray(0, 4);
const keyText = (byte: number, name = NAME): string =>
  `${name}+${idOf(name, byte).toString('hex')}+${Buffer.concat([Buffer.of(4), rawOf(byte)]).toString('base64')}`;

/** A signature line of a witness, as C2SP tlog-cosignature describes it. */
const cosignature = (seconds: bigint, byte = 1, body = BODY): string => {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(seconds);
  const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${body}`), seed(byte));
  return `\u2014 ${NAME} ${Buffer.concat([idOf(NAME, byte), time, signature]).toString('base64')}\n`;
};
const noted = (...lines: readonly string[]) => {
  const checkpoint = parseCheckpoint(`${BODY}\n${lines.join('')}`);
  if (checkpoint === undefined) throw new Error('no checkpoint');
  return checkpoint;
};

describe('the key of a witness (C2SP tlog-cosignature)', () => {
  const key = readWitnessKey(keyText(1));

  it('tells when the witness had seen the checkpoint, the latest of its signatures, whoever else signed', () => {
    expect(key.cosignedAtMs(noted(cosignature(1_679_315_147n)))).toBe(1_679_315_147_000);
    const other = `\u2014 other ${Buffer.alloc(76, 1).toString('base64')}\n`;
    expect(key.cosignedAtMs(noted(other, cosignature(5n), cosignature(9n)))).toBe(9_000);
  });

  it('finds none of another key, of another text, or of another time', () => {
    expect(key.cosignedAtMs(noted(cosignature(5n, 2)))).toBeUndefined();
    expect(key.cosignedAtMs(noted(cosignature(5n, 1, BODY.replace('7', '8'))))).toBeUndefined();
    expect(key.cosignedAtMs(noted(cosignature(2n ** 63n)))).toBeUndefined();
    const line = Buffer.from(cosignature(5n).slice(`\u2014 ${NAME} `.length, -1), 'base64');
    line.writeBigUInt64BE(6n, 4);
    expect(key.cosignedAtMs(noted(`\u2014 ${NAME} ${line.toString('base64')}\n`))).toBeUndefined();
  });

  it('finds none where one of its signatures does not verify, and none in one with a bit turned over', () => {
    const line = Buffer.from(cosignature(5n).slice(`\u2014 ${NAME} `.length, -1), 'base64');
    fc.assert(
      fc.property(fc.integer({ min: 4, max: line.length - 1 }), fc.nat(7), (at, bit) => {
        const turned = Buffer.from(line);
        turned[at] = (turned[at] ?? 0) ^ (1 << bit);
        const bad = `\u2014 ${NAME} ${turned.toString('base64')}\n`;
        expect([key.cosignedAtMs(noted(bad)), key.cosignedAtMs(noted(cosignature(5n), bad))]).toStrictEqual([undefined, undefined]);
      }),
    );
  });

  it.each([
    '',
    'name',
    `${NAME}+00000000+${Buffer.concat([Buffer.of(4), rawOf(1)]).toString('base64')}`,
    keyText(1).replace(NAME, 'witness.example/w2'),
    // The key of a log is none of a witness.
    `${NAME}+${idOf(NAME, 1).toString('hex')}+${Buffer.concat([Buffer.of(1), rawOf(1)]).toString('base64')}`,
    `${NAME}+${idOf(NAME, 1).toString('hex')}+${rawOf(1).toString('base64')}`,
  ])('is not read from %j', (text) => expect(() => readWitnessKey(text)).toThrow(KeyRefused));
});
