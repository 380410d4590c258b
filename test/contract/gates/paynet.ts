import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChargeRequest, Gate } from '@app/gateway-adapters/contract';
import { PaynetGate, type UpstreamAccount } from '@app/gateway-adapters/paynet';
import { Secret, type GateAlias } from '@app/kernel';
import {
  CONTRACT_CURRENCY,
  contractCharge,
  contractFollowUp,
  contractTransfer,
  type ContractedGate,
  type GateTraits,
  type GateUnderContract,
} from '@app/testing';
import { SkippedTime } from './skipped-time';
import { UpstreamGateway } from './upstream-gateway';

export const ACCOUNT: UpstreamAccount = {
  login: 'upstream-acme',
  controlKey: new Secret('0123456789abcdef0123456789abcdef'),
  entryPoint: { kind: 'endpoint', id: '7001' },
};

const openPaynet = (folder: string, { authentication, cvvRequired }: GateTraits): GateUnderContract => {
  const gateway = new UpstreamGateway(ACCOUNT);
  const keys = new Map<string, string>();
  const connect = (): Gate => {
    const time = new SkippedTime();
    return new PaynetGate({
      profile: {
        alias: 'upstream-a' as GateAlias,
        currencies: [CONTRACT_CURRENCY],
        cvvRequired,
        threeDSecure: authentication !== 'none',
        partialReversal: true,
        partialCapture: true,
        longestFlightMs: 5_000,
        descriptor: 'test-a',
        needsTexts: true,
      },
      account: ACCOUNT,
      upstream: {
        send: ({ path, headers, body }, { signal }) =>
          Promise.resolve(signal.aborted ? { kind: 'not-sent' } : { kind: 'answered', body: gateway.answer({ path, headers, body }).body }),
      },
      clock: time,
      monotonic: time,
      scheduler: time,
      pollMs: 3_000,
      isKeyed: true,
    });
  };
  const book = join(folder, 'orders.json');
  const gate = connect();
  const orderOf = (orderId: string) => gateway.orders.get(keys.get(orderId) ?? '');
  return {
    gate,
    request: (wanted) => noted(contractCharge(wanted)),
    followUp: contractFollowUp,
    transfer: contractTransfer,
    payer: { passes: new Map(), fails: new Map() },
    authenticateAtGate: ({ key }, outcome) => Promise.resolve(gateway.authenticate(key, outcome)),
    settle: () => Promise.resolve(gateway.settle()),
    approvedCharges: (orderId) => (orderOf(orderId)?.status === 'approved' ? 1 : 0),
    moved: (orderId) => {
      const done = orderOf(orderId)?.followUps.filter(({ status }) => status === 'approved') ?? [];
      const sum = (wanted: string) => done.reduce((total, { operation, minor }) => (operation === wanted ? total + minor : total), 0n);
      return { captured: sum('capture'), returned: sum('return'), isVoided: done.some(({ operation }) => operation === 'void') };
    },
    inAnotherProcess: () => Promise.resolve(connect()),
    files: () => {
      const orders = [...gateway.orders.values()];
      writeFileSync(
        book,
        JSON.stringify(orders, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
      );
      return [book];
    },
    close: () => Promise.resolve(),
  };

  function noted(request: ChargeRequest): ChargeRequest {
    keys.set(request.orderId, request.key);
    return request;
  }
};

const PLAIN: GateTraits = {
  authentication: 'none',
  cvvRequired: false,
  followsUp: true,
  findsFollowUps: false,
  transfers: false,
  withdrawsRandomSum: false,
};
const HOSTED: GateTraits = { ...PLAIN, authentication: 'hosted' };
const WITH_CVV: GateTraits = { ...PLAIN, cvvRequired: true };

/** The gate of an upstream gateway as the gate contract is run on it. */
export const paynetUnderContract: readonly ContractedGate[] = [
  { title: 'an upstream gateway', traits: PLAIN, open: (folder) => Promise.resolve(openPaynet(folder, PLAIN)) },
  {
    title: 'an upstream gateway that takes payers through 3-D Secure',
    traits: HOSTED,
    open: (folder) => Promise.resolve(openPaynet(folder, HOSTED)),
  },
  { title: 'an upstream gateway that needs a CVV', traits: WITH_CVV, open: (folder) => Promise.resolve(openPaynet(folder, WITH_CVV)) },
];
