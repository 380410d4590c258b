import type { ControlKey } from '@app/gateway-protocol';
import { ACME, TEST_CARD } from './acme';
import { built } from './built';

const { encodeForm, initialPaymentControl, parseFormAnswer } =
  built<typeof import('@app/gateway-protocol')>('libs/gateway-protocol/index.js');

const AMOUNT = '10.42';
const AMOUNT_MINOR = 1_042n;
const EMAIL = 'payer@example.com';

/** A sale that the simulator approves, with its checksum. */
export const saleFields = (
  clientOrderId: string,
  { endpointId, key }: { readonly endpointId: string; readonly key: ControlKey },
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => ({
  client_orderid: clientOrderId,
  order_desc: 'registration',
  amount: AMOUNT,
  currency: ACME.currency,
  card_printed_name: TEST_CARD.holder,
  credit_card_number: TEST_CARD.number,
  expire_month: TEST_CARD.month,
  expire_year: TEST_CARD.year,
  cvv2: TEST_CARD.cvv2,
  address1: '1 Main Street',
  city: 'Springfield',
  zip_code: '12345',
  country: 'US',
  state: 'CA',
  phone: '+15550100',
  email: EMAIL,
  ipaddress: '192.0.2.1',
  control: initialPaymentControl({ entryPoint: endpointId, clientOrderId, amountMinor: AMOUNT_MINOR, email: EMAIL }, key),
  ...more,
});

export const postForm = async (
  port: number,
  operation: string,
  endpointId: string,
  fields: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> => {
  const response = await fetch(`http://127.0.0.1:${port}/paynet/api/v2/${operation}/${endpointId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: encodeForm(Object.entries(fields)),
  });
  return parseFormAnswer(await response.text());
};

/** @throws Error with the reason that the service gave */
export const memberOf = (answer: ReadonlyMap<string, string>, name: string): string => {
  const value = answer.get(name);
  if (value === undefined) throw new Error(`the service answered without ${name}: ${answer.get('error-message') ?? 'no reason given'}`);
  return value;
};
