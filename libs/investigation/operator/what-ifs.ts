import { hash } from 'node:crypto';
import {
  type Accounts,
  ConfigurationFault,
  type Endpoint,
  lineOfPath,
  type Operator,
  type WhatIfRules,
  whatIfRulesFrom,
} from '@app/configuration';
import type { EventStore } from '@app/event-store';
import { EndableDeadline, isoInstant, type Clock, type Ids, type Instant, type MerchantLogin } from '@app/kernel';
import type { ProofFiles } from '../log-proofs/proof-files';
import { act, type ActingOperator, gatesSeenBy, merchantsListed, seesMerchant } from './operator-access';
import { canonicalText } from '../record/configuration-record';
import type { OperatorAudit } from '../record/operator-audit';
import { whatIf, WhatIfTotals } from '../replay/what-if';
import { decidedAsJson, whatIfAsJson, type WhatIfOrderJson, type WhatIfResultJson } from '../replay/what-if-json';

/** `interrupted`: the service ended first. */
type WhatIfState = 'running' | 'done' | 'stopped' | 'interrupted' | 'failed';

/** The digest of each section of the rules, SHA-256 in hex; null for a section that was left as it was. */
interface WhatIfEndpointJson {
  readonly merchant: string;
  readonly endpointId: string;
  readonly gates: string | null;
  readonly screening: string | null;
  readonly routing: string | null;
}

/** A kept result that is the reason of a change. */
export interface WhatIfBasis {
  readonly id: string;
  /** SHA-256 of the kept result, hex. */
  readonly digest: string;
  /** JSON of `WhatIfForecast`. */
  readonly totals: string;
}

/** What a change of rules is expected to do. */
export interface WhatIfForecast {
  readonly from: string | null;
  readonly before: string | null;
  readonly endpoints: readonly { readonly merchant: string; readonly endpointId: string }[];
  readonly ends: WhatIfResultJson['ends'];
}

export interface WhatIfJson {
  readonly whatIfId: string;
  readonly state: WhatIfState;
  readonly startedBy: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Only orders accepted from this time on; null for all. */
  readonly from: string | null;
  /** Only orders accepted before this time; null for all. */
  readonly before: string | null;
  /** Only orders of these merchants; null for all. */
  readonly merchants: readonly string[] | null;
  /** SHA-256 of the rules as sent, hex. */
  readonly rulesDigest: string;
  /** The entry points of the rules; null for a run of an earlier release. */
  readonly endpoints: readonly WhatIfEndpointJson[] | null;
  /** Orders decided so far. */
  readonly orders: number;
  /** Null until the run has ended. Of a stopped run, as far as it went. */
  readonly result: WhatIfResultJson | null;
  /** True if more orders differ than are kept. */
  readonly areOrdersCut: boolean;
}

interface WhatIfsPorts {
  readonly log: Pick<EventStore, 'subscribe'>;
  /** Of this process. */
  readonly files: ProofFiles;
  readonly accounts: Pick<Accounts, 'gates' | 'merchant' | 'merchants' | 'logins'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Pick<OperatorAudit, 'begin' | 'end'>;
}

export interface WhatIfAsked {
  /** As in a file of `orch replay --what-if`. */
  readonly rules: string;
  readonly from?: Instant | undefined;
  readonly before?: Instant | undefined;
  readonly merchant?: string | undefined;
}

type Started =
  | { readonly reason: 'started'; readonly whatIf: WhatIfJson }
  | { readonly reason: 'running'; readonly whatIfId: string }
  | { readonly reason: 'malformed'; readonly fault: string };
type Stopped = { readonly reason: 'stopped'; readonly whatIf: WhatIfJson } | { readonly reason: 'unknown-what-if' | 'not-running' };
export interface WhatIfOrders {
  readonly orders: readonly WhatIfOrderJson[];
  readonly next?: string;
}

interface Run {
  json: WhatIfJson;
  readonly deadline: EndableDeadline;
  endAs: 'done' | 'stopped' | 'interrupted';
  ended: Promise<void>;
}

/** Older runs are removed. */
const RUNS_MAX = 20;
/** Differing orders kept for one run; the totals count all. */
const ORDERS_MAX = 10_000;
/** The rules that concern most orders. A file of the store has at most a megabyte. */
const ROWS_MAX = 2_000;
const LINES_AT_ONCE = 200;
const FAULT_CHARACTERS_MAX = 2_000;
const PART_BYTES = 262_144;
const INDEX = 'index.json';
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CURSOR = /^[1-9]\d{0,14}$/;
const SOURCE = 'rules';
const LINE_FEED = 10;

const eventLoopTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Runs of `orch replay --what-if` in the service, one at a time, with kept results. Reads only: no gate is called and no text unsealed. */
export class WhatIfs {
  #run: Run | undefined;
  #isStarting = false;

  constructor(private readonly ports: WhatIfsPorts) {}

  /** @throws StoreUnavailable if the action is not recorded; then nothing runs */
  async start(asked: WhatIfAsked, acting: ActingOperator): Promise<Started> {
    const { operator } = acting;
    const rules = this.#rulesOf(asked.rules, operator);
    if ('fault' in rules) return { reason: 'malformed', fault: rules.fault };
    if (this.#run !== undefined || this.#isStarting) return { reason: 'running', whatIfId: this.#run?.json.whatIfId ?? '' };
    const { ids, audit, clock } = this.ports;
    this.#isStarting = true;
    try {
      const whatIfId = ids.next();
      const json: WhatIfJson = {
        whatIfId,
        state: 'running',
        startedBy: operator.name,
        startedAt: isoInstant(clock.now()),
        endedAt: null,
        from: asked.from === undefined ? null : isoInstant(asked.from),
        before: asked.before === undefined ? null : isoInstant(asked.before),
        merchants: merchantsListed(operator, this.ports.accounts.logins, asked.merchant) ?? null,
        rulesDigest: hash('sha256', asked.rules, 'hex'),
        endpoints: rules.ok.map(endpointAsJson),
        orders: 0,
        result: null,
        areOrdersCut: false,
      };
      return await act(audit, acting, { action: 'start-what-if', target: whatIfId, done: ['started'] }, async (): Promise<Started> => {
        await this.#keep(json);
        const run: Run = { json, deadline: new EndableDeadline(), endAs: 'done', ended: Promise.resolve() };
        this.#run = run;
        run.ended = this.#work(run, rules.ok, asked, operator).finally(() => (this.#run = undefined));
        return { reason: 'started', whatIf: json };
      });
    } finally {
      this.#isStarting = false;
    }
  }

  /** Newest first. */
  async list(operator: Operator): Promise<readonly WhatIfJson[]> {
    const found: WhatIfJson[] = [];
    for (const id of await this.#index()) {
      const one = await this.find(id, operator);
      if (one !== undefined) found.push(one);
    }
    return found;
  }

  /** Undefined also if the run is over orders of merchants that the operator may not see. */
  async find(whatIfId: string, operator: Operator): Promise<WhatIfJson | undefined> {
    if (!ID.test(whatIfId)) return undefined;
    const json = this.#run?.json.whatIfId === whatIfId ? this.#run.json : await this.#kept(whatIfId);
    if (json === undefined) return undefined;
    const isSeen = json.merchants === null ? operator.merchants === undefined : json.merchants.every((one) => seesMerchant(operator, one));
    return isSeen ? json : undefined;
  }

  /**
   * The orders that differ, in the order of their ends.
   * @param cursor the `next` of the previous page
   * @returns a reason for an unknown run or another cursor
   */
  async orders(
    whatIfId: string,
    operator: Operator,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<WhatIfOrders | { readonly reason: 'unknown-what-if' | 'no-such-page' }> {
    if ((await this.find(whatIfId, operator)) === undefined) return { reason: 'unknown-what-if' };
    if (cursor !== undefined && !CURSOR.test(cursor)) return { reason: 'no-such-page' };
    const { files } = this.ports;
    const offset = cursor === undefined ? 0 : Number(cursor);
    // With the byte before, which must end a line.
    const from = Math.max(0, offset - 1);
    const part = (await files.readPart(ordersPath(whatIfId), from, PART_BYTES)) ?? Buffer.alloc(0);
    if (offset > 0 && part[0] !== LINE_FEED) return { reason: 'no-such-page' };
    const orders: WhatIfOrderJson[] = [];
    let at = offset - from;
    for (let end = part.indexOf(LINE_FEED, at); end >= 0 && orders.length < limit; end = part.indexOf(LINE_FEED, at)) {
      orders.push(JSON.parse(part.toString('utf8', at, end)) as WhatIfOrderJson);
      at = end + 1;
    }
    const isLast = from + at >= ((await files.size(ordersPath(whatIfId))) ?? 0);
    return { orders, ...(!isLast && orders.length > 0 && { next: String(from + at) }) };
  }

  async stop(whatIfId: string, acting: ActingOperator): Promise<Stopped> {
    const found = await this.find(whatIfId, acting.operator);
    if (found === undefined) return { reason: 'unknown-what-if' };
    return act(this.ports.audit, acting, { action: 'stop-what-if', target: whatIfId, done: ['stopped'] }, async (): Promise<Stopped> => {
      const run = this.#run;
      if (run?.json.whatIfId !== whatIfId) return { reason: 'not-running' };
      await this.#end(run, 'stopped');
      return { reason: 'stopped', whatIf: run.json };
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.#run !== undefined) await this.#end(this.#run, 'interrupted');
  }

  async #end(run: Run, as: Run['endAs']): Promise<void> {
    run.endAs = as;
    run.deadline.end();
    await run.ended;
  }

  async #work(run: Run, rules: WhatIfRules, { from, before }: WhatIfAsked, operator: Operator): Promise<void> {
    const { log, files, clock } = this.ports;
    const { whatIfId } = run.json;
    const totals = new WhatIfTotals();
    let lines: string[] = [];
    let kept = 0;
    const flush = async (least: number): Promise<void> => {
      if (lines.length < least) return;
      const text = lines.join('');
      lines = [];
      await files.append(ordersPath(whatIfId), Buffer.from(text));
    };
    const change = (changed: Partial<WhatIfJson>): void => void (run.json = { ...run.json, ...changed });
    try {
      const end = await whatIf({
        log,
        rules,
        accounts: this.#accountsOf(operator),
        merchants: run.json.merchants === null ? undefined : (run.json.merchants as readonly MerchantLogin[]),
        from,
        before,
        deadline: run.deadline,
        onDecided: (decided) => {
          totals.add(decided);
          if (decided.class === 'same') return;
          kept += 1;
          if (kept <= ORDERS_MAX) lines.push(`${JSON.stringify(decidedAsJson(decided))}\n`);
        },
        onProgress: (orders) => change({ orders }),
        pause: async () => {
          await flush(LINES_AT_ONCE);
          await eventLoopTurn();
        },
      });
      await flush(1);
      const { rules: rows, ...result } = whatIfAsJson(totals, end);
      const cut = { ...result, rules: rows.slice(0, ROWS_MAX) };
      change({ state: run.endAs, orders: end.orders, result: cut, areOrdersCut: kept > ORDERS_MAX });
    } catch {
      change({ state: run.endAs === 'done' ? 'failed' : run.endAs });
    }
    change({ endedAt: isoInstant(clock.now()) });
    // Unsaved, it counts as interrupted.
    await this.#save(run.json).catch(() => undefined);
  }

  #rulesOf(text: string, operator: Operator): { readonly ok: WhatIfRules } | { readonly fault: string } {
    try {
      // Without the environment, which may hold secrets.
      return { ok: whatIfRulesFrom(text, SOURCE, {}, this.#accountsOf(operator)) };
    } catch (error) {
      if (!(error instanceof ConfigurationFault)) throw error;
      const faults = error.faults.map(({ path, problem }) => {
        const line = lineOfPath(text, path);
        return `${line === undefined ? '' : `line ${line}, `}${path || 'rules'}: ${problem}`;
      });
      return { fault: faults.join('; ').slice(0, FAULT_CHARACTERS_MAX) };
    }
  }

  /** To a limited operator, other merchants and their gates do not exist. */
  #accountsOf(operator: Operator): Pick<Accounts, 'gates' | 'merchant'> {
    const { accounts } = this.ports;
    if (operator.merchants === undefined) return accounts;
    return {
      gates: gatesSeenBy(operator, accounts) as Accounts['gates'],
      merchant: (login) => (seesMerchant(operator, login) ? accounts.merchant(login) : undefined),
    };
  }

  async #index(): Promise<readonly string[]> {
    const bytes = await this.ports.files.read(INDEX);
    return bytes === undefined ? [] : (JSON.parse(bytes.toString('utf8')) as readonly string[]);
  }

  async #keep(json: WhatIfJson): Promise<void> {
    const { files } = this.ports;
    const ids = [json.whatIfId, ...(await this.#index())];
    await this.#save(json);
    await files.write(INDEX, Buffer.from(JSON.stringify(ids.slice(0, RUNS_MAX))));
    for (const old of ids.slice(RUNS_MAX)) for (const path of [runPath(old), ordersPath(old)]) await files.remove(path);
  }

  #save(json: WhatIfJson): Promise<void> {
    return this.ports.files.write(runPath(json.whatIfId), Buffer.from(JSON.stringify(json)));
  }

  async #kept(whatIfId: string): Promise<WhatIfJson | undefined> {
    const bytes = await this.ports.files.read(runPath(whatIfId));
    if (bytes === undefined) return undefined;
    const json: WhatIfJson = { endpoints: null, ...(JSON.parse(bytes.toString('utf8')) as Omit<WhatIfJson, 'endpoints'>) };
    return json.state === 'running' ? { ...json, state: 'interrupted' } : json;
  }
}

type Section = 'gates' | 'screening' | 'routing';

/** Equal for equal rules, in whatever form they were written. */
export const sectionDigest = (section: unknown): string => {
  const plain = JSON.stringify(section ?? 'none', (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value instanceof Set ? [...(value as Set<unknown>)] : value,
  );
  return hash('sha256', canonicalText(JSON.parse(plain) as Parameters<typeof canonicalText>[0]), 'hex');
};

const endpointAsJson = ({ merchant, endpoint: endpointId, ...sections }: WhatIfRules[number]): WhatIfEndpointJson => {
  const digestOf = (name: Section): string | null => (sections[name] === undefined ? null : sectionDigest(sections[name]));
  return { merchant, endpointId, gates: digestOf('gates'), screening: digestOf('screening'), routing: digestOf('routing') };
};

const endpointsOf = ({ merchants }: Pick<Accounts, 'merchants'>): ReadonlyMap<string, Endpoint> =>
  new Map(merchants.flatMap(({ login, endpoints }) => endpoints.map((endpoint) => [`${login} ${endpoint.id}`, endpoint] as const)));

/** Whether a what-if had the rules that the next configuration has, and every change of rules. New entry points have no past orders. */
export const hasRulesOf = (
  { endpoints }: Pick<WhatIfJson, 'endpoints'>,
  before: Pick<Accounts, 'merchants'>,
  next: Pick<Accounts, 'merchants'>,
): boolean => {
  if (endpoints === null) return false;
  const asked = new Map(endpoints.map((one) => [`${one.merchant} ${one.endpointId}`, one]));
  const [old, later] = [endpointsOf(before), endpointsOf(next)];
  if (![...asked.keys()].every((name) => old.has(name) && later.has(name))) return false;
  return [...old].every(([name, endpoint]) => {
    const changed = later.get(name);
    return (['gates', 'screening', 'routing'] as const).every(
      (section) => (asked.get(name)?.[section] ?? sectionDigest(endpoint[section])) === sectionDigest(changed?.[section]),
    );
  });
};

/** @throws Error if it has no result */
export const basisOf = (json: WhatIfJson): WhatIfBasis => {
  const { whatIfId: id, from, before, endpoints, result } = json;
  if (result === null || endpoints === null) throw new Error(`${id}: no result`);
  const named = endpoints.map(({ merchant, endpointId }) => ({ merchant, endpointId }));
  const forecast: WhatIfForecast = { from, before, endpoints: named, ends: result.ends };
  return { id, digest: hash('sha256', JSON.stringify(json), 'hex'), totals: JSON.stringify(forecast) };
};

const runPath = (whatIfId: string): string => `${whatIfId}.json`;
const ordersPath = (whatIfId: string): string => `${whatIfId}.orders`;
