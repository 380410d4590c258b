import type { GateAdapter, GateCapability } from '@app/gateway-adapters/contract';
import type { GateClients } from '@app/gateway-adapters/client';
import { present, type Clock, type Monotonic, type Scheduler } from '@app/kernel';
import { HttpUpstream } from './http-upstream';
import { PaynetGate } from './paynet-gate';
import { paynetSecrets, paynetSettings } from './settings.schema';
import type { UpstreamAccount } from './wire/upstream-account';

/** The ports that the application gives to every gate of an upstream gateway. */
export interface PaynetPorts {
  readonly clock: Clock;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  readonly clients: Pick<GateClients, 'open'>;
}

const MS_PER_SECOND = 1_000;

const CAPABILITIES = [
  'charging',
  'authorising',
  'verifying',
  'capturing',
  'returning',
  'voiding',
  'inquiring',
  'repeating',
  'listening',
  'payerAuthentication',
] as const satisfies readonly GateCapability[];

interface UpstreamSettings {
  readonly endpoint?: string | undefined;
  readonly group?: string | undefined;
}

const entryPointOf = ({ endpoint, group = '' }: UpstreamSettings): UpstreamAccount['entryPoint'] =>
  endpoint === undefined ? { kind: 'group', id: group } : { kind: 'endpoint', id: endpoint };

/** Gates behind which another gateway stands that speaks the interface. */
export const paynetAdapter: GateAdapter<'paynet', typeof paynetSettings, typeof paynetSecrets, PaynetPorts, (typeof CAPABILITIES)[number]> =
  {
    name: 'paynet',
    settings: paynetSettings,
    secrets: paynetSecrets,
    capabilities: CAPABILITIES,
    create: (settings, { clock, monotonic, scheduler, clients }) => {
      const { alias, currencies, cvvRequired, threeDSecure, partialReversal, partialCapture, longestFlightMs, descriptor } = settings;
      const { upstream, pollSeconds, callbacks, idempotencyKeys, connectionsMax, waitingMax, connectSeconds, secrets } = settings;
      const client = clients.open({
        gate: alias,
        baseUrl: upstream.baseUrl,
        connectionsMax,
        waitingMax,
        connectMs: connectSeconds * MS_PER_SECOND,
      });
      return new PaynetGate({
        profile: {
          alias,
          currencies: [...currencies],
          cvvRequired,
          threeDSecure,
          partialReversal,
          partialCapture,
          longestFlightMs,
          descriptor,
          needsTexts: true,
        },
        account: { login: upstream.login, controlKey: secrets.controlKey, entryPoint: entryPointOf(upstream) },
        upstream: new HttpUpstream(client),
        clock,
        monotonic,
        scheduler,
        pollMs: pollSeconds * MS_PER_SECOND,
        isKeyed: idempotencyKeys,
        ...(callbacks && { callbackProof: { controlKey: secrets.controlKey, ...present({ secret: secrets.callbackSecret }) } }),
      });
    },
  };
