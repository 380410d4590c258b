import { Writable } from 'node:stream';
import { Secret } from '@app/kernel';
import { ServiceLog } from './service-log';

const CARD_NUMBER = '4444333322221111';

const written = (write: (log: ServiceLog) => void, level = 'debug'): { lines: string[]; text: string } => {
  const chunks: string[] = [];
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk.toString());
      done();
    },
  });
  write(new ServiceLog(level, destination));
  const text = chunks.join('');
  return { lines: text.split('\n').filter((line) => line !== ''), text };
};

describe('the service log', () => {
  it('writes one JSON object per line for any text (safety, T31)', () => {
    const evil = 'a\r\n{"level":60}\u001b[31m\u2028b';
    const { lines } = written((log) => log.info('x', { evil }));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ event: 'x', evil, service: 'orchestrator' });
  });

  it.each([
    ['a fact', (log: ServiceLog) => log.info('x', { note: `card ${CARD_NUMBER}` })],
    ['a nested fact', (log: ServiceLog) => log.warning('x', { a: { b: [`4444-3333-2222-1111`] } })],
    ['an error’s message', (log: ServiceLog) => log.failure('x', new Error(`refused ${CARD_NUMBER}`))],
    ['an error’s cause', (log: ServiceLog) => log.failure('x', new Error('refused', { cause: CARD_NUMBER }))],
    ['an error’s own members', (log: ServiceLog) => log.failure('x', Object.assign(new Error('refused'), { body: CARD_NUMBER }))],
    ['the framework’s message', (log: ServiceLog) => log.error({ message: CARD_NUMBER })],
  ])('redacts a card number in %s (safety, T32)', (_where, write) => {
    const { lines, text } = written(write);
    expect(lines).toHaveLength(1);
    expect(text.replace(/[ -]/g, '')).not.toContain(CARD_NUMBER);
  });

  it.each(['aaaaaaaa-aaaa-4aaa-aaaa-501800000009', 'aaaaaaaaaaaaaaaa4444333322221111', '4444333322221111'.padStart(64, 'a')])(
    'keeps a generated id whose digits resemble a card number: %s',
    (id) => {
      expect(written((log) => log.info('x', { id })).text).toContain(id);
      expect(written((log) => log.info('x', { note: `for ${id}` })).text).not.toContain(id);
    },
  );

  it('redacts secrets', () => {
    const { text } = written((log) => log.info('x', { key: new Secret('B17F59B4') }));
    expect(text).not.toContain('B17F59B4');
    expect(text).toContain('[redacted]');
  });

  it('drops lines below its level', () => {
    expect(written((log) => log.info('x'), 'warn').lines).toEqual([]);
  });

  it('does not listen to its destination if it is silent', () => {
    const destination = new Writable({ write: (_chunk, _encoding, done) => done() });
    new ServiceLog('silent', destination).failure('x', new Error('not written'));
    expect(destination.listenerCount('error')).toBe(0);
  });

  it('does not throw, and counts lost lines, if its destination fails (safety, F43)', () => {
    const destination = new Writable({ write: (_chunk, _encoding, done) => done(new Error('ENOSPC')) });
    const log = new ServiceLog('info', destination);
    expect(() => log.info('x')).not.toThrow();
    return new Promise<void>((resolve) => {
      destination.once('close', () => {
        expect(log.linesLost).toBe(1);
        resolve();
      });
    });
  });

  it('buffers at most 8 MiB for a stalled reader, and resumes when the reader does (safety, F43 and I14)', () => {
    const MIB = 1_048_576;
    const read: (() => void)[] = [];
    const destination = new Writable({ write: (_chunk, _encoding, done) => void read.push(done) });
    const log = new ServiceLog('info', destination);
    const text = 'x'.repeat(MIB);
    for (let line = 0; line < 32; line++) log.info('x', { text });
    expect(destination.writableLength).toBeLessThan(10 * MIB);
    const lost = log.linesLost;
    expect(lost).toBeGreaterThan(20);
    while (read.length > 0) read.shift()?.();
    log.info('x', { text });
    expect([log.linesLost, destination.writableLength > MIB]).toStrictEqual([lost, true]);
  });
});
