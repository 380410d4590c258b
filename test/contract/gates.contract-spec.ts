import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChargeRequest, FollowUpRequest, Gate, TransferRequest } from '@app/gateway-adapters/contract';
import { openSimulatorLedger, readLedger, UNDECIDED_MS_MAX, SimulatorGate, type SimulatorLedger } from '@app/gateway-adapters/simulator';
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
import {
  describeGateContract,
  VirtualClock,
  type GateTraits,
  type GateUnderContract,
  type WantedAnswer,
  type WantedFollowUpAnswer,
} from '@app/testing';

const root = mkdtempSync(join(tmpdir(), 'gate-contract-'));
afterAll(() => rmSync(root, { recursive: true }));

const USD = 'USD' as Currency;
const CVVS: Readonly<Record<WantedAnswer, string>> = { approved: '123', declined: '116', unknown: '217', 'payer-needed': '321' };

/** The amount decides what becomes of a follow-up (protocol decisions, section 9). */
const FOLLOW_UP_MINOR: Readonly<Record<WantedFollowUpAnswer, bigint>> = { approved: 200n, declined: 216n, unknown: 217n };

const request = (wanted: WantedAnswer): ChargeRequest => ({
  key: systemIds.next() as AttemptKey,
  orderId: makeOrderId('p', (size) => systemRandom.bytes(size)),
  merchant: 'acme' as MerchantLogin,
  endpointId: '1001' as EndpointId,
  clientOrderId: 'order-1' as ClientOrderId,
  amount: { minor: 1_042n, currency: USD },
  card: new Secret({ number: '4444333322221111', expiryMonth: 12, expiryYear: 2099, holder: 'JOHN SMITH' }),
  cvv: new Secret(CVVS[wanted]),
  descriptor: 'test-a',
  payerReturnUrl: 'https://gateway.example/paynet/payer/1',
});

const transfer = (wanted: WantedAnswer): TransferRequest => ({
  ...request(wanted),
  destination: new Secret({ number: '5555555555554444' }),
});

const followUp = ({ key, orderId, merchant, endpointId, amount }: ChargeRequest, wanted: WantedFollowUpAnswer): FollowUpRequest => ({
  key: systemIds.next() as AttemptKey,
  original: key,
  orderId,
  merchant,
  endpointId,
  amount: { ...amount, minor: FOLLOW_UP_MINOR[wanted] },
});

const openSimulator = async ({ threeDSecure, cvvRequired }: GateTraits): Promise<GateUnderContract> => {
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
        commission: { ratePerTenThousand: 150, minCentis: 30 },
        descriptor: 'test-a',
        threeDSecure,
        cvvRequired,
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
    followUp,
    transfer,
    payer: { passes: new Map([['password', 'hint']]), fails: new Map([['password', 'guess']]) },
    settle: () => clock.advance(UNDECIDED_MS_MAX),
    approvedCharges: (orderId) => books.approvedChargesByOrder().get(orderId) ?? 0,
    moved: (orderId) => {
      const done = books.followUps(orderId).filter(({ state }) => state.status === 'approved');
      const sum = (...operations: readonly string[]) =>
        done.reduce((total, { operation, amount }) => (operations.includes(operation) ? total + amount.minor : total), 0n);
      const isVoided = done.some(({ operation }) => operation === 'void');
      return { captured: sum('capture'), returned: sum('reversal', 'cancel'), isVoided };
    },
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

const PLAIN: GateTraits = { threeDSecure: false, cvvRequired: false, followsUp: true, transfers: true, withdrawsRandomSum: true };
const SECURE: GateTraits = { threeDSecure: true, cvvRequired: true, followsUp: true, transfers: true, withdrawsRandomSum: true };
describeGateContract('the simulator', PLAIN, () => openSimulator(PLAIN));
describeGateContract('the simulator with 3-D Secure that needs a CVV', SECURE, () => openSimulator(SECURE));
