import { VirtualClock } from '@app/testing';
import { storeHealths, type HealthParts } from './store-healths';

const world = (more: Partial<HealthParts> = {}) => {
  const failures: unknown[] = [];
  const parts: HealthParts = {
    store: { head: () => Promise.resolve('1' as never) },
    vault: { ready: () => Promise.resolve({ problem: undefined }) } as unknown as HealthParts['vault'],
    readModel: { health: () => Promise.resolve([]), isFencedOut: false },
    projections: undefined,
    clock: new VirtualClock(),
    log: { failure: (_event, error) => void failures.push(error) },
    ...more,
  };
  return { parts, failures };
};

describe('whether the stores answer', () => {
  it('says so of each', async () => {
    const { parts, failures } = world();
    await expect(storeHealths(parts)).resolves.toStrictEqual({
      events: { isReady: true, detail: 'the event log answers' },
      vault: { isReady: true, detail: 'the vault answers' },
      readModel: { isReady: true, detail: 'the read model answers' },
    });
    expect(failures).toStrictEqual([]);
  });

  it('says no of read models that another process has taken over without asking', async () => {
    const { parts, failures } = world({ readModel: { health: () => Promise.resolve([]), isFencedOut: true } });
    await expect(storeHealths(parts)).resolves.toMatchObject({ readModel: { isReady: false, detail: 'does not answer' } });
    expect(failures).toStrictEqual([new Error('another process projects into the same read models')]);
  });
});
