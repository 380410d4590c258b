import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChargeRequest, Gate } from '@app/gateway-adapters/contract';
import { openSimulatorLedger, readLedger, SETTLE_AFTER_MS_MAX, SimulatorGate, type SimulatorLedger } from '@app/gateway-adapters/simulator';
import {
  makeOrderId,
  Secret,
  systemIds,
  systemRandom,
  type AttemptKey,
  type ClientOrderId,
  type Currency,
  type EndpointId,
  type GateAlias,
  type MerchantLogin,
} from '@app/kernel';
import { describeGateContract, VirtualClock, type GateTraits, type GateUnderContract, type WantedAnswer } from '@app/testing';

const root = mkdtempSync(join(tmpdir(), 'gate-contract-'));
afterAll(() => rmSync(root, { recursive: true }));

const USD = 'USD' as Currency;
const CVVS: Readonly<Record<WantedAnswer, string>> = { approved: '123', declined: '116', unknown: '217', 'payer-needed': '321' };

const request = (wanted: WantedAnswer): ChargeRequest => ({
  key: systemIds.next() as AttemptKey,
  orderId: makeOrderId('p', (size) => systemRandom.bytes(size)),
  merchant: 'acme' as MerchantLogin,
  endpointId: '1001' as EndpointId,
  clientOrderId: 'order-1' as ClientOrderId,
  amount: { minor: 1_042n, currency: USD },
  card: new Secret({ number: '4444333322221111', expiryMonth: 12, expiryYear: 2099, holder: 'JOHN SMITH' }),
  cvv: new Secret(CVVS[wanted]),
  payerReturnUrl: 'https://gateway.example/paynet/payer/1',
});

const openSimulator = async (traits: GateTraits): Promise<GateUnderContract> => {
  const folder = mkdtempSync(join(root, 'gate-'));
  const path = join(folder, 'simulator.sqlite');
  const clock = new VirtualClock();
  const ledgers: SimulatorLedger[] = [];
  const connect = async (): Promise<Gate> => {
    const ledger = await openSimulatorLedger(path);
    ledgers.push(ledger);
    return new SimulatorGate({
      settings: {
        alias: 'sim-a' as GateAlias,
        currencies: [USD],
        partialReversal: true,
        partialCapture: true,
        longestFlightMs: 5_000,
        descriptor: 'test-a',
        ...traits,
      },
      bins: [],
      clock,
      ledger,
      authenticationPageUrl: (key) => `https://gateway.example/simulator/${key}`,
    });
  };
  const gate = await connect();
  const books = readLedger(path);
  let closing: Promise<void> | undefined;
  return {
    gate,
    request,
    payer: { passes: new Map([['password', 'hint']]), fails: new Map([['password', 'guess']]) },
    settle: () => clock.advance(SETTLE_AFTER_MS_MAX),
    approvedCharges: (orderId) => books.approvedChargesByOrder().get(orderId) ?? 0,
    inAnotherProcess: connect,
    files: () => readdirSync(folder).map((name) => join(folder, name)),
    close: () => {
      closing ??= (async () => {
        books.close();
        await Promise.all(ledgers.map((ledger) => ledger.close()));
      })();
      return closing;
    },
  };
};

describeGateContract('the simulator', { threeDSecure: false, cvvRequired: false }, () =>
  openSimulator({ threeDSecure: false, cvvRequired: false }),
);
describeGateContract('the simulator with 3-D Secure that needs a CVV', { threeDSecure: true, cvvRequired: true }, () =>
  openSimulator({ threeDSecure: true, cvvRequired: true }),
);
