import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { ClientOrderId, GateAlias, MerchantLogin } from '@app/kernel';
import { packageRoot, readEnvironment, type OrchestratorEnvironment } from '@app/configuration';
import { type Tone, CommandFailed, EXIT } from '../terminal';
import { findOrder } from './find-order';
import { openOrderReaders, type OrderReaders, configurationOf } from '../stores';
import { orderStory, type OrderStory } from './story';

/** How an attempt stands in our log. */
export type AttemptStanding = 'approved' | 'declined' | 'nothing charged' | 'payer awaited' | 'unknown' | 'not answered yet';

/** What the event of an attempt makes of it; undefined for one that changes nothing about its outcome. */
export const standingAfter = (type: string, data: object): AttemptStanding | undefined => {
  switch (type) {
    case 'AttemptStarted':
      return 'not answered yet';
    case 'AttemptApproved':
      return 'approved';
    case 'AttemptDeclined':
      return 'declined';
    case 'AttemptNotAsked':
      return 'nothing charged';
    case 'AttemptUnknown':
      return 'unknown';
    case 'PayerChallenged':
      return 'payer awaited';
    case 'AttemptSettled':
      return 'as' in data && data.as === 'approved' ? 'approved' : 'declined';
    default:
      return undefined;
  }
};

/** Ends of an order there in which no money moved. */
const NOT_CHARGED: ReadonlySet<string> = new Set(['declined', 'filtered', 'error']);

interface Agreement {
  readonly text: string;
  readonly tone: Tone;
}

/**
 * Compares an attempt with the order that it is at an upstream gateway.
 * @param there the status of that order; undefined where there is none, or it cannot be told
 */
export const agreementOf = (here: AttemptStanding, there: string | undefined): Agreement => {
  const isEndedThere = there === 'approved' || (there !== undefined && NOT_CHARGED.has(there));
  const both = `${here} here, ${there ?? 'no such order'} there`;
  switch (here) {
    case 'approved':
      return there === 'approved' ? { text: both, tone: 'good' } : { text: `${both}: they differ`, tone: 'bad' };
    case 'declined':
    case 'nothing charged':
      return there === 'approved' ? { text: `${both}: they differ`, tone: 'bad' } : { text: both, tone: 'plain' };
    case 'payer awaited':
    case 'unknown':
    case 'not answered yet':
      return isEndedThere ? { text: `${both}: the next inquiry brings it here`, tone: 'waiting' } : { text: both, tone: 'waiting' };
  }
};

/** An order of our account at an upstream gateway, which an attempt of ours is there. */
export interface UpstreamOrder {
  readonly gate: GateAlias;
  /** The number of our attempt. */
  readonly attempt: number;
  readonly standing: AttemptStanding;
  /** The key of our attempt: its client_orderid there. */
  readonly clientOrderId: ClientOrderId;
  /** Undefined where the upstream gateway has no such order. */
  readonly story: OrderStory | undefined;
}

/** The environment of the upstream gateway's installation. @throws CommandFailed where there is none */
const environmentAt = (place: string): OrchestratorEnvironment => {
  const path = resolve(place);
  if (!existsSync(path))
    throw new CommandFailed(`there is no ${path}: --follow-upstream names a DATA_DIR, or a file with the environment`, EXIT.usage);
  const given = statSync(path).isDirectory() ? { DATA_DIR: path } : parseEnv(readFileSync(path, 'utf8'));
  return readEnvironment(given, packageRoot());
};

/** Our logins at the upstream gateways of the configuration. */
const loginsOf = (configurationPath: string): ReadonlyMap<GateAlias, MerchantLogin> => {
  const { gates } = configurationOf({ configurationPath }).accounts;
  return new Map(gates.flatMap((gate) => (gate.adapter === 'paynet' ? [[gate.alias, gate.upstream.login as MerchantLogin] as const] : [])));
};

interface Attempt {
  readonly gate: GateAlias;
  readonly number: number;
  readonly attemptKey: string;
  readonly standing: AttemptStanding;
}

/** The attempts of an order as they stand; one whose claim was renewed started again under its key. */
const attemptsIn = (events: OrderStory['events']): Iterable<Attempt> => {
  const attempts = new Map<string, Attempt>();
  for (const one of events) {
    if (!one.isReadable) continue;
    const data = one.event.data as Partial<Attempt>;
    const before = attempts.get(data.attemptKey ?? '');
    const standing = standingAfter(one.event.type, data);
    if (standing === undefined) continue;
    if (one.event.type === 'AttemptStarted' && before === undefined)
      attempts.set(data.attemptKey ?? '', { ...(data as Attempt), standing });
    else if (before !== undefined) attempts.set(before.attemptKey, { ...before, standing });
  }
  return attempts.values();
};

/** Reads the orders of an upstream gateway beside its running service. */
export class UpstreamOrders {
  private constructor(
    private readonly readers: OrderReaders,
    private readonly logins: ReadonlyMap<GateAlias, MerchantLogin>,
  ) {}

  /**
   * @param place the DATA_DIR of the upstream gateway, or a file with the environment that names its stores
   * @throws CommandFailed where it has no event log
   */
  static async open(place: string, configurationPath: string): Promise<UpstreamOrders> {
    const logins = loginsOf(configurationPath);
    if (logins.size === 0) throw new CommandFailed(`${configurationPath} has no gate of the adapter paynet`, EXIT.usage);
    return new UpstreamOrders(await openOrderReaders(environmentAt(place)), logins);
  }

  /** What each attempt of an order became there, in their order. */
  async of({ events }: Pick<OrderStory, 'events'>): Promise<readonly UpstreamOrder[]> {
    const found: UpstreamOrder[] = [];
    for (const { gate, number, attemptKey, standing } of attemptsIn(events)) {
      const login = this.logins.get(gate);
      if (login === undefined) continue;
      const clientOrderId = attemptKey as ClientOrderId;
      found.push({ gate, attempt: number, standing, clientOrderId, story: await this.#storyOf(login, clientOrderId) });
    }
    return found;
  }

  close(): Promise<void> {
    return this.readers.close();
  }

  async #storyOf(login: MerchantLogin, clientOrderId: ClientOrderId): Promise<OrderStory | undefined> {
    const [stream] = await findOrder(this.readers, clientOrderId, [login], 'client_orderid');
    return stream === undefined ? undefined : orderStory(this.readers, stream);
  }
}
