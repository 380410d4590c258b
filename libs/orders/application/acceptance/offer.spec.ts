import type { BootId, GateAlias } from '@app/kernel';
import { configurationFrom, type Accounts } from '@app/configuration';
import type { Gate } from '@app/gateway-adapters/contract';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { sampleGates } from '@app/testing';
import type { Offer } from '../../domain';
import { offerFor, type OfferRequest } from './offer';

const accountsOf = (): Accounts =>
  configurationFrom(
    JSON.stringify({
      publicBaseUrl: 'http://127.0.0.1:8080',
      merchants: [
        {
          login: 'acme',
          controlKey: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
          endpoints: [
            { id: '1001', currency: 'USD', gates: ['sim-a'], maxAmount: '50.00', descriptor: 'ACME*SHOP' },
            { id: '1002', currency: 'EUR', gates: ['sim-a'], operations: ['status'], callbackUrl: 'http://shop.example:9000/callback' },
            { id: '1003', currency: 'GBP', gates: ['sim-cvv'] },
            { id: '1004', currency: 'USD', gates: ['sim-a', 'sim-cvv', 'sim-b'], screening: { blockedBins: ['444433'] } },
            { id: '1005', currency: 'USD', gates: ['sim-a'], screening: {} },
            { id: '1006', currency: 'USD', gates: ['sim-a', 'sim-b'], routing: [{ name: 'second', then: { cascade: ['sim-b'] } }] },
          ],
          groups: [{ id: '2001', endpoints: ['1001', '1002', '1003'] }],
        },
      ],
      gates: [
        { alias: 'sim-a', adapter: 'simulator', currencies: ['USD', 'EUR'], descriptor: 'test-a', longestFlightSeconds: 7 },
        { alias: 'sim-cvv', adapter: 'simulator', currencies: ['GBP', 'USD'], cvvRequired: true },
        { alias: 'sim-b', adapter: 'simulator', currencies: ['USD'] },
      ],
    }),
    { source: 'test', folder: '/', environment: {}, adapters: GATE_ADAPTERS },
  ).accounts;

const accounts = accountsOf();
const offer = (kind: 'endpoint' | 'group', id: string, overrides: Partial<OfferRequest> = {}) => {
  const entryPoint = accounts.entryPoint(kind, id);
  if (entryPoint === undefined) throw new Error(`no ${kind} ${id}`);
  return offerFor(accounts, {
    entryPoint,
    gates: sampleGates(),
    operation: 'sale',
    operationName: 'sale',
    currency: 'USD',
    hasCvv: true,
    bootId: 'boot' as BootId,
    payerMs: 900_000,
    callbackUrl: undefined,
    notifyUrl: undefined,
    ...overrides,
  });
};

const served = (offered: Offer): Extract<Offer, { kind: 'served' }> => {
  if (offered.kind === 'refused') throw new Error(offered.reason);
  return offered;
};
const aliasesOf = (offered: Offer) => served(offered).plan.gates.map(({ alias }) => alias);

describe('the offer of an entry point', () => {
  it('uses a gate without card payments only for recurrent payments', () => {
    const rebilling = { means: ['token'], rebill: () => Promise.reject(new Error('asked')) } as const;
    const { gate: plain } = sampleGates(() => []);
    const gate = (alias: GateAlias): Gate => ({ ...plain(alias), rebilling });
    const gates = { gate, find: gate };
    expect(offer('endpoint', '1001', { gates })).toEqual({ kind: 'refused', reason: 'operation-not-offered' });
    for (const operationName of ['make-rebill-sale', 'make-rebill-preauth'] as const) {
      const operation = operationName === 'make-rebill-sale' ? 'sale' : 'preauth';
      expect(aliasesOf(offer('endpoint', '1001', { gates, operation, operationName }))).toEqual(['sim-a']);
    }
  });

  it('contains gate, descriptor, amount limit, callbacks and CVV holder', () => {
    expect(offer('endpoint', '1001', { callbackUrl: 'https://shop.example/', notifyUrl: 'https://shop.example/n' })).toEqual({
      kind: 'served',
      endpointId: '1001',
      amountMaxMinor: 5_000n,
      plan: {
        operation: 'sale',
        gates: [
          {
            alias: 'sim-a',
            descriptor: 'ACME*SHOP',
            gateDescriptor: 'test-a',
            partialReversal: true,
            partialCapture: true,
            longestFlightMs: 7_000,
          },
        ],
        payerMs: 900_000,
        callbacks: ['callback', 'notify'],
        cvvHolder: 'boot',
      },
    });
  });

  it('contains no CVV holder without a CVV and no callback without a callback URL', () => {
    const { plan } = served(offer('endpoint', '1001', { hasCvv: false }));
    expect(plan).not.toHaveProperty('cvvHolder');
    expect(plan.callbacks).toEqual([]);
  });

  it('selects the endpoint by currency in an endpoint group [W67, W186]', () => {
    expect(offer('group', '2001', { currency: 'GBP' })).toMatchObject({ kind: 'served', endpointId: '1003' });
    expect(offer('group', '2001', { currency: 'JPY' })).toEqual({ kind: 'refused', reason: 'currency-not-served' });
  });

  it('is refused for another currency, an operation that is not listed or a missing CVV [W20, W461]', () => {
    expect(offer('endpoint', '1001', { currency: 'EUR' })).toEqual({ kind: 'refused', reason: 'currency-not-served' });
    expect(offer('endpoint', '1002', { currency: 'EUR' })).toEqual({ kind: 'refused', reason: 'operation-not-offered' });
    expect(offer('group', '2001', { currency: 'EUR' })).toEqual({ kind: 'refused', reason: 'operation-not-offered' });
    expect(offer('endpoint', '1003', { currency: 'GBP', hasCvv: false })).toEqual({ kind: 'refused', reason: 'cvv-required' });
  });

  it('uses the endpoint’s callback URL if the request has none', () => {
    const configured = offer('endpoint', '1002', { currency: 'EUR', operationName: 'status' });
    expect(configured).toMatchObject({ kind: 'served', plan: { callbacks: ['callback'] } });
  });

  it('contains every gate of the entry point in cascade order', () => {
    expect(aliasesOf(offer('endpoint', '1004'))).toEqual(['sim-a', 'sim-cvv', 'sim-b']);
  });

  it('omits gates that need a CVV if the request has none, and is refused if no gate is left', () => {
    expect(aliasesOf(offer('endpoint', '1004', { hasCvv: false }))).toEqual(['sim-a', 'sim-b']);
    expect(offer('endpoint', '1003', { currency: 'GBP', hasCvv: false })).toEqual({ kind: 'refused', reason: 'cvv-required' });
  });

  it('omits gates that cannot do the operation, and is refused if no gate can', () => {
    const preauth = { operation: 'preauth', operationName: 'preauth' } as const;
    const onlyB = sampleGates((alias) => (alias === 'sim-b' ? ['authorising'] : ['charging']));
    expect(aliasesOf(offer('endpoint', '1004', { ...preauth, gates: onlyB }))).toEqual(['sim-b']);
    expect(offer('endpoint', '1001', { ...preauth, gates: onlyB })).toEqual({ kind: 'refused', reason: 'operation-not-offered' });
  });

  it('uses the group’s first endpoint for an account verification, regardless of currency [W186]', () => {
    const asked = { operation: 'account-verification', operationName: 'account-verification', currency: '' } as const;
    const gates = sampleGates(() => ['verifying']);
    expect(offer('group', '2001', { ...asked, gates })).toMatchObject({ kind: 'served', endpointId: '1001' });
    expect(offer('group', '2001', asked)).toEqual({ kind: 'refused', reason: 'operation-not-offered' });
  });

  it('contains the screening rules and their version if there are any', () => {
    const offered = served(offer('endpoint', '1004'));
    expect(offered.plan.screening).toMatch(/^[a-z2-7]{52}$/);
    expect(offered.rules).toMatchObject({ version: offered.plan.screening, configured: { blockedBins: ['444433'] } });
    expect(served(offer('endpoint', '1005'))).not.toHaveProperty('rules');
    expect(served(offer('endpoint', '1005')).plan).not.toHaveProperty('screening');
  });

  it('contains the routing rules and all gates, since the card is not known yet', () => {
    const routed = offer('endpoint', '1006');
    expect(aliasesOf(routed)).toEqual(['sim-a', 'sim-b']);
    expect(served(routed).routing).toStrictEqual({
      version: expect.stringMatching(/^[a-z2-7]{52}$/) as string,
      rules: [{ name: 'second', when: {}, choice: { kind: 'cascade', gates: ['sim-b'] } }],
    });
    expect(served(routed).plan).not.toHaveProperty('route');
    expect(offer('endpoint', '1005')).not.toHaveProperty('routing');
  });
});
