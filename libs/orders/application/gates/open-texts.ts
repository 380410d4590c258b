import { present, Secret } from '@app/kernel';
import type { OrderTexts, Payer, PayerDevice, Purchase } from '@app/gateway-adapters/contract';
import type { OrderSealer } from '@app/card-vault';
import { ADDRESS_SEPARATOR, SEALED_FIELDS, type OrderUnderWay } from '../../domain';
import { orderTexts } from '../order-texts';

const OF_CUSTOMER = [
  'holder',
  'firstName',
  'lastName',
  'email',
  'phone',
  'cellPhone',
  'country',
  'state',
  'city',
  'zipCode',
  'address1',
  'ssn',
  'birthday',
] as const satisfies readonly (keyof Payer)[];
const OF_DETAILS = ['ipAddress'] as const satisfies readonly (keyof Payer)[];
const OF_PURCHASE = ['description', 'purpose', 'comment', 'siteUrl'] as const satisfies readonly (keyof Purchase)[];

const picked = <Name extends string>(texts: ReadonlyMap<string, string>, names: readonly Name[]): Partial<Record<Name, string>> =>
  Object.fromEntries(names.filter((name) => texts.has(name)).map((name) => [name, texts.get(name)])) as Partial<Record<Name, string>>;

const deviceIn = (texts: ReadonlyMap<string, string>): PayerDevice | undefined => {
  const serialNumber = texts.get('serialNumber');
  if (serialNumber === undefined) return undefined;
  return {
    serialNumber,
    ...present({
      imei: texts.get('imei'),
      ipAddresses: texts.get('ipAddresses')?.split(ADDRESS_SEPARATOR),
      latitude: texts.get('latitude'),
      longitude: texts.get('longitude'),
      street2: texts.get('street2'),
    }),
  };
};

/**
 * Opens an order's personal data for one call to a gate that asks for them.
 * @throws VaultUnavailable
 */
export const openTexts = async (
  sealer: Pick<OrderSealer, 'unseal'>,
  { merchant, customer, details, device: sealed }: Pick<OrderUnderWay, 'merchant' | 'customer' | 'details' | 'device'>,
): Promise<OrderTexts> => {
  const [ofCustomer, ofDetails, ofDevice] = await Promise.all([
    orderTexts(sealer, { merchant, field: SEALED_FIELDS.customer, sealed: customer }),
    orderTexts(sealer, { merchant, field: SEALED_FIELDS.details, sealed: details }),
    sealed && orderTexts(sealer, { merchant, field: SEALED_FIELDS.device, sealed }),
  ]);
  const device = ofDevice && deviceIn(ofDevice);
  return {
    payer: new Secret<Payer>({ ...picked(ofCustomer, OF_CUSTOMER), ...picked(ofDetails, OF_DETAILS) }),
    purchase: new Secret<Purchase>(picked(ofDetails, OF_PURCHASE)),
    ...(device && { device: new Secret(device) }),
  };
};
