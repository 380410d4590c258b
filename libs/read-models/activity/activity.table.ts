import { sql } from 'kysely';
import { recordProjection } from '../engine/record-table';
import { activityEntry, type ActivityEntry } from './activity.fold';

export const HAS_TARGET = sql<boolean>`target is not null`;
/** Not by `kind`: SQLite would then read all ends by another index. */
export const IS_END = sql<boolean>`outcome is not null`;

/** What operators did, asked and were refused, and changes of the configuration, in one row for each event. */
export const activity = recordProjection('activity', {
  categories: ['operator', 'configuration'],
  shape: 3,
  entry: activityEntry,
  columns: {
    key: { type: 'text', isKey: true, isByteOrdered: true, of: ({ key }: ActivityEntry) => key },
    at: { type: 'bigint', of: ({ at }: ActivityEntry) => at },
    kind: { type: 'text', of: ({ kind }: ActivityEntry) => kind },
    actor: { type: 'text', of: ({ actor }: ActivityEntry) => actor },
    claimed_actor: { type: 'text', isNullable: true, of: ({ claimedActor }: ActivityEntry) => claimedActor },
    role: { type: 'text', isNullable: true, of: ({ role }: ActivityEntry) => role },
    name: { type: 'text', of: ({ name }: ActivityEntry) => name },
    target: { type: 'text', isNullable: true, of: ({ target }: ActivityEntry) => target },
    action_id: { type: 'text', isNullable: true, of: ({ actionId }: ActivityEntry) => actionId },
    outcome: { type: 'text', isNullable: true, of: ({ outcome }: ActivityEntry) => outcome },
    count: { type: 'bigint', isNullable: true, of: ({ count }: ActivityEntry) => count },
  },
  indexes: {
    kind: { on: ['kind', 'at', 'key'] },
    name: { on: ['kind', 'name', 'at', 'key'] },
    actor: { on: ['kind', 'actor', 'at', 'key'] },
    actor_name: { on: ['kind', 'actor', 'name', 'at', 'key'] },
    target: { on: ['kind', 'target', 'at', 'key'], where: HAS_TARGET },
    outcome: { on: ['action_id'], where: IS_END },
  },
});
