import type { ObservedCase } from '@app/event-store/testing';
import {
  jsonEvent,
  type AllStreamSubscription,
  type JSONEventData,
  type Position,
  type RecordedEvent,
  type StreamSubscription,
} from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { shownError } from './outcome';
import type { World } from './world';

export type Play = (world: World, observed: ObservedCase) => Promise<void>;
export type Plays = Readonly<Record<string, Play>>;

export const event = (n: number, type = 'T'): JSONEventData => jsonEvent({ id: randomUUID(), type, data: { n } });
export const events = (count: number, type = 'T'): JSONEventData[] => Array.from({ length: count }, (_, n) => event(n, type));

export class Watch {
  readonly log: string[] = [];
  readonly events: RecordedEvent[] = [];
  readonly checkpoints: Position[] = [];
  readonly #subscription: AllStreamSubscription | StreamSubscription;

  /** Creates the subscription, because the checkpoint listener is one of its options. */
  constructor(
    subscribe: (checkpointReached: (_: unknown, position: Position) => Promise<void>) => AllStreamSubscription | StreamSubscription,
  ) {
    this.#subscription = subscribe(async (_, position) => {
      this.checkpoints.push(position);
    });
    const write = (text: string) => () => this.log.push(text);
    this.#subscription
      .on('confirmation', write('confirmation'))
      .on('caughtUp', write('caughtUp'))
      .on('end', write('end'))
      .on('close', write('close'))
      .on('error', (error: Error) => this.log.push(`error ${JSON.stringify(withoutOk(shownError(error)))}`))
      .on('data', (resolved: { event?: RecordedEvent }) => {
        if (resolved.event !== undefined) this.events.push(resolved.event);
      });
  }

  get delivered(): readonly unknown[] {
    return this.events.map(({ data }) => (data as { n: number }).n);
  }

  get isCaughtUp(): boolean {
    return this.log.includes('caughtUp');
  }

  get error(): string | undefined {
    return this.log.find((line) => line.startsWith('error'));
  }

  async end(): Promise<void> {
    await this.#subscription.unsubscribe();
  }
}

const withoutOk = ({ ok: _, ...shown }: Readonly<Record<string, unknown>>): unknown => shown;
