import type { OrderSealer } from '@app/card-vault';
import type { Deadline, MerchantLogin, Sealed } from '@app/kernel';
import { orderTexts } from '@app/orders';
import { ADDRESS_SEPARATOR, SEALED_FIELDS } from '@app/orders/domain';
import type { OrderStatusView } from '@app/read-models';
import type { DatedEvent } from '../as-of/dated-events';
import { shownText } from '../orders/shown-text';

/** The sealed texts of an order; `device` is absent in orders that no device made. */
interface SealedConsumer {
  readonly merchant: MerchantLogin;
  readonly customer: Sealed;
  readonly details: Sealed;
  readonly device?: Sealed;
}

/** The sealed texts of an order: the state has those of the payer, and the acceptance those of the device. */
export const sealedConsumer = (
  { merchant, customer, details }: Pick<OrderStatusView, 'merchant' | 'customer' | 'details'>,
  history: readonly DatedEvent[],
): SealedConsumer => {
  const accepted = history[0]?.logEvent.event.data as { readonly device?: Sealed } | undefined;
  return { merchant, customer, details, ...(accepted?.device !== undefined && { device: accepted.device }) };
};

/** What card schemes ask of the payer and of the device. A birthday, a number of an authority and the secrets of a request stay sealed. */
const SHOWN = {
  customer: ['holder', 'firstName', 'lastName', 'email', 'phone', 'cellPhone', 'country', 'state', 'city', 'zipCode', 'address1'],
  details: ['description', 'ipAddress', 'siteUrl', 'purpose'],
  device: ['serialNumber', 'imei', 'ipAddresses', 'latitude', 'longitude', 'street2'],
} as const;

type Part = keyof typeof SHOWN;
type Name = (typeof SHOWN)[Part][number];

/** Who paid, from where and with what, by the names of the request. */
export type Consumer = Readonly<Partial<Record<Name, string>>>;

/**
 * Unseals what a pack may show of the consumer; undefined where the order's key was erased.
 * @throws VaultUnavailable
 */
export const consumerOf = async (sealer: OrderSealer, order: SealedConsumer, deadline?: Deadline): Promise<Consumer | undefined> => {
  const shown: [string, string][] = [];
  let texts = 0;
  for (const part of ['customer', 'details', 'device'] as const) {
    const sealed = order[part];
    if (sealed === undefined) continue;
    const unsealed = await orderTexts(sealer, { merchant: order.merchant, field: SEALED_FIELDS[part], sealed, deadline });
    texts += unsealed.size;
    for (const name of SHOWN[part]) {
      const text = unsealed.get(name);
      if (text !== undefined) shown.push([name, shownText(name, text)]);
    }
  }
  return texts === 0 ? undefined : Object.fromEntries(shown);
};

const isSame = (...texts: readonly (string | undefined)[]): boolean => texts[0] !== undefined && texts[0] !== '' && texts[0] === texts[1];
const folded = (text: string | undefined): string | undefined => text?.trim().toLowerCase();
const addressesOf = ({ ipAddress, ipAddresses }: Consumer): readonly string[] => [
  ...(ipAddress === undefined || ipAddress === '' ? [] : [ipAddress]),
  ...(ipAddresses?.split(ADDRESS_SEPARATOR) ?? []),
];

/** What two orders have in common, by which a scheme takes the same person to have made both. */
export interface ConsumerMatch {
  readonly ipAddress: boolean;
  readonly device: boolean;
  readonly email: boolean;
  /** Postal address: city, zip code and first line. */
  readonly address: boolean;
}

export const matchOf = (a: Consumer, b: Consumer): ConsumerMatch => ({
  ipAddress: addressesOf(a).some((address) => addressesOf(b).includes(address)),
  device: isSame(a.serialNumber, b.serialNumber) || isSame(a.imei, b.imei),
  email: isSame(folded(a.email), folded(b.email)),
  address:
    isSame(folded(a.address1), folded(b.address1)) && isSame(folded(a.zipCode), folded(b.zipCode)) && folded(a.city) === folded(b.city),
});
