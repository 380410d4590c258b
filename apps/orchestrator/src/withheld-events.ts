import type { NewEvent, StreamName } from '@app/event-store';
import type { MerchantLogin } from '@app/kernel';
import { merchantOf, ownerOf } from '@app/order-queries';

/**
 * Tells why an event may not be written: it is a suspended merchant's, whose streams another cell writes or is about to. What is of the installation
 * itself is written whatever merchant it tells of. Undefined where no merchant is suspended, so that nothing is looked at.
 */
export const withheldEvents = (
  suspended: ReadonlySet<MerchantLogin>,
): ((stream: StreamName, event: NewEvent) => string | undefined) | undefined =>
  suspended.size === 0
    ? undefined
    : (stream, event) => {
        const merchant = ownerOf(stream) === 'merchant' ? merchantOf(event) : undefined;
        return merchant !== undefined && suspended.has(merchant as MerchantLogin) ? `${merchant} is suspended in this cell` : undefined;
      };
