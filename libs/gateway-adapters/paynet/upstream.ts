import type { KeyObject } from 'node:crypto';
import type { RebillControl } from '@app/gateway-protocol';
import type { Clock } from '@app/kernel';
import type { PollingPorts } from '../client';
import type { CallLimit, GateProfile, SentRequest, Unknown } from '../contract';
import type { DeviceAccount } from './device/device-account';
import type { RefusalCodes } from './translation/status';
import type { CallbackProof } from './upstream-callbacks';
import type { UpstreamAccount, UpstreamRequest } from './wire/operations';

/** What became of one request: `not-sent` is certain, `lost` is not. */
export type UpstreamReply =
  | { readonly kind: 'answered'; readonly body: string }
  | { readonly kind: 'not-sent' }
  | { readonly kind: 'lost'; readonly cause: 'timeout' | 'connection-lost' | 'malformed' | 'too-large' };

/** The way to the upstream gateway; it sends a request once at most. */
export interface Upstream {
  send(request: UpstreamRequest, limit: CallLimit): Promise<UpstreamReply>;
}

/** How cards are registered at the upstream gateway, and how charges of them are signed. */
export interface CardSettings {
  /** Present where create-card-ref is version 4. */
  readonly v4?: { readonly privateKey: KeyObject; readonly baseUrl: string; nonce(): string };
  readonly rebillControl: Exclude<RebillControl, 'either'>;
}

/** What a gate of an upstream gateway is made of. */
export interface PaynetParts extends PollingPorts {
  readonly profile: GateProfile;
  readonly account: UpstreamAccount;
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly pollMs: number;
  readonly isKeyed: boolean;
  readonly codes: RefusalCodes;
  /** Present where the upstream gateway is asked to call back. */
  readonly callbackProof?: CallbackProof;
  /** Absent where cards are not registered there. */
  readonly cards?: CardSettings;
  /** Absent where the upstream gateway takes no orders of the device interface from us. */
  readonly devices?: { readonly account: DeviceAccount; readonly upstream: Upstream; readonly isInGroupA: boolean };
}

/** An order whose status is asked. */
export type AskedOrder = Pick<SentRequest, 'key' | 'amount' | 'gateOrderId'>;

/** What a lost reply says of the request: it may have arrived. */
export const lostReply = ({ cause }: Extract<UpstreamReply, { kind: 'lost' }>): Unknown => ({
  kind: 'unknown',
  cause: cause === 'malformed' || cause === 'too-large' ? 'unrecognised-answer' : cause,
});

/**
 * A payment as it is asked for by Group A: with the address at which to be called back only where the upstream gateway is asked to call back, since the
 * checks of orders of devices are heard at a gate that takes no callbacks, too.
 */
export const addressed = <Request extends { readonly notificationUrl?: string }>(
  { callbackProof }: Pick<PaynetParts, 'callbackProof'>,
  request: Request,
): Request => {
  if (callbackProof !== undefined || request.notificationUrl === undefined) return request;
  const { notificationUrl: _notificationUrl, ...rest } = request;
  return rest as Request;
};
