import { GateClients } from '@app/gateway-adapters/client';
import { replyText, ScriptedPeer, type PeerAnswer, type PeerOptions } from '@app/gateway-adapters/client/testing';
import type { Gate } from '@app/gateway-adapters/contract';
import { paynetAdapter, type PaynetPorts } from '@app/gateway-adapters/paynet';
import { configurationFrom } from '@app/configuration';
import { Secret, systemMonotonic, systemScheduler } from '@app/kernel';
import type { UpstreamAccount } from '@app/gateway-adapters/paynet';
import { SkippedTime } from './skipped-time';
import { UpstreamDevices } from './upstream-devices';
import { UpstreamGateway, type Answered } from './upstream-gateway';

const ADAPTERS = [paynetAdapter] as const;
const PREFIX = '/paynet';
export const CONTROL_KEY = '0123456789abcdef0123456789abcdef';
const ACCOUNT: UpstreamAccount = {
  login: 'upstream-acme',
  controlKey: new Secret(CONTROL_KEY),
  entryPoint: { kind: 'endpoint', id: '7001' },
};

const DEVICES = { endpointId: '7002', controlKey: ACCOUNT.controlKey };

const CODES = { '3': 'not-found', '5': 'not-accepted', '7': 'unknown', '10': 'not-accepted' };

export type GateKeys = Readonly<Record<string, unknown>>;

export class ServedUpstream {
  readonly gateway: UpstreamGateway;
  readonly devices: UpstreamDevices;
  readonly honest: PeerAnswer = (socket, request) => {
    const { status, contentType, body } = this.answer(request);
    socket.write(replyText(body, { status, contentType }));
  };
  readonly #clients = new GateClients({ monotonic: systemMonotonic, scheduler: systemScheduler });

  private constructor(
    readonly peer: ScriptedPeer,
    habits: 'ours' | 'independent',
  ) {
    this.gateway = new UpstreamGateway(ACCOUNT, habits);
    this.devices = new UpstreamDevices(this.gateway, DEVICES);
    peer.otherwise(this.honest);
  }

  static async start({
    habits = 'ours',
    ...options
  }: PeerOptions & { readonly habits?: 'ours' | 'independent' } = {}): Promise<ServedUpstream> {
    return new ServedUpstream(await ScriptedPeer.start(options), habits);
  }

  answer({ path, headers, body }: Parameters<PeerAnswer>[1]): Answered {
    if (!path.startsWith(`${PREFIX}/`)) return { status: 404, contentType: 'text/html', body: '<html>no such page</html>' };
    const below = path.slice(PREFIX.length);
    if (below.startsWith('/dapi/')) return this.devices.answer(below, body);
    return this.gateway.answer({ path: below, headers: Object.fromEntries(headers), body });
  }

  losing(fault: PeerAnswer): PeerAnswer {
    return (socket, request) => {
      this.answer(request);
      fault(socket, request);
    };
  }

  /**
   * @param time used for polling; by default, waits are skipped
   */
  gate(keys: GateKeys = {}, time: Omit<PaynetPorts, 'clients'> = skipped()): Gate {
    const { upstream, ...others } = keys;
    const gate = {
      alias: 'upstream-a',
      adapter: 'paynet',
      currencies: ['USD'],
      descriptor: 'test-a',
      controlKey: CONTROL_KEY,
      codes: CODES,
      upstream: {
        baseUrl: `${this.peer.baseUrl}${PREFIX}`,
        plainHttp: true,
        login: ACCOUNT.login,
        endpoint: ACCOUNT.entryPoint.id,
        ...(upstream as object),
      },
      ...others,
    };
    const endpoints = [{ id: '1001', currency: 'USD', gates: [gate.alias] }];
    const merchants = [{ login: 'acme', controlKey: 'ab'.repeat(16), endpoints }];
    const at = { source: 'the test', folder: '/', environment: {}, adapters: ADAPTERS };
    const { accounts } = configurationFrom(JSON.stringify({ merchants, gates: [gate] }), at);
    return paynetAdapter.create(accounts.gates[0], { ...time, clients: this.#clients });
  }

  async close(): Promise<void> {
    await this.#clients.close(0);
    await this.peer.close();
  }
}

const skipped = (): Omit<PaynetPorts, 'clients'> => {
  const time = new SkippedTime();
  return { clock: time, monotonic: time, scheduler: time };
};
