import type { AttemptKey } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { OpenOrder, OrderCommand, OrderContexts } from '../order-context';
import type { OrderRecorder } from '../order-recorder';
import { ResolveUnknownOutcome } from './resolve-unknown-outcome';

const STREAM = 'payment-1' as StreamName;
const OPEN = 'key-2' as AttemptKey;
const BY = { actor: 'operator:kim' };

const world = () => {
  const order = { stream: STREAM, order: { merchant: 'acme' }, processing: { attempts: { status: 'unknown', key: OPEN } } };
  const claimed: OrderCommand[] = [];
  const contexts = { open: () => Promise.resolve(order as unknown as OpenOrder) } as unknown as OrderContexts;
  const recorder = {
    receiptId: () => 'receipt',
    claimWithRetries: (_from: OpenOrder, made: () => OrderCommand) => {
      claimed.push(made());
      return Promise.resolve({ kind: 'appended', order });
    },
  } as unknown as OrderRecorder;
  const sealer = { takeKey: () => Promise.resolve({ seal: () => 'sealed' }) };
  const resolving = new ResolveUnknownOutcome({ contexts, recorder, sealer: sealer as never, clock: { now: () => 7 } as never });
  return {
    resolve: (meant?: AttemptKey) => resolving.resolve(STREAM, { as: 'approved', reason: 'the statement', by: BY, meant }),
    claimed,
  };
};

describe('ResolveUnknownOutcome', () => {
  it.each([[undefined], [OPEN]])('resolves the open attempt if the given key is %s', async (meant) => {
    const { resolve, claimed } = world();
    await expect(resolve(meant)).resolves.toMatchObject({ kind: 'resolved' });
    expect(claimed).toMatchObject([{ type: 'ResolveAttempt', data: { key: OPEN, as: 'approved' } }]);
  });

  it('is refused for an earlier attempt than the open one', async () => {
    const { resolve, claimed } = world();
    await expect(resolve('key-1' as AttemptKey)).resolves.toStrictEqual({ kind: 'refused', reason: 'another-attempt' });
    expect(claimed).toStrictEqual([]);
  });
});
