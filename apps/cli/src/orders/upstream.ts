import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { ClientOrderId, GateAlias, MerchantLogin } from '@app/kernel';
import { packageRoot, readEnvironment, type OrchestratorEnvironment } from '@app/configuration';
import { type Tone, CommandFailed, EXIT } from '../terminal';
import { findOrder } from './find-order';
import { openOrderReaders, type OrderReaders, configurationOf } from '../stores';
import { orderStory, type OrderStory } from './story';

export type AttemptStanding = 'approved' | 'declined' | 'nothing charged' | 'payer awaited' | 'unknown' | 'not answered yet';

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

const NOT_CHARGED: ReadonlySet<string> = new Set(['declined', 'filtered', 'error']);

interface Agreement {
  readonly text: string;
  readonly tone: Tone;
}

/**
 * Compares an attempt with its order at an upstream gateway.
 * @param there that order's status; undefined if there is none or it is unknown
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

export interface UpstreamOrder {
  readonly gate: GateAlias;
  readonly attempt: number;
  readonly standing: AttemptStanding;
  /** Key of our attempt, which is its client_orderid upstream. */
  readonly clientOrderId: ClientOrderId;
  /** Undefined if the upstream gateway has no such order. */
  readonly story: OrderStory | undefined;
}

const environmentAt = (place: string): OrchestratorEnvironment => {
  const path = resolve(place);
  if (!existsSync(path))
    throw new CommandFailed(`there is no ${path}: --follow-upstream names a DATA_DIR, or a file with the environment`, EXIT.usage);
  const given = statSync(path).isDirectory() ? { DATA_DIR: path } : parseEnv(readFileSync(path, 'utf8'));
  return readEnvironment(given, packageRoot());
};

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

/** Current state of each attempt. A renewed claim starts the attempt again under the same key. */
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

export class UpstreamOrders {
  private constructor(
    private readonly readers: OrderReaders,
    private readonly logins: ReadonlyMap<GateAlias, MerchantLogin>,
  ) {}

  /**
   * @param place the upstream gateway's DATA_DIR, or a file with the environment that names its stores
   * @throws CommandFailed if it has no event log
   */
  static async open(place: string, configurationPath: string): Promise<UpstreamOrders> {
    const logins = loginsOf(configurationPath);
    if (logins.size === 0) throw new CommandFailed(`${configurationPath} has no gate of the adapter paynet`, EXIT.usage);
    return new UpstreamOrders(await openOrderReaders(environmentAt(place)), logins);
  }

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
