import type { MerchantLogin } from '@app/kernel';
import type { Envelope } from '@app/event-store';
import type { MerchantServerPorts } from './ports';

export type MerchantServerActor = 'device' | 'gateway';

/** All events of one request have the same correlation. */
export const envelopeOf = (
  { ids, clock }: Pick<MerchantServerPorts, 'ids' | 'clock'>,
  actor: MerchantServerActor,
  merchant: MerchantLogin,
): Envelope => {
  const request = ids.next();
  return { correlation: request, causation: request, actor, merchant, commandId: request, recordedAt: clock.now() };
};
