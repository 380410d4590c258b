import { EGRESS_DEADLINE_MS, type Egress, type EgressOutcome, type EgressRequest } from '@app/egress';
import type { Gates } from '@app/gateway-adapters/contract';
import type { VirtualClock } from '@app/testing';
import type { GateActor } from './gate-actor';
import type { Life } from './life';
import type { MerchantActor } from './merchant-actor';
import { ConnectionLost, type Network } from './network';

/** Whom the service calls. */
export interface Parties {
  readonly time: VirtualClock;
  readonly gates: readonly GateActor[];
  readonly merchants: readonly MerchantActor[];
  readonly network: Network;
}

/** The ways out of a process, which end with it. */
export class WaysOut {
  constructor(private readonly parties: Parties) {}

  /** To the shops' servers for callbacks, and to the merchant server. */
  egress(life: Life): Egress {
    const merchantOf = (url: string): MerchantActor | undefined =>
      this.parties.merchants.find(({ login }) => new URL(url).host === `${login}.example`);
    return {
      send: (request) =>
        life.call('egress', () => merchantOf(request.url)?.callbackServer.egress.send(request) ?? this.#sentToMerchantServer(request)),
      close: () => Promise.resolve(),
    };
  }

  async #sentToMerchantServer({
    url,
    query,
    method,
    headers,
    body,
    deadlineMs = EGRESS_DEADLINE_MS,
  }: EgressRequest): Promise<EgressOutcome> {
    const late = new Promise<EgressOutcome>((resolve) => void this.parties.time.after(deadlineMs, () => resolve({ kind: 'timed-out' })));
    const asked = this.parties.network
      .send(query === undefined ? url : `${url}?${query}`, { method, headers, body: body ?? '' })
      .then(({ status, body: answer }): EgressOutcome => ({ kind: 'answered', status, body: answer }))
      .catch((error: unknown): EgressOutcome => {
        if (!(error instanceof ConnectionLost)) throw error;
        return { kind: 'connection-failed', code: 'ECONNRESET' };
      });
    return Promise.race([asked, late]);
  }

  gatesOf(life: Life): Gates {
    const gates = new Map(this.parties.gates.map((actor) => [actor.profile.alias, guarded(actor, life)]));
    return {
      find: (alias) => gates.get(alias),
      gate: (alias) => {
        const gate = gates.get(alias);
        if (gate === undefined) throw new Error(`no gate is configured as ${alias}`);
        return gate;
      },
    };
  }
}

const guarded = (actor: GateActor, life: Life) => {
  const { profile, ...capabilities } = actor.asGate();
  const asked = Object.entries(capabilities).map(([name, capability]) => [
    name,
    life.guard(`gate.${name}`, capability as unknown as Record<string, unknown>, ['voidableUntil']),
  ]);
  return { profile, ...Object.fromEntries(asked) } as ReturnType<GateActor['asGate']>;
};
