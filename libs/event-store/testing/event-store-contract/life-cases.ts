import { StoreUnavailable, type StreamName, type SubscriptionItem } from '../../core/port';
import { collect, newEvents } from '../new-events';
import {
  appendedAt,
  eventsOf,
  hasCaughtUp,
  named,
  revision,
  shown,
  takeUntil,
  type ContractWorld,
  type StoreUnderTest,
} from './contract-world';

const collectItems = async (subscription: AsyncIterable<SubscriptionItem>): Promise<readonly SubscriptionItem[]> => {
  const items: SubscriptionItem[] = [];
  for await (const item of subscription) items.push(item);
  return items;
};

export const lifeCases = (world: ContractWorld, open: () => Promise<StoreUnderTest>): void => {
  const { newStream, newCategory, read, expectHeadStill, options, ordinary } = world;

  if (options.isDurable) {
    it('restores all events after a restart, recognises retries and appends further events', async () => {
      const category = newCategory();
      const stream = newStream(category);
      await world.store.append(stream, 'no_stream', newEvents('a', 'b'));
      const head = await world.store.head();
      await world.restart();
      await expect(read(stream)).resolves.toStrictEqual(named('a@0', 'b@1'));
      await expectHeadStill(head);
      await expect(world.store.append(stream, 'no_stream', newEvents('a', 'b'))).resolves.toStrictEqual(appendedAt(1));
      await expect(world.store.append(stream, revision(1), newEvents('c'))).resolves.toStrictEqual(appendedAt(2));
      const events = eventsOf(await takeUntil(world.store.subscribe([category], 'start'), hasCaughtUp));
      expect(shown(events)).toStrictEqual(named('a@0', 'b@1', 'c@2'));
    });
  }

  describe('closed store', () => {
    it('has stored every accepted append and refuses later calls', async () => {
      const other = await open();
      const stream = newStream();
      const accepted = Array.from({ length: 50 }, (_, index) =>
        other.store.append(`${stream}-${index}` as StreamName, 'no_stream', newEvents('a')),
      );
      const subscription = other.store.subscribe([ordinary], 'start');
      const ended = collectItems(subscription);
      await other.store.close();
      const answers = await Promise.all(accepted);
      expect(answers.every(({ kind }) => kind === 'appended')).toBe(true);
      await expect(other.store.append(stream, 'no_stream', newEvents('late'))).rejects.toThrow(StoreUnavailable);
      await expect(collect(other.store.read(stream))).rejects.toThrow(StoreUnavailable);
      await expect(ended).resolves.toBeDefined();
      await other.dispose();
    });
  });
};
