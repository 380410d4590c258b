import type { World } from '../world';
import type { Report } from './report';

/** Nobody gains by what is another's: neither a card reference that leaked nor a signed request that was overheard. */
export const checkStrangers = ({ thief, eavesdropper }: World, report: Report): void => {
  for (const answer of thief.answers)
    if (answer['type'] === 'async-response') report('a card is charged by its own merchant', answer['merchant-order-id'] ?? '', answer);
  for (const [nonce, times] of eavesdropper.served) if (times > 1) report('a signed request is served once', nonce, `${times} times`);
};
