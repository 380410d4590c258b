import { VirtualClock } from '@app/testing';
import { storeHealths, STORE_ANSWER_MS_MAX, type HealthParts } from './service-health';

const clock = new VirtualClock();
const partsWith = (more: Partial<HealthParts> = {}) => {
  const failures: unknown[] = [];
  const parts: HealthParts = {
    store: { head: () => Promise.resolve('1' as never) },
    vault: { ready: () => Promise.resolve({ problem: undefined }) } as unknown as HealthParts['vault'],
    readModel: { health: () => Promise.resolve([]), isFencedOut: false },
    projections: undefined,
    clock,
    scheduler: clock,
    log: { failure: (_event, error) => void failures.push(error) },
    ...more,
  };
  return { parts, failures };
};

describe('storeHealths', () => {
  it('reports each store as ready if it answers', async () => {
    const { parts, failures } = partsWith();
    await expect(storeHealths(parts)).resolves.toStrictEqual({
      events: { isReady: true, detail: 'the event log answers' },
      vault: { isReady: true, detail: 'the vault answers' },
      readModel: { isReady: true, detail: 'the read model answers' },
    });
    expect(failures).toStrictEqual([]);
  });

  it('reports the event log as not ready while its disk is full and as ready once there is room', async () => {
    const full = new Error('the event log /data/events.sqlite cannot be written: database or disk is full. Make room on its volume');
    let isFull = true;
    const store = {
      head: () => Promise.resolve('1' as never),
      assertRoom: () => (isFull ? Promise.reject(full) : Promise.resolve()),
    };
    const { parts, failures } = partsWith({ store });
    await expect(storeHealths(parts)).resolves.toMatchObject({ events: { isReady: false }, vault: { isReady: true } });
    expect(failures).toStrictEqual([full]);
    isFull = false;
    await expect(storeHealths(parts)).resolves.toMatchObject({ events: { isReady: true } });
  });

  it('reports the read model as not ready if another process took it over', async () => {
    const { parts, failures } = partsWith({ readModel: { health: () => Promise.resolve([]), isFencedOut: true } });
    await expect(storeHealths(parts)).resolves.toMatchObject({ readModel: { isReady: false, detail: 'does not answer' } });
    expect(failures).toStrictEqual([new Error('another process writes the same read models')]);
  });

  it('checks all stores in parallel and reports those that time out as not ready', async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    const { parts, failures } = partsWith({ store: { head: never }, readModel: { health: never, isFencedOut: false } });
    const healths = storeHealths(parts);
    await clock.advance(STORE_ANSWER_MS_MAX);
    await expect(healths).resolves.toMatchObject({
      events: { isReady: false, detail: 'does not answer' },
      vault: { isReady: true },
      readModel: { isReady: false, detail: 'does not answer' },
    });
    expect(failures).toStrictEqual([new Error('no answer within 5000 ms'), new Error('no answer within 5000 ms')]);
  });
});
