import { createSecretKey } from 'node:crypto';
import type { KeyRing } from '@app/card-vault';
import { configurationFrom, productsOf, sha256OfToken, type Configuration, type Products } from '@app/configuration';
import { GATE_ADAPTERS, type ConfiguredGate } from '@app/gateway-adapters/registry';
import { Secret, type Currency, type EndpointId, type MerchantLogin } from '@app/kernel';
import { SANDBOX_PUBLIC_KEY_FILE } from '../../support/merchants/oauth-merchant';
import { LONGEST_FLIGHT_MS } from './gate-actor';
import type { KeyedChance } from './keyed-chance';
import { PUBLIC_ORIGIN } from './network';
import { STAFF } from './operator-port';
import type { Routing } from './routings';

const KEY_BYTES = 32;
/** Per card and day; fewer than a shop has orders. */
export const SCREENED_CARD_COUNTS = [6, 7] as const;
export const CONTROL_KEYS = ['B17F59B4-A7DC-41B4-8FF9-37D986B43D20', '7E3A4D1C-0B0E-4E4A-9D59-0F6C2C1B5A77'] as const;

export const APP_MERCHANT = {
  login: 'app',
  controlKey: '5D0C3B1A-27E4-4D36-8C59-7A1F20B9E6C4',
  endpointId: '2001',
  choosingId: '2002',
} as const;
export const SHOP_ENDPOINTS = CONTROL_KEYS.map((_, at) => `10${at}1`);
export const GATES: readonly string[] = ['gate-a', 'gate-b'];
/** In this currency the consumer chooses among the fees of a transfer. */
export const CHOOSING_CURRENCY = 'EUR';
const NOTIFICATION_SECRET = `whsec_${Buffer.from('of the world, and no other').toString('base64')}`;
export const MERCHANT_SERVER_ORIGIN = 'https://app.world.example';

const keyOf = (chance: KeyedChance, name: string) => createSecretKey(Buffer.from(chance.randomOf(`key ${name}`).bytes(KEY_BYTES)));

export const keyRingOf = (chance: KeyedChance): KeyRing => ({
  primaryKekId: 1,
  keks: new Map([[1, keyOf(chance, 'kek')]]),
  indexKeys: [{ id: 1, key: keyOf(chance, 'index') }],
  serviceKey: keyOf(chance, 'service'),
  retired: new Set(),
});

export interface ShopTerms {
  readonly controlKey: string;
  readonly gates: readonly string[];
  readonly callbackUrl: string;
}

export interface Terms {
  readonly shops: readonly ShopTerms[];
  readonly gates: readonly string[];
  /** 0 means no limit. */
  readonly requestsPerSecond: number;
  readonly isSecondShopScreened: boolean;
  readonly screenedCardCount: number;
  readonly gateDescriptor: string;
  readonly routing: ((gates: readonly string[]) => Routing) | undefined;
  /** A numeric id encrypts a counter with AES, which doubles the cost of a run, so few runs use them. */
  readonly orderIds: 'text' | 'numeric';
  readonly callbackSpeed: number;
  readonly hasApprovals: boolean;
}

export const SCREENED_BELOW = '1.00';
/** Returns and resolutions of this amount need a second person, and in other currencies all do. */
export const APPROVED_FROM = '1.00';

const APPROVALS = { refund: { from: `${APPROVED_FROM} USD` }, resolveUnknown: { from: `${APPROVED_FROM} USD` } };

const textOf = ({ hasApprovals, ...terms }: Terms): string => {
  const {
    shops,
    gates: present,
    requestsPerSecond,
    isSecondShopScreened,
    screenedCardCount,
    gateDescriptor,
    routing,
    orderIds,
    callbackSpeed,
  } = terms;
  return JSON.stringify({
    publicBaseUrl: PUBLIC_ORIGIN,
    operators: STAFF.map(({ name, role, token }) => ({ name, role, tokenSha256: sha256OfToken(token) })),
    orderIds,
    callbacks: { speedFactor: callbackSpeed },
    rateLimit: { requestsPerSecond },
    ...(hasApprovals && { approvals: APPROVALS }),
    merchants: [
      ...shops.map(({ controlKey, gates, callbackUrl }, at) => ({
        login: `shop-${at}`,
        controlKey,
        oauthPublicKeyFile: SANDBOX_PUBLIC_KEY_FILE,
        endpoints: [
          {
            id: SHOP_ENDPOINTS[at],
            currency: 'USD',
            gates,
            callbackUrl,
            ...(routing !== undefined && at === 0 && { routing: routing(gates) }),
            ...(isSecondShopScreened && at === 1 && { screening: { minAmount: SCREENED_BELOW, perCard: { count: screenedCardCount } } }),
          },
        ],
      })),
      {
        login: APP_MERCHANT.login,
        controlKey: APP_MERCHANT.controlKey,
        merchantUrl: MERCHANT_SERVER_ORIGIN,
        callback: { secret: NOTIFICATION_SECRET },
        endpoints: [
          { id: APP_MERCHANT.endpointId, currency: 'USD', gates: present },
          { id: APP_MERCHANT.choosingId, currency: CHOOSING_CURRENCY, gates: present, transferRates: 'consumer' },
        ],
      },
    ],
    gates: present.map((alias) => ({
      alias,
      adapter: 'simulator',
      currencies: ['USD', CHOOSING_CURRENCY],
      threeDSecure: true,
      longestFlightSeconds: LONGEST_FLIGHT_MS / 1_000,
      descriptor: gateDescriptor,
    })),
  });
};

/** Parsed configurations by text. They are immutable, so runs with equal terms share them: parsing costs as much as some orders. */
const known = new Map<string, Configuration<ConfiguredGate>>();
const KNOWN_MAX = 256;

export const configurationOf = (terms: Terms): Configuration<ConfiguredGate> => {
  const text = textOf(terms);
  const found = known.get(text) ?? configurationFrom(text, { source: 'the world', folder: '/', environment: {}, adapters: GATE_ADAPTERS });
  if (known.size < KNOWN_MAX) known.set(text, found);
  return found;
};

export const productsOfWorld = (): Products =>
  productsOf([
    {
      login: APP_MERCHANT.login as MerchantLogin,
      controlKey: new Secret(APP_MERCHANT.controlKey),
      callbackSecret: new Secret(NOTIFICATION_SECRET),
      endpoints: [
        { id: APP_MERCHANT.endpointId as EndpointId, currency: 'USD' as Currency, operations: 'all' },
        { id: APP_MERCHANT.choosingId as EndpointId, currency: CHOOSING_CURRENCY as Currency, operations: 'all' },
      ],
      rates: [],
    },
  ]);
