import type { Kysely } from 'kysely';
import type { Instant } from '@app/kernel';
import type { Db } from '../engine/database/tables';
import { placesIn, type IndexParts, type ListPlace } from '../engine/index-parts';
import type { Reader } from '../engine/reader';
import type { PageAsked } from '../engine/verified-rows';
import { ACTIVITY_KINDS, type ActivityEntry, type ActivityKind } from './activity.fold';
import { activity, HAS_TARGET, IS_END } from './activity.table';

/** Conditions are combined with "and". */
export interface ActivityFilter {
  readonly kind?: ActivityKind | undefined;
  /** Without a kind: leaves out this one. */
  readonly without?: ActivityKind | undefined;
  /** As the envelope has it, such as `operator:kim`. */
  readonly actor?: string | undefined;
  readonly name?: string | undefined;
  readonly target?: string | undefined;
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
}

export interface ListedActivity extends Omit<ActivityEntry, 'kind'> {
  readonly kind: ActivityKind;
}

export interface ActivityPage {
  /** The newest first. */
  readonly entries: readonly ListedActivity[];
  readonly next: ListPlace | undefined;
}

interface ActivityRow {
  readonly key: string;
  readonly at: number;
  readonly kind: ActivityKind;
  readonly actor: string;
  readonly claimed_actor: string | null;
  readonly role: string | null;
  readonly name: string;
  readonly target: string | null;
  readonly action_id: string | null;
  readonly outcome: string | null;
  readonly count: number | null;
}

/** A target has few entries, so its other conditions are checked on each of them. */
const partsOf = (generation: number, { kind, without, actor, name, target, since, until }: ActivityFilter): IndexParts => {
  const kinds = kind === undefined ? ACTIVITY_KINDS.filter((one) => one !== without) : [kind];
  const named = {
    ...(actor !== undefined && { actor: [actor] }),
    ...(name !== undefined && { name: [name] }),
    ...(target !== undefined && { target: [target] }),
  };
  return {
    table: activity.tableOf(generation),
    values: { kind: kinds, ...named },
    time: 'at',
    key: 'key',
    since,
    until,
    isNewestFirst: true,
    ...(target !== undefined && { where: HAS_TARGET }),
  };
};

const listed = (row: ActivityRow, outcomes: ReadonlyMap<string | null, string | null>): ListedActivity => ({
  key: row.key,
  at: Number(row.at) as Instant,
  kind: row.kind,
  actor: row.actor,
  claimedActor: row.claimed_actor,
  role: row.role,
  name: row.name,
  target: row.target,
  actionId: row.action_id,
  outcome: outcomes.get(row.action_id) ?? null,
  count: row.count === null ? null : Number(row.count),
});

const tableIn = (db: Db, generation: number) =>
  (db as unknown as Kysely<{ readonly activity: ActivityRow }>).selectFrom(activity.tableOf(generation) as 'activity');

/** Only for operators. */
export class ActivityQueries {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** @throws StoreUnavailable, also after the deadline */
  page(filter: ActivityFilter, { limit, after, deadline }: PageAsked): Promise<ActivityPage> {
    const nothing: ActivityPage = { entries: [], next: undefined };
    const ask = async (db: Db, generation: number): Promise<ActivityPage> => {
      const places = await placesIn(db, { ...partsOf(generation, filter), after }, limit + 1);
      const shown = places.slice(0, limit);
      if (shown.length === 0) return nothing;
      const keys = shown.map(({ stream }): string => stream);
      const rows = await tableIn(db, generation).selectAll().where('key', 'in', keys).execute();
      const actionIds = rows.flatMap(({ action_id: actionId }) => actionId ?? []);
      const ends = await (actionIds.length === 0
        ? []
        : tableIn(db, generation).select(['action_id', 'outcome']).where(IS_END).where('action_id', 'in', actionIds).execute());
      const outcomes = new Map(ends.map(({ action_id: actionId, outcome }) => [actionId, outcome]));
      const byKey = new Map(rows.map((row) => [row.key, row]));
      const entries = keys.flatMap((key) => byKey.get(key) ?? []).map((row) => listed(row, outcomes));
      return { entries, next: places.length > limit ? shown.at(-1) : undefined };
    };
    return this.#reader.read(activity.name, nothing, ask, deadline);
  }
}
