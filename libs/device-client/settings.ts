import { isWebAddress } from '@app/gateway-protocol';
import { parseUrl, systemClock, systemRandom, systemScheduler, type Clock, type Random, type Scheduler } from '@app/kernel';
import type { Device } from './device-order';
import { HttpTransport, type Transport } from './transport';

/** How often and how long an app polls its transaction. */
export interface Cadence {
  readonly gapMsMin: number;
  /** Maximum delay. Each delay is random between the two, so that apps started together do not poll together. */
  readonly gapMsMax: number;
  /** Time limit of one state. */
  readonly limitMs: number;
  /** Time limit of REDIRECT_REQUEST, which waits for a person. */
  readonly payerLimitMs: number;
}

/** Every 3 to 5 s for 3 minutes (protocol decisions, section 8); for the payer, a gateway's default limit. */
export const DOCUMENTED_CADENCE: Cadence = { gapMsMin: 3_000, gapMsMax: 5_000, limitMs: 180_000, payerLimitMs: 900_000 };

const ANSWER_TIMEOUT_MS = 15_000;
const PATH_PREFIX = '/paynet';

export interface DeviceClientSettings {
  /** Base address of the gateway (interface, section 4.2), such as `https://gateway.example`. */
  readonly gatewayUrl: string;
  /** The gateway's path before `/dapi/v1/`. Default `/paynet`. */
  readonly pathPrefix?: string | undefined;
  /** Address of the merchant server (interface, section 4.3); if it serves several products, with the login in its path. */
  readonly merchantUrl: string;
  readonly device: Device;
  /** Limit of one exchange. Default 15 s. */
  readonly answerTimeoutMs?: number | undefined;
  /** Default: the cadence of the protocol decisions, section 8. */
  readonly cadence?: Cadence | undefined;
  /** For a platform with a different HTTP client, which must apply `answerTimeoutMs` itself. Default: sockets of this process. */
  readonly transport?: Transport | undefined;
  readonly clock?: Clock | undefined;
  readonly scheduler?: Scheduler | undefined;
  readonly random?: Random | undefined;
}

export interface CompleteSettings {
  readonly gateway: string;
  readonly merchant: string;
  readonly device: Device;
  readonly transport: Transport;
  readonly cadence: Cadence;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
}

const baseOf = (name: string, address: string): string => {
  const url = isWebAddress(address) ? parseUrl(address) : undefined;
  if (url === undefined || url.search !== '' || url.hash !== '')
    throw new RangeError(`${name} must be an http or https address without query or fragment`);
  return url.href.replace(/\/+$/, '');
};

/** @throws RangeError for an invalid address or cadence */
export const completeSettings = (settings: DeviceClientSettings): CompleteSettings => {
  const { gatewayUrl, pathPrefix = PATH_PREFIX, merchantUrl, device, answerTimeoutMs = ANSWER_TIMEOUT_MS } = settings;
  const { cadence = DOCUMENTED_CADENCE, clock = systemClock, scheduler = systemScheduler, random = systemRandom } = settings;
  if (!(cadence.gapMsMin > 0 && cadence.gapMsMax >= cadence.gapMsMin)) throw new RangeError('cadence must have gaps above 0 ms');
  const gateway = baseOf('gatewayUrl', `${baseOf('gatewayUrl', gatewayUrl)}/${pathPrefix.replace(/^\/+/, '')}`);
  const merchant = baseOf('merchantUrl', merchantUrl);
  const transport = settings.transport ?? new HttpTransport(scheduler, answerTimeoutMs);
  return { gateway, merchant, device, transport, cadence, clock, scheduler, random };
};
