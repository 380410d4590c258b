import type { KeyObject } from 'node:crypto';
import type { RebillControl } from '@app/gateway-protocol';
import type { Clock } from '@app/kernel';
import type { PollingPorts } from '../client';
import type { CallLimit, GateProfile, SentRequest, Unknown } from '../contract';
import type { DeviceAccount } from './device/device-account';
import type { RefusalCodes } from './translation/status';
import type { CallbackProof } from './upstream-callbacks';
import type { UpstreamAccount, UpstreamRequest } from './wire/operations';

/** `not-sent` is certain: nothing left. After `lost` the request may have arrived. */
export type UpstreamReply =
  | { readonly kind: 'answered'; readonly body: string }
  | { readonly kind: 'not-sent' }
  | { readonly kind: 'lost'; readonly cause: 'timeout' | 'connection-lost' | 'malformed' | 'too-large' };

export interface Upstream {
  send(request: UpstreamRequest, limit: CallLimit): Promise<UpstreamReply>;
}

export interface CardSettings {
  readonly v4?: { readonly privateKey: KeyObject; readonly baseUrl: string; nonce(): string };
  readonly rebillControl: Exclude<RebillControl, 'either'>;
}

export interface PaynetParts extends PollingPorts {
  readonly profile: GateProfile;
  readonly account: UpstreamAccount;
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly pollMs: number;
  readonly isKeyed: boolean;
  readonly codes: RefusalCodes;
  readonly callbackProof?: CallbackProof;
  readonly cards?: CardSettings;
  readonly devices?: { readonly account: DeviceAccount; readonly upstream: Upstream; readonly isInGroupA: boolean };
}

export type InquiredOrder = Pick<SentRequest, 'key' | 'amount' | 'gateOrderId'>;

/** The request may have arrived. */
export const lostReply = ({ cause }: Extract<UpstreamReply, { kind: 'lost' }>): Unknown => ({
  kind: 'unknown',
  cause: cause === 'malformed' || cause === 'too-large' ? 'unrecognised-answer' : cause,
});

/** Removes the callback address unless callbacks are requested. A gate may listen only for the checks of device orders. */
export const addressed = <Request extends { readonly notificationUrl?: string }>(
  { callbackProof }: Pick<PaynetParts, 'callbackProof'>,
  request: Request,
): Request => {
  if (callbackProof !== undefined || request.notificationUrl === undefined) return request;
  const { notificationUrl: _notificationUrl, ...rest } = request;
  return rest as Request;
};
