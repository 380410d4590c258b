import { randomBytes } from 'node:crypto';
import { EndableDeadline, systemRandom, type MerchantLogin } from '@app/kernel';
import { Ivs } from './sealed-box';
import { OrderKeyPool } from './order-keys';
import { VaultUnavailable } from '../port';
import type { OrderKeyBlock } from '../vault-store';

const acme = 'acme' as MerchantLogin;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const controlled = (keysAhead: number) => {
  const asked: { count: number; answer: () => OrderKeyBlock; fail: (error: Error) => void }[] = [];
  const pool = new OrderKeyPool({
    keysAhead,
    ivs: new Ivs(systemRandom),
    makeBlock: (count) =>
      new Promise((resolve, reject) => {
        asked.push({
          count,
          answer: () => {
            const block = { id: randomBytes(12), keys: new Uint8Array(randomBytes(count * 32)) };
            resolve(block);
            return block;
          },
          fail: reject,
        });
      }),
  });
  const answer = async (): Promise<OrderKeyBlock> => {
    const next = asked.shift();
    if (next === undefined) throw new Error('nothing was asked for');
    const block = next.answer();
    await settled();
    return block;
  };
  return { pool, asked, answer };
};

const stocked = async (keysAhead: number) => {
  const control = controlled(keysAhead);
  const stock = control.pool.stock();
  while (control.asked.length > 0) await control.answer();
  await stock;
  return control;
};

describe('an order key pool', () => {
  it('is ready only after its first keys are durable', async () => {
    const { pool, answer } = controlled(8);
    let isReady = false;
    const stock = pool.stock().then(() => (isReady = true));
    await settled();
    expect(isReady).toBe(false);
    expect(pool.takeNow()).toBeUndefined();
    await answer();
    await stock;
    expect(pool.available).toBe(4);
  });

  it('issues each key once', async () => {
    const { pool } = await stocked(8);
    const ids = Array.from({ length: 8 }, () => pool.takeNow()?.id);
    expect(new Set(ids).size).toBe(8);
    expect(ids).not.toContain(undefined);
    expect(pool.takeNow()).toBeUndefined();
  });

  it('keeps no copy of an issued key', async () => {
    const { pool, answer } = controlled(4);
    const stock = pool.stock();
    const block = await answer();
    await stock;
    const key = pool.takeNow();
    expect(block.keys.subarray(0, 32)).toEqual(new Uint8Array(32));
    expect(key?.seal(acme, 'x', 'y')).toMatch(/^v1\./);
  });

  it('is refilled at half its size, by one request at a time', async () => {
    const { pool, asked, answer } = await stocked(8);
    for (let taken = 0; taken < 3; taken++) pool.takeNow();
    expect(asked).toHaveLength(0);
    for (let taken = 0; taken < 4; taken++) pool.takeNow();
    expect(asked.map(({ count }) => count)).toEqual([4]);
    await answer();
    expect(pool.available).toBe(5);
    expect(asked).toHaveLength(0);
  });

  it('creates 4,096 keys in blocks of 1,024, the second half in the background', async () => {
    const { pool, asked, answer } = await stocked(4_096);
    while (asked.length > 0) await answer();
    expect(pool.available).toBe(4_096);
    for (let taken = 0; taken < 2_047; taken++) pool.takeNow();
    expect(asked).toHaveLength(0);
    pool.takeNow();
    expect(asked.map(({ count }) => count)).toEqual([1_024]);
    while (asked.length > 0) await answer();
    expect(pool.available).toBe(4_096);
  });

  it('serves waiting callers in order', async () => {
    const { pool, asked, answer } = await stocked(4);
    for (let taken = 0; taken < 4; taken++) pool.takeNow();
    const waiting = [pool.take(), pool.take(), pool.take()];
    const blocks = [await answer(), await answer()].map(({ id }) => Buffer.from(id).toString('base64url'));
    const ids = (await Promise.all(waiting)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids.map((id) => id.slice(0, 16))).toEqual([blocks[0], blocks[0], blocks[1]]);
    while (asked.length > 0) await answer();
  });

  it('serves a caller that arrives in the same event-loop turn in which a refill ends', async () => {
    for (let turns = 0; turns < 20; turns++) {
      const { pool, asked, answer } = await stocked(2);
      pool.takeNow();
      pool.takeNow();
      asked.shift()?.answer();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const waiting = Promise.all([pool.take(), pool.take(), pool.take(), pool.take()]);
      let isServed = false;
      void waiting.then(() => (isServed = true));
      for (let answers = 0; answers < 8 && !isServed; answers++) {
        await settled();
        if (asked.length > 0) await answer();
      }
      expect(isServed).toBe(true);
    }
  });

  it('rejects waiting callers while the store is unavailable, reports the problem and recovers', async () => {
    const { pool, asked, answer } = await stocked(2);
    pool.takeNow();
    pool.takeNow();
    const waiting = pool.take();
    const refused = expect(waiting).rejects.toThrow(new VaultUnavailable('disk full'));
    asked.shift()?.fail(new VaultUnavailable('disk full'));
    await refused;
    expect(pool.problem?.message).toBe('disk full');
    const next = pool.take();
    await settled();
    await answer();
    await expect(next).resolves.toHaveProperty('id');
    expect(pool.problem).toBeUndefined();
  });

  it('retries a failed refill when its state is read, even without callers', async () => {
    const { pool, asked, answer } = await stocked(2);
    pool.takeNow();
    asked.shift()?.fail(new VaultUnavailable('away'));
    await settled();
    const still = pool.restock();
    asked.shift()?.fail(new VaultUnavailable('still away'));
    expect((await still)?.message).toBe('still away');
    const back = pool.restock();
    await answer();
    expect(await back).toBeUndefined();
    expect(pool.available).toBe(2);
    expect(await pool.restock()).toBeUndefined();
    expect(asked).toHaveLength(0);
  });

  it('passes the key of an expired caller to the next one', async () => {
    const { pool, answer } = await stocked(2);
    pool.takeNow();
    pool.takeNow();
    const deadline = new EndableDeadline();
    const first = pool.take(deadline);
    const second = pool.take(new EndableDeadline());
    const refused = expect(first).rejects.toThrow(new VaultUnavailable('the time of the request is over'));
    deadline.end();
    await refused;
    await expect(pool.take(deadline)).rejects.toThrow(VaultUnavailable);
    await answer();
    await expect(second).resolves.toHaveProperty('id');
    expect(pool.available).toBe(0);
  });

  it('rejects the 10,001st waiting caller', async () => {
    const { pool, asked } = await stocked(2);
    pool.takeNow();
    pool.takeNow();
    const waiting = Array.from({ length: 10_000 }, () => pool.take());
    await expect(pool.take()).rejects.toThrow('too many orders wait for a key');
    const all = Promise.allSettled(waiting);
    asked.shift()?.fail(new VaultUnavailable('away'));
    expect(new Set((await all).map(({ status }) => status))).toEqual(new Set(['rejected']));
  });

  it('overwrites the remaining keys on close and issues none afterwards', async () => {
    const { pool, asked, answer } = controlled(4);
    const stock = pool.stock();
    const block = await answer();
    await stock;
    const close = pool.close();
    const late = asked.shift()?.answer();
    await close;
    expect(block.keys).toEqual(new Uint8Array(2 * 32));
    expect(late?.keys).toEqual(new Uint8Array(2 * 32));
    expect(pool.takeNow()).toBeUndefined();
    await expect(pool.take()).rejects.toThrow(VaultUnavailable);
  });
});
