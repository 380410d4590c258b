import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Gate } from '@app/gateway-adapters/contract';
import { openSimulatorLedger, readLedger, UNDECIDED_MS_MAX, SimulatorGate, type SimulatorLedger } from '@app/gateway-adapters/simulator';
import type { Currency, GateAlias } from '@app/kernel';
import {
  contractCharge,
  contractFollowUp,
  contractRebill,
  contractTransfer,
  EVERY_OPERATION,
  VirtualClock,
  type ContractedGate,
  type GateTraits,
  type GateUnderContract,
} from '@app/testing';

const USD = 'USD' as Currency;

const openSimulator = async (folder: string, { authentication, cvvRequired, tokens }: GateTraits): Promise<GateUnderContract> => {
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
        threeDSecure: authentication !== 'none',
        cvvRequired,
        tokens: tokens ?? 'none',
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
    request: contractCharge,
    followUp: contractFollowUp,
    transfer: contractTransfer,
    rebill: contractRebill,
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

const PLAIN: GateTraits = {
  authentication: 'none',
  cvvRequired: false,
  operations: EVERY_OPERATION,
  findsFollowUps: true,
  transfers: true,
  quotes: true,
  withdrawsRandomSum: true,
  listens: false,
  wireFaults: 'no-wire',
};
const TOKENS: GateTraits = { ...PLAIN, tokens: 'approval' };
const SECURE: GateTraits = { ...PLAIN, authentication: 'completed', cvvRequired: true };
const REGISTERING: GateTraits = { ...PLAIN, tokens: 'registration' };

/** The one with 3-D Secure gives no tokens, so that each trait is present and absent once. */
export const simulatorUnderContract: readonly ContractedGate[] = [
  { title: 'the simulator that gives tokens with approvals', traits: TOKENS, open: (folder) => openSimulator(folder, TOKENS) },
  { title: 'the simulator that gives tokens on request', traits: REGISTERING, open: (folder) => openSimulator(folder, REGISTERING) },
  { title: 'the simulator with 3-D Secure that needs a CVV', traits: SECURE, open: (folder) => openSimulator(folder, SECURE) },
];
