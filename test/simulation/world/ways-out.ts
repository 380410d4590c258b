import type { Egress } from '@app/http/client';
import type { Gates } from '@app/gateway-adapters/contract';
import type { GateActor } from './gate-actor';
import type { Life } from './life';
import type { MerchantActor } from './merchant-actor';
import { MerchantServerLine, type LineSettings } from './merchant-server-line';

export interface Parties {
  readonly gates: readonly GateActor[];
  readonly merchants: readonly MerchantActor[];
}

export class WaysOut {
  readonly line: MerchantServerLine;

  constructor(
    private readonly parties: Parties,
    line: LineSettings,
  ) {
    this.line = new MerchantServerLine(line);
  }

  egress(life: Life): Egress {
    const merchantOf = (url: string): MerchantActor | undefined =>
      this.parties.merchants.find(({ login }) => new URL(url).host === `${login}.example`);
    return {
      send: (request) => life.call('egress', () => merchantOf(request.url)?.callbackServer.egress.send(request) ?? this.line.send(request)),
      close: () => Promise.resolve(),
    };
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
  const { profile, ...capabilities } = actor.asGate(life);
  const asked = Object.entries(capabilities).map(([name, capability]) => [
    name,
    life.guard(`gate.${name}`, capability as unknown as Record<string, unknown>, ['voidableUntil']),
  ]);
  return { profile, ...Object.fromEntries(asked) } as ReturnType<GateActor['asGate']>;
};
