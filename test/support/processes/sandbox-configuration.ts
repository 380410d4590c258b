import { SANDBOX_CONTROL_KEY } from '../merchants/signed-requests';

export const OTHER_CONTROL_KEY = '0F0E0D0C-0B0A-0908-0706-050403020100';
export const CODES_OF_OURS = {
  '3': 'not-found',
  '5': 'not-accepted',
  '6': 'not-accepted',
  '7': 'unknown',
  '10': 'not-accepted',
  '20': 'not-accepted',
  '121': 'not-accepted',
  '122': 'not-accepted',
};
export const THIRD_CONTROL_KEY = '11223344-5566-7788-99AA-BBCCDDEEFF00';
export const FOURTH_CONTROL_KEY = 'A1B2C3D4-E5F6-0718-293A-4B5C6D7E8F90';

type Part = Readonly<Record<string, unknown>>;

export interface Parts {
  readonly ports?: readonly number[];
  readonly acme?: Part;
  readonly endpoints?: readonly Part[];
  readonly merchants?: readonly Part[];
  readonly gates?: readonly Part[];
  readonly whole?: Part;
}

/**
 * Merchant `acme` has endpoints 1001 (USD), 1002 (EUR), 1003 (USD, 3-D Secure) and group 2001; merchant `other` has 9001 (USD) and group
 * 9101. Callback delays are a thousandth.
 */
export const sandboxConfiguration = ({
  ports = [],
  acme = {},
  endpoints = [],
  merchants = [],
  gates = [],
  whole = {},
}: Parts = {}): object => ({
  egress: { allow: ['127.0.0.1'], ports },
  callbacks: { speedFactor: 1_000 },
  merchants: [
    {
      login: 'acme',
      controlKey: SANDBOX_CONTROL_KEY,
      endpoints: [
        { id: '1001', currency: 'USD', gates: ['sim-a'] },
        { id: '1002', currency: 'EUR', gates: ['sim-a'] },
        { id: '1003', currency: 'USD', gates: ['sim-3ds'] },
        ...endpoints,
      ],
      groups: [{ id: '2001', endpoints: ['1001', '1002'] }],
      ...acme,
    },
    {
      login: 'other',
      controlKey: OTHER_CONTROL_KEY,
      endpoints: [{ id: '9001', currency: 'USD', gates: ['sim-a'] }],
      groups: [{ id: '9101', endpoints: ['9001'] }],
    },
    ...merchants,
  ],
  gates: [
    { alias: 'sim-a', adapter: 'simulator', currencies: ['USD', 'EUR'], descriptor: 'test-a' },
    { alias: 'sim-3ds', adapter: 'simulator', currencies: ['USD'], threeDSecure: true, descriptor: 'test-3ds' },
    ...gates,
  ],
  ...whole,
});
