import { type NonEmpty } from '@app/kernel';
import { type Appended, type Conflict, type NewEvent, type StreamName } from '../../core/port';
import { newEvent } from '../new-events';
import { portCases, type PortCase } from '../port-cases';
import { revision, appendedAt, conflictAt, named, type ContractWorld } from './contract-world';

/** Number of replayed and skipped cases, so that a case dropped from the file is noticed. */
const OBSERVED_CASES = 347;

export const observedStoreCases = (world: ContractWorld): void => {
  const { read, options, run } = world;

  describe('cases observed on EventStoreDB', () => {
    const { cases, leftOut } = portCases();
    let prefix = '';
    const streamOf = (text: string): StreamName => `${prefix}${text.replace('<1000 characters>', 'x'.repeat(900))}` as StreamName;
    const eventOf = ({ id, type = 'T' }: { readonly id: string; readonly type?: string }): NewEvent => newEvent(id, { type });
    const append = (step: NonNullable<PortCase['when']['append']>): Promise<Appended | Conflict> =>
      world.store.append(
        streamOf(step.stream),
        step.expected === 'no_stream' ? 'no_stream' : revision(step.expected),
        step.events.map(eventOf) as unknown as NonEmpty<NewEvent>,
      );
    const replayed = cases.filter(({ given }) => options.isDurable || !given.some(({ restart }) => restart === true));

    it.each(replayed.map((observed) => [observed.id, observed] as const))('%s', async (id, observed) => {
      prefix = `${run}observed-${id}-`;
      for (const step of observed.given) {
        if (step.append !== undefined) expect((await append(step.append)).kind).toBe('appended');
        if (step.restart === true) await world.restart();
      }
      const { then, when } = observed;
      if (when.append !== undefined) {
        const answer = await append(when.append);
        if ('appended' in then) expect(answer).toStrictEqual(appendedAt(then.appended));
        else expect(answer).toStrictEqual('conflict' in then ? conflictAt(then.conflict) : then);
        await expect(read(streamOf(when.append.stream))).resolves.toStrictEqual(named(...(observed.streamAfter ?? [])));
      }
      if (when.read !== undefined && 'events' in then) {
        const from = when.read.from === undefined ? undefined : revision(when.read.from);
        await expect(read(streamOf(when.read.stream), from)).resolves.toStrictEqual(named(...then.events));
      }
    });

    const ids = [...cases.map(({ id }) => id), ...Object.values(leftOut).flat()];
    it(`replays ${replayed.length} of ${ids.length} cases and gives a reason for each skipped one`, () => {
      expect(replayed.length).toBeGreaterThan(40);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toHaveLength(OBSERVED_CASES);
    });
    it.each(Object.entries(leftOut).map(([reason, left]) => [left.length, reason, left] as const))('skips %i: %s', (_, reason, left) => {
      expect(reason).not.toBe('');
      expect(left.filter((id) => replayed.some((observed) => observed.id === id))).toStrictEqual([]);
    });
  });
};
