import { streamName, type AnyEvent } from '@app/event-store';
import { addMs } from '@app/kernel';
import type { ActivityFilter } from '../../activity/activity.queries';
import type { ListPlace } from '../../engine/index-parts';
import type { ReadModel } from '../../read-model';
import type { Story } from '../order-life';
import { START } from '../sample-orders';
import type { ReadModelWorld } from './read-model-world';

const action = (actionId: string, name: string, target: string): AnyEvent => ({
  type: 'OperatorActionBegun',
  data: { actionId, action: name, role: 'operator', target },
});
const ended = (actionId: string, outcome: string): AnyEvent => ({ type: 'OperatorActionEnded', data: { actionId, outcome } });
const query = (name: string, target?: string): AnyEvent => ({
  type: 'OperatorQueryAnswered',
  data: { queryId: 'q', query: name, role: 'viewer', rows: 3, ...(target !== undefined && { target }) },
});
const revealed = (target: string): AnyEvent => ({
  type: 'OperatorQueryAnswered',
  data: { queryId: 'q', query: 'order-trail', role: 'investigator', rows: 3, target, revealed: { texts: 1, reason: 'sealed' } },
});
const refused = (cause: string): AnyEvent => ({ type: 'OperatorRequestsRefused', data: { cause, count: 2 } });

/** The envelopes of a story have one actor, so each operator has its own process here. The times of the two interleave. */
const KIM: Story = {
  stream: streamName('operator', 'kim'),
  actor: 'operator:kim',
  events: [
    action('k1', 'settle-unknown', 'p-1'),
    ended('k1', 'done'),
    query('show-order', 'p-1'),
    query('list-unknown'),
    action('k2', 'resend-delivery', 'd-1'),
    refused('role'),
  ],
};
const LEE: Story = {
  stream: streamName('operator', 'lee'),
  actor: 'operator:lee',
  events: [
    action('l1', 'settle-unknown', 'p-2'),
    ended('l1', 'refused'),
    query('show-order', 'p-1'),
    { type: 'OperatorSignedIn', data: { role: 'viewer' } },
    revealed('p-2'),
  ],
};
const CONFIGURATION: Story = {
  stream: streamName('configuration', 'orchestrator'),
  events: [{ type: 'ConfigurationTookEffect', data: { digest: 'abc', copy: [], keys: [] } }],
};
const STORIES = [KIM, LEE, CONFIGURATION];

const pagesOf = async (model: ReadModel, filter: ActivityFilter): Promise<readonly string[]> => {
  const names: string[] = [];
  let after: ListPlace | undefined;
  do {
    const page = await model.activity.page(filter, { limit: 2, after });
    names.push(...page.entries.map(({ actor, name, at }) => `${actor.split(':').at(-1)} ${name} ${at - START}`));
    after = page.next;
  } while (after !== undefined);
  return names;
};

const at = (ms: number) => addMs(START, ms);
const FILTERS: readonly (readonly [name: string, filter: ActivityFilter, expected: readonly string[]])[] = [
  [
    'all',
    {},
    [
      'kim role 50',
      'lee order-trail 40',
      'kim resend-delivery 40',
      'lee OperatorSignedIn 30',
      'kim list-unknown 30',
      'lee show-order 20',
      'kim show-order 20',
      'merchant ConfigurationTookEffect 0',
      'lee settle-unknown 0',
      'kim settle-unknown 0',
    ],
  ],
  ['one kind', { kind: 'action' }, ['kim resend-delivery 40', 'lee settle-unknown 0', 'kim settle-unknown 0']],
  ['reveals', { kind: 'reveal' }, ['lee order-trail 40']],
  [
    'all but queries',
    { without: 'query' },
    [
      'kim role 50',
      'lee order-trail 40',
      'kim resend-delivery 40',
      'lee OperatorSignedIn 30',
      'merchant ConfigurationTookEffect 0',
      'lee settle-unknown 0',
      'kim settle-unknown 0',
    ],
  ],
  ['one kind, which leaves none out', { kind: 'action', without: 'action', target: 'd-1' }, ['kim resend-delivery 40']],
  ['one person', { actor: 'operator:lee' }, ['lee order-trail 40', 'lee OperatorSignedIn 30', 'lee show-order 20', 'lee settle-unknown 0']],
  ['one name', { name: 'show-order' }, ['lee show-order 20', 'kim show-order 20']],
  ['one person and name', { actor: 'operator:kim', name: 'show-order' }, ['kim show-order 20']],
  ['one target', { target: 'p-1' }, ['lee show-order 20', 'kim show-order 20', 'kim settle-unknown 0']],
  ['one target and person', { target: 'p-1', actor: 'operator:kim', kind: 'query' }, ['kim show-order 20']],
  [
    'a time',
    { since: at(20), until: at(40) },
    ['lee OperatorSignedIn 30', 'kim list-unknown 30', 'lee show-order 20', 'kim show-order 20'],
  ],
  ['a person without entries', { actor: 'operator:nobody' }, []],
];

export const activityCases = (world: ReadModelWorld): void => {
  describe('activity of operators', () => {
    it.each(FILTERS)('is listed newest first, page by page, for %s', async (_, filter, expected) => {
      const model = await world.live(STORIES);
      expect((await pagesOf(model, filter)).toSorted()).toStrictEqual(expected.toSorted());
      const times = (await pagesOf(model, filter)).map((text) => Number(text.split(' ').at(-1)));
      expect(times).toStrictEqual(times.toSorted((a, b) => b - a));
    });

    it('shows an action with its outcome, and without one if the process ended first', async () => {
      const model = await world.live(STORIES);
      const { entries } = await model.activity.page({ kind: 'action' }, { limit: 9 });
      expect(entries.map(({ actionId, outcome }) => [actionId, outcome]).toSorted()).toStrictEqual([
        ['k1', 'done'],
        ['k2', null],
        ['l1', 'refused'],
      ]);
    });

    it('is empty before the first build', async () => {
      await expect(world.over().activity.page({}, { limit: 1 })).resolves.toStrictEqual({ entries: [], next: undefined });
    });
  });
};
