import { createHash } from 'node:crypto';
import { luhnDigit } from './luhn-digit';
import { ACME, TEST_CARD } from '../harness/acme';
import { built } from '../harness/built';
import { postJson } from './http-request';

const { gatewayPath, paymentSignature } = built<typeof import('@app/gateway-protocol')>('libs/gateway-protocol/index.js');
const { Secret } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

const { endpointId, currency } = ACME;
const key = new Secret<string>(ACME.controlKey);
const BIN = TEST_CARD.number.slice(0, 6);
const ACCOUNT_DIGITS = 9;
const AMOUNTS = 99_991;
/** The gateway's default. */
export const GATEWAY_PREFIX = '/paynet/';

/** An invoice that a merchant server opened for a consumer. */
export interface OpenedInvoice {
  readonly serialNumber: string;
  readonly accessToken: string;
  readonly email: string;
  readonly amountCentis: number;
  readonly invoiceId: string;
  readonly nonce: string;
  readonly signature: string;
}

// The minor part stays above 19: below, the simulator declines or is silent where there is no CVV (protocol decisions, section 9).
export const amountCentisOf = (number: number): number => (10 + (number % AMOUNTS)) * 100 + 42;
export const serialNumberOf = (number: number): string => `SN-${number}`;
export const emailOf = (number: number): string => `consumer-${number}@example.com`;

const cardOf = (number: number): object => {
  const digits = BIN + number.toString().padStart(ACCOUNT_DIGITS, '0');
  return {
    number: digits + luhnDigit(digits),
    securityCode: TEST_CARD.cvv2,
    expiry: { month: Number(TEST_CARD.month), year: Number(TEST_CARD.year) },
    holder: { firstName: 'JOHN', lastName: 'SMITH' },
  };
};

/** How the card is given: by its number, a different one each time, or by the reference of one that was mapped before. */
export type PaidBy = 'card' | 'reference';

/** A sale that the simulator approves, as an app sends it (interface, section 4.5). */
export const performSale = (number: number, invoice: OpenedInvoice, paidBy: PaidBy): string => {
  const { serialNumber, accessToken, email, amountCentis, invoiceId, nonce, signature } = invoice;
  return postJson(GATEWAY_PREFIX + gatewayPath.perform('sale', { endpointId, invoiceId }), {
    consumer: { device: { serialNumber, imei: '490154203237518' }, ipAddresses: ['192.0.2.1'], email, birthDay: '01021990' },
    session: { accessToken, nonce, signature },
    location: { lat: 59.437, lng: 24.7536 },
    billing: {
      address: { city: 'Springfield', country: 'USA', postcodeZip: '12345', state: 'CA', street: '1 Main Street' },
      phone: '+15550100',
    },
    order: { description: 'Two tickets', siteUrl: 'https://shop.example', purpose: 'tickets' },
    transaction: { currency, amountCentis },
    sourceOfFunds: paidBy === 'card' ? { card: cardOf(number) } : { reference: { clientCardId: uuidOf(`client card ${number}`) } },
  });
};

const hexOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const uuidOf = (text: string): string => hexOf(text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');

/** As a merchant server would have opened it, which any owner of its key can do. */
export const invoiceOf = (number: number): OpenedInvoice => {
  const invoice = {
    serialNumber: serialNumberOf(number),
    accessToken: hexOf(`access token ${number}`),
    email: emailOf(number),
    amountCentis: amountCentisOf(number),
    invoiceId: uuidOf(`invoice ${number}`),
    nonce: hexOf(`nonce ${number}`),
  };
  return { ...invoice, signature: paymentSignature({ ...invoice, endpointId, currency }, key) };
};
