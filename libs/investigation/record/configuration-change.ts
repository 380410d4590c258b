import type { Decider, Instant, NonEmpty, Sealed } from '@app/kernel';
import { eventCodec, f, streamName, type EventCodec, type StoredEvent, type StreamName } from '@app/event-store';

/** `taken`: in force in the process. `kept`: the process kept its former configuration whole. */
const OUTCOMES = ['taken', 'kept'] as const;

/** An operator makes every process take the configuration of this digest, each from its own file. */
export type ConfigurationApplied = {
  readonly type: 'ConfigurationApplied';
  /** The digest is the SHA-256 of the redacted copy, hex. */
  readonly data: {
    readonly digest: string;
    readonly reason: Sealed;
    /** The kept what-if that is the reason of a change of rules: its id, the SHA-256 of its result, and its totals as JSON. */
    readonly whatIf?: { readonly id: string; readonly digest: string; readonly totals: string };
    readonly appliedAt: Instant;
  };
};

export type ConfigurationFollowed = {
  readonly type: 'ConfigurationFollowed';
  readonly data: {
    /** Its boot id. */
    readonly process: string;
    /** In force there from now on. */
    readonly digest: string;
    readonly outcome: (typeof OUTCOMES)[number];
    /** Why it was kept. Names settings, and no value. */
    readonly why?: string;
    readonly followedAt: Instant;
  };
};

export type ConfigurationChangeEvent = ConfigurationApplied | ConfigurationFollowed;

const CATEGORY = 'configurationChange';

/** Every process reads it, so it is not the stream of the large copies. */
export const configurationChangeStream = (): StreamName => streamName(CATEGORY, 'orchestrator');

export const configurationChangeCodec: EventCodec<ConfigurationChangeEvent> = eventCodec<ConfigurationChangeEvent>(CATEGORY, {
  ConfigurationApplied: {
    version: 1,
    meaning:
      'An operator makes every process take the configuration of this digest, each from its own file, without a restart. The operator is the actor.',
    schema: f.object<ConfigurationApplied['data']>({
      digest: f.hash(),
      reason: f.sealed(),
      whatIf: f.optional(f.object<NonNullable<ConfigurationApplied['data']['whatIf']>>({ id: f.id(), digest: f.hash(), totals: f.text() })),
      appliedAt: f.instant(),
    }),
  },
  ConfigurationFollowed: {
    version: 1,
    meaning: 'A process took an applied configuration as a whole, or kept its former one as a whole, with the reason.',
    schema: f.object<ConfigurationFollowed['data']>({
      process: f.id(),
      digest: f.hash(),
      outcome: f.oneOf(...OUTCOMES),
      why: f.optional(f.text()),
      followedAt: f.instant(),
    }),
  },
});

/** True for an event by which nothing is applied. */
export const isReport = ({ type }: Pick<StoredEvent, 'type'>): boolean =>
  type === ('ConfigurationFollowed' satisfies ConfigurationFollowed['type']);

export interface AppliedConfigurations {
  /** Number of events. */
  readonly eventCount: number;
  /** The newest. */
  readonly applied?: ConfigurationApplied['data'];
  readonly appliedRevision?: bigint;
  /** What the processes reported since, by process. */
  readonly followed: ReadonlyMap<string, ConfigurationFollowed['data']>;
}

export type ConfigurationChangeCommand =
  | {
      readonly type: 'ApplyConfiguration';
      readonly data: Omit<ConfigurationApplied['data'], 'appliedAt'> & {
        /** Refused if another one was applied after this revision. */
        readonly after?: { readonly revision: bigint | undefined };
        readonly now: Instant;
      };
    }
  | { readonly type: 'ReportConfiguration'; readonly data: Omit<ConfigurationFollowed['data'], 'followedAt'> & { readonly now: Instant } };

interface ConfigurationChangeRejection {
  readonly reason: 'reported-before' | 'configuration-moved';
}

/** A process that reports for ever cannot fill the memory of the others. */
const PROCESSES_MAX = 1_000;

const evolve = (state: AppliedConfigurations, event: ConfigurationChangeEvent): AppliedConfigurations => {
  const eventCount = state.eventCount + 1;
  if (event.type === 'ConfigurationApplied')
    return { eventCount, applied: event.data, appliedRevision: BigInt(state.eventCount), followed: new Map() };
  const followed = new Map(state.followed);
  followed.delete(event.data.process);
  followed.set(event.data.process, event.data);
  const [oldest] = followed.keys();
  if (followed.size > PROCESSES_MAX && oldest !== undefined) followed.delete(oldest);
  return { ...state, eventCount, followed };
};

const decide = (
  command: ConfigurationChangeCommand,
  { followed, appliedRevision }: AppliedConfigurations,
): NonEmpty<ConfigurationChangeEvent> | ConfigurationChangeRejection => {
  if (command.type === 'ApplyConfiguration') {
    const { now, after, ...data } = command.data;
    if (after !== undefined && after.revision !== appliedRevision) return { reason: 'configuration-moved' };
    return [{ type: 'ConfigurationApplied', data: { ...data, appliedAt: now } }];
  }
  const { now, ...data } = command.data;
  const last = followed.get(data.process);
  const isKnown = last?.digest === data.digest && last.outcome === data.outcome && last.why === data.why;
  return isKnown ? { reason: 'reported-before' } : [{ type: 'ConfigurationFollowed', data: { ...data, followedAt: now } }];
};

export const appliedConfigurations: Decider<
  ConfigurationChangeCommand,
  ConfigurationChangeEvent,
  AppliedConfigurations,
  ConfigurationChangeRejection
> = { initial: { eventCount: 0, followed: new Map() }, evolve, decide };
