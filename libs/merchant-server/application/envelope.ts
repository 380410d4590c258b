import type { MerchantLogin } from '@app/kernel';
import type { Envelope } from '@app/event-store';
import type { MerchantServerPorts } from './ports';

/** Who asks the desk; the actor of the events that come of it. */
export type DeskActor = 'device' | 'gateway';

/** Of one request: all that it appends has the same correlation. */
export const envelopeOf = (
  { ids, clock }: Pick<MerchantServerPorts, 'ids' | 'clock'>,
  actor: DeskActor,
  merchant: MerchantLogin,
): Envelope => {
  const request = ids.next();
  return { correlation: request, causation: request, actor, merchant, commandId: request, recordedAt: clock.now() };
};
