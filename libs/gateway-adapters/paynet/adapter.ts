import { createPrivateKey, randomBytes } from 'node:crypto';
import { present, type Clock, type Monotonic, type Scheduler, type Secret } from '@app/kernel';
import type { CallLimit, GateAdapter, GateCapability } from '../contract';
import type { GateClient, GateClients } from '../client';
import type { UpstreamRequest, UpstreamAccount } from './wire/operations';
import type { UpstreamReply, CardSettings, Upstream } from './upstream';
import { PaynetGate } from './paynet-gate';
import { paynetSecrets, paynetSettings } from './settings.schema';
import { settlementFormat } from './translation/settlement-format';
import { readAnswer } from './wire/answer-fields';

/** The upstream gateway's device interface over HTTP. Failures carry a body under any HTTP code (protocol decisions, section 8). */
class DeviceUpstream {
  constructor(private readonly client: Pick<GateClient, 'send'>) {}

  async send(request: UpstreamRequest, limit: CallLimit): Promise<UpstreamReply> {
    const reply = await this.client.send(request, limit);
    if (reply.kind === 'not-sent') return { kind: 'not-sent' };
    if (reply.kind === 'lost') return reply;
    return { kind: 'answered', body: reply.body };
  }
}

/** Status of every answer to an operation, also of a refusal (interface, section 2; protocol decisions, section 3). */
const ANSWERED = 200;

/** Some gateways of the family refuse a request with a different status. A proxy's error page does not count as an answer. */
const isRefusal = ({ status, body }: { readonly status: number; readonly body: string }): boolean => {
  const type = status >= 400 && status < 500 ? readAnswer(body)?.get('type') : undefined;
  return type === 'validation-error' || type === 'error';
};

class HttpUpstream implements Upstream {
  constructor(private readonly client: Pick<GateClient, 'send'>) {}

  async send(request: UpstreamRequest, limit: CallLimit): Promise<UpstreamReply> {
    const reply = await this.client.send(request, limit);
    if (reply.kind === 'not-sent') return { kind: 'not-sent' };
    if (reply.kind === 'lost') return reply;
    // Any other status does not show whether the gateway read the request: it may come from a proxy or a redirect.
    return reply.status === ANSWERED || isRefusal(reply) ? { kind: 'answered', body: reply.body } : { kind: 'lost', cause: 'malformed' };
  }
}

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
  'transferring',
  'capturing',
  'returning',
  'voiding',
  'inquiring',
  'repeating',
  'listening',
  'payerAuthentication',
  'rebilling',
  'registering',
  'choosing',
] as const satisfies readonly GateCapability[];

const NONCE_BYTES = 16;

interface UpstreamSettings {
  readonly endpoint?: string | undefined;
  readonly group?: string | undefined;
}

const entryPointOf = ({ endpoint, group = '' }: UpstreamSettings): UpstreamAccount['entryPoint'] =>
  endpoint === undefined ? { kind: 'group', id: group } : { kind: 'endpoint', id: endpoint };

interface RegistrationSettings {
  readonly alias: string;
  readonly cardRegistration: 'none' | 'v2' | 'v4';
  readonly rebillControl: CardSettings['rebillControl'];
  readonly upstream: { readonly baseUrl: string };
  readonly secrets: { readonly oauthPrivateKey?: Secret<string> };
}

const cardsOf = ({ alias, cardRegistration, rebillControl, upstream, secrets }: RegistrationSettings): CardSettings | undefined => {
  if (cardRegistration === 'none') return undefined;
  if (cardRegistration === 'v2') return { rebillControl };
  const { oauthPrivateKey } = secrets;
  if (oauthPrivateKey === undefined) throw new Error(`gate ${alias}: cardRegistration v4 needs an oauthPrivateKeyFile`);
  const privateKey = createPrivateKey(oauthPrivateKey.reveal());
  const nonce = (): string => randomBytes(NONCE_BYTES).toString('hex');
  return { rebillControl, v4: { privateKey, baseUrl: upstream.baseUrl, nonce } };
};

export const paynetAdapter: GateAdapter<'paynet', typeof paynetSettings, typeof paynetSecrets, PaynetPorts, (typeof CAPABILITIES)[number]> =
  {
    name: 'paynet',
    settings: paynetSettings,
    secrets: paynetSecrets,
    capabilities: CAPABILITIES,
    settlement: settlementFormat,
    create: (settings, { clock, monotonic, scheduler, clients }) => {
      const { alias, currencies, cvvRequired, threeDSecure, partialReversal, partialCapture, longestFlightMs, descriptor } = settings;
      const { upstream, codes, pollSeconds, callbacks, idempotencyKeys, connectionsMax, waitingMax, connectSeconds, secrets } = settings;
      const client = clients.open({
        gate: alias,
        baseUrl: upstream.baseUrl,
        connectionsMax,
        waitingMax,
        connectMs: connectSeconds * MS_PER_SECOND,
      });
      const cards = cardsOf(settings);
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
        codes,
        ...(callbacks && { callbackProof: { controlKey: secrets.controlKey, ...present({ secret: secrets.callbackSecret }) } }),
        ...(cards && { cards }),
        ...(upstream.device && {
          devices: {
            account: { endpointId: upstream.device.endpoint, controlKey: secrets.controlKey },
            upstream: new DeviceUpstream(client),
            isInGroupA: upstream.device.inGroupA,
          },
        }),
      });
    },
  };
