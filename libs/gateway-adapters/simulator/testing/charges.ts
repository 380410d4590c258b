import {
  makeOrderId,
  Secret,
  systemIds,
  systemRandom,
  type AttemptKey,
  type Card,
  type ClientOrderId,
  type Currency,
  type EndpointId,
  type GateAlias,
  type MerchantLogin,
} from '@app/kernel';
import type { ChargeRequest, TransferRequest } from '../../contract';
import type { SimulatorSettings } from '../settings.schema';

export const USD = 'USD' as Currency;
export const CARD: Card = { number: '4444333322221111', expiryMonth: 12, expiryYear: 2099, holder: 'JOHN SMITH' };
export const RETURN_URL = 'https://gateway.example/paynet/payer/p1?a=1&b=2';

/** A new attempt of a new order: 10.00 USD, without CVV. */
export const chargeRequest = (
  more: Partial<ChargeRequest> & { readonly minor?: bigint; readonly cvvDigits?: string } = {},
): ChargeRequest => {
  const { minor = 1_000n, cvvDigits, ...rest } = more;
  return {
    key: systemIds.next() as AttemptKey,
    orderId: makeOrderId('p', (size) => systemRandom.bytes(size)),
    merchant: 'acme' as MerchantLogin,
    endpointId: '1001' as EndpointId,
    clientOrderId: 'order-1' as ClientOrderId,
    amount: { minor, currency: USD },
    card: new Secret(CARD),
    descriptor: 'test-a',
    ...(cvvDigits === undefined ? {} : { cvv: new Secret(cvvDigits) }),
    ...rest,
  };
};

export const DESTINATION = '5555555555554444';

export const transferRequest = (more: Parameters<typeof chargeRequest>[0] = {}): TransferRequest => ({
  ...chargeRequest(more),
  destination: new Secret({ number: DESTINATION }),
});

export const gateSettings = (more: Partial<SimulatorSettings> = {}): SimulatorSettings => ({
  alias: 'sim-a' as GateAlias,
  currencies: [USD],
  cvvRequired: false,
  threeDSecure: false,
  partialReversal: true,
  partialCapture: true,
  longestFlightMs: 5_000,
  commission: { ratePerTenThousand: 150, minCentis: 30 },
  descriptor: 'test-a',
  ...more,
});
