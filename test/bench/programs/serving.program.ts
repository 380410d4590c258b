import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EnvelopeCardVault } from '@app/card-vault';
import type { EventStore, NewEvent, Revision, StoredEvent, StreamName, Subscription } from '@app/event-store';
import type { ClientOrderId, MerchantLogin, Sealed } from '@app/kernel';
import type { ReadModel } from '@app/projections';
import { ACME } from '../harness/acme';
import { built } from '../harness/built';
import { quantile } from '../harness/median';
import { answerQuestions } from '../harness/program';
import type { AskServing, ServingReport } from '../load/history';
import { approvedOrder, sealedCustomer } from '../load/written-orders';

const { createKeyRing, loadKeyRing, openSqliteVault } = built<typeof import('@app/card-vault')>('libs/card-vault/index.js');
const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { systemClock, systemScheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { openReadModel } = built<typeof import('@app/projections')>('libs/projections/index.js');
const { decodeAny } = built<typeof import('@app/order-queries')>('libs/order-queries/event-codecs.js');
const { openWorkDefinitions } = built<typeof import('@app/order-queries')>('libs/order-queries/open-work.js');
const { recurringStream } = built<typeof import('@app/recurring')>('libs/recurring/index.js');

const MERCHANT = ACME.login as MerchantLogin;
/** Each client asks, and rests as long: a thousand questions a second by fifty. */
const CLIENT_REST_MS = 50;
/** Two appends an order. */
const ORDER_GAP_MS = 50;
/** New orders are numbered from here, beyond those of the filled log. */
const NEW_FROM = 10_000_000;
/** Orders that are asked for most, because they change. */
const RECENT_MAX = 100;

/** A service that projects what it appends and answers its clients, as far as this needs one. */
class Serving {
  readonly #store: EventStore;
  readonly #vault: EnvelopeCardVault;
  readonly #model: ReadModel;
  readonly #customer: Sealed;
  readonly #settled: readonly StreamName[];
  readonly #subscription: Subscription;
  readonly #recent: StreamName[] = [];
  readonly #timesMs: number[] = [];
  readonly #work: Promise<void>[] = [];
  #isOver = false;
  #failed = 0;
  #backwards = 0;
  #appended = 0;

  private constructor(
    store: EventStore,
    vault: EnvelopeCardVault,
    model: ReadModel,
    customer: Sealed,
    settled: readonly StreamName[],
    subscription: Subscription,
  ) {
    this.#store = store;
    this.#vault = vault;
    this.#model = model;
    this.#customer = customer;
    this.#settled = settled;
    this.#subscription = subscription;
  }

  static async begin({ dataDir, path, clients, clientOrderIds }: Extract<AskServing, { kind: 'begin' }>): Promise<Serving> {
    const ringPath = join(dataDir, 'vault-keyring.json');
    if (!existsSync(ringPath)) createKeyRing(ringPath);
    const vault = await openSqliteVault({ path: join(dataDir, 'vault.sqlite'), keyRing: loadKeyRing(ringPath), clock: systemClock });
    const store = await EmbeddedEventStore.open({ path: join(dataDir, 'events.sqlite'), clock: systemClock, scheduler: systemScheduler });
    const model = await openReadModel({ path, log: store, decode: decodeAny, clock: systemClock, openWork: openWorkDefinitions });
    const from = await model.position();
    const settled = clientOrderIds.map((id) => recurringStream(MERCHANT, id as ClientOrderId));
    const subscription = store.subscribe([...model.categories], from ?? 'start');
    const serving = new Serving(store, vault, model, await sealedCustomer(vault), settled, subscription);
    serving.#work.push(serving.#project(), serving.#append(), ...Array.from({ length: clients }, (_, client) => serving.#ask(client)));
    return serving;
  }

  async end(): Promise<ServingReport> {
    this.#isOver = true;
    await this.#subscription.cancel();
    await Promise.all(this.#work);
    const [first] = await this.#model.health();
    await this.#model.close();
    await this.#store.close();
    await this.#vault.close();
    return {
      reads: this.#timesMs.length,
      failed: this.#failed,
      backwards: this.#backwards,
      p99Ms: quantile(this.#timesMs, 0.99),
      appended: this.#appended,
      generation: first?.generation ?? 0,
    };
  }

  async #project(): Promise<void> {
    for await (const item of this.#subscription) if (item.kind === 'event') await this.#apply(item.event);
  }

  /** As the service's runner does: what cannot be written now is written later. */
  async #apply(event: StoredEvent): Promise<void> {
    while (!this.#isOver) {
      try {
        return await this.#model.apply([event], event.position);
      } catch {
        await sleep(CLIENT_REST_MS);
      }
    }
  }

  async #append(): Promise<void> {
    for (let number = NEW_FROM; !this.#isOver; number++) {
      const accepting = { vault: this.#vault, customer: this.#customer, number, acceptedAt: systemClock.now() };
      const { stream, events } = await approvedOrder(accepting);
      const [first, ...others] = events;
      await this.#store.append(stream, 'no_stream', [first]);
      this.#recent.push(stream);
      if (this.#recent.length > RECENT_MAX) this.#recent.shift();
      await sleep(ORDER_GAP_MS / 2);
      await this.#store.append(stream, 0n as Revision, others as [NewEvent, ...NewEvent[]]);
      this.#appended += events.length;
      await sleep(ORDER_GAP_MS / 2);
    }
  }

  async #ask(client: number): Promise<void> {
    const seen = new Map<StreamName, bigint>();
    for (let question = client; !this.#isOver; question++) {
      const among = question % 2 === 0 && this.#recent.length > 0 ? this.#recent : this.#settled;
      const stream = among[question % among.length];
      if (stream === undefined) throw new Error('nothing can be asked for');
      const startedAt = performance.now();
      try {
        const row = await this.#model.orders.byStream(MERCHANT, stream);
        const before = seen.get(stream);
        // One that was there is there.
        if (before !== undefined && (row === undefined || row.revision < before)) this.#backwards += 1;
        if (row !== undefined) seen.set(stream, row.revision);
        if (row === undefined && among === this.#settled) this.#failed += 1;
      } catch {
        this.#failed += 1;
      }
      this.#timesMs.push(performance.now() - startedAt);
      await sleep(CLIENT_REST_MS);
    }
  }
}

let serving: Serving | undefined;

answerQuestions(async (asked: AskServing): Promise<ServingReport | undefined> => {
  if (asked.kind === 'begin') {
    serving = await Serving.begin(asked);
    return undefined;
  }
  if (serving === undefined) throw new Error('nothing serves');
  return serving.end();
});
