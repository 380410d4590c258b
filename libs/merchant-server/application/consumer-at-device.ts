import { isRejection } from '@app/kernel';
import { load, runDecision, type Envelope } from '@app/event-store';
import type { Product } from '@app/configuration';
import { accessTokenCodec, accessTokenStream } from '../merchant-server.codec';
import { accessToken, type Consumer } from '../domain/access-token';
import type { KeyedDigest } from '../domain/terms';
import { digestOf } from './random-text';
import type { MerchantServerPorts } from './ports';

export interface ConsumerAtDevice extends Consumer {
  readonly accessToken: KeyedDigest;
  readonly serialNumber: KeyedDigest;
}

/**
 * Finds a token's consumer. The first device that uses a token keeps it for the token's life.
 * Undefined if the token is unknown, expired or bound to another device.
 * @throws StoreUnavailable, OutcomeUnknown
 */
export const consumerAtDevice = async (
  { store, digests, clock }: MerchantServerPorts,
  { login }: Product,
  shown: { readonly accessToken: string; readonly serialNumber: string },
  envelope: Envelope,
): Promise<ConsumerAtDevice | undefined> => {
  const token = digestOf(digests, 'access token', login, shown.accessToken);
  const serialNumber = digestOf(digests, 'serial number', login, shown.serialNumber);
  const stream = accessTokenStream(login, token);
  const from = await load(store, stream, accessToken, accessTokenCodec);
  if (from.state.status === 'none') return undefined;
  const command = { type: 'UseAccessToken' as const, data: { serialNumber, now: clock.now() } };
  const seen = accessToken.decide(command, from.state);
  let refusal = isRejection(seen) ? seen.reason : undefined;
  if (refusal === undefined) {
    const result = await runDecision({ store, codec: accessTokenCodec, decider: accessToken, stream, command, envelope, from });
    refusal = result.kind === 'rejected' ? result.rejection.reason : undefined;
  }
  if (refusal !== undefined && refusal !== 'nothing-new') return undefined;
  const consumer = from.state.consumer ?? { consumer: digestOf(digests, 'consumer', login, 'device', shown.serialNumber) };
  return { ...consumer, accessToken: token, serialNumber };
};
