import type { MerchantLogin, Scheduler } from '@app/kernel';
import { categoryOf, previousHashOf, type StoredEvent, type StreamName } from '@app/event-store';
import { RetryPolicy, wholeLog, type EventSelection } from '@app/event-store/copy';
import { merchantOf, ownerOf, rulesNamedBy } from '@app/order-queries';
import { CommandFailed, EXIT } from '../command-failed';
import { holdsEvents } from '../order/find-order';
import type { EventLogReader } from '../service/event-log';
import { printable } from '../terminal/printable';

/** Why streams are not copied with a merchant. */
export type WhyLeftOut =
  /** Another merchant's. */
  | 'other-merchants'
  /** Of the log that they lie in. */
  | 'installation'
  /** Rules that no order of the merchant names. */
  | 'rules-not-named'
  /** Rules that the target has under the same name, which is a digest of what they say. */
  | 'rules-held'
  /** Of another service in the same server. */
  | 'another-service';

export interface LeftOutStreams {
  readonly category: string;
  readonly why: WhyLeftOut;
  streams: number;
  events: number;
}

export interface MerchantStreams {
  readonly selection: EventSelection;
  readonly leftOut: readonly LeftOutStreams[];
}

export interface MerchantStreamsSettings {
  readonly source: EventLogReader;
  readonly merchant: MerchantLogin;
  readonly scheduler: Scheduler;
  readonly isStopRequested: () => boolean;
}

/** Each event says whose it is, so that no list of a merchant's streams is kept; of rules there are few, and those are kept by name. */
class SourcePass {
  readonly #merchant: MerchantLogin;
  readonly #leftOut = new Map<string, LeftOutStreams>();
  readonly #rules = new Map<StreamName, number>();
  readonly named = new Set<StreamName>();
  streams = 0;

  constructor(merchant: MerchantLogin) {
    this.#merchant = merchant;
  }

  take(event: StoredEvent): void {
    const { stream, revision } = event;
    const owner = ownerOf(stream);
    if (owner === undefined) {
      if (previousHashOf(event) !== undefined) throw unknownCategory(stream);
      return this.#leave(event, 'another-service');
    }
    if (owner === 'installation') return this.#leave(event, 'installation');
    if (owner === 'rules') return void this.#rules.set(stream, (this.#rules.get(stream) ?? 0) + 1);
    const merchant = merchantOf(event);
    if (merchant === undefined)
      throw new CommandFailed(`${printable(stream)} names no merchant at revision ${revision}: whose it is, is not known`);
    if (merchant !== this.#merchant) return this.#leave(event, 'other-merchants');
    if (revision === 0n) this.streams += 1;
    for (const rules of rulesNamedBy(event)) this.named.add(rules);
  }

  leftOut(held: ReadonlySet<StreamName>): readonly LeftOutStreams[] {
    for (const [stream, events] of this.#rules) {
      const why = held.has(stream) ? 'rules-held' : this.named.has(stream) ? undefined : 'rules-not-named';
      if (why !== undefined) this.#add(categoryOf(stream), why, 1, events);
    }
    return [...this.#leftOut.values()];
  }

  #leave({ stream, revision }: StoredEvent, why: WhyLeftOut): void {
    this.#add(categoryOf(stream), why, revision === 0n ? 1 : 0, 1);
  }

  #add(category: string, why: WhyLeftOut, streams: number, events: number): void {
    const key = `${why} ${category}`;
    const one = this.#leftOut.get(key) ?? { category, why, streams: 0, events: 0 };
    one.streams += streams;
    one.events += events;
    this.#leftOut.set(key, one);
  }
}

const unknownCategory = (stream: StreamName): CommandFailed =>
  new CommandFailed(
    `the source holds "${printable(categoryOf(stream))}", a category that this release does not know: whose it is, is not known. Use the release that wrote it`,
    EXIT.refused,
  );

/** What a source has of a merchant, before it is known what the target has. */
export interface MerchantSurvey {
  /** @throws StoreUnavailable */
  against(target: Pick<EventLogReader, 'read'>): Promise<MerchantStreams>;
}

/**
 * The streams of one merchant: what each category's owner says (`EVENT_OWNERS`), and the rules that its orders name and the target does not have.
 * @throws CommandFailed where the source has nothing of the merchant, or something of which nobody knows whose it is; StoreUnavailable
 */
export const surveyMerchant = async (settings: MerchantStreamsSettings): Promise<MerchantSurvey> => {
  const { source, merchant, scheduler, isStopRequested } = settings;
  const retry = new RetryPolicy(scheduler, isStopRequested);
  const pass = new SourcePass(merchant);
  for await (const item of wholeLog(source, 'start', await retry.run(() => source.head()), retry)) {
    if (isStopRequested()) throw new CommandFailed('stopped before anything was written: the same command begins again', EXIT.interrupted);
    pass.take(item.kind === 'event' ? item.event : item.break.event);
  }
  if (pass.streams === 0) throw new CommandFailed(`--merchant: nothing of "${merchant}" in the source`, EXIT.notFound);
  return { against: (target) => selectionAgainst(target, pass, merchant) };
};

const selectionAgainst = async (
  target: Pick<EventLogReader, 'read'>,
  pass: SourcePass,
  merchant: MerchantLogin,
): Promise<MerchantStreams> => {
  const held = new Set<StreamName>();
  for (const stream of pass.named) if (await holdsEvents(target, stream)) held.add(stream);
  return {
    leftOut: pass.leftOut(held),
    selection: {
      takes: (event) => {
        const owner = ownerOf(event.stream);
        if (owner === 'rules') return pass.named.has(event.stream) && !held.has(event.stream);
        return owner === 'merchant' && merchantOf(event) === merchant;
      },
    },
  };
};
