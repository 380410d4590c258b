import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChargeRequest, Gate, OrderTexts, RebillRequest } from '@app/gateway-adapters/contract';
import {
  contractCharge,
  contractFollowUp,
  contractRebill,
  contractTransfer,
  EVERY_OPERATION,
  type ContractedGate,
  type GateTraits,
  type GateUnderContract,
} from '@app/testing';
import { Secret } from '@app/kernel';
import { CALLBACK_SECRET, notificationsOf } from './paynet-callbacks';
import { ServedUpstream } from './served-upstream';
import { SkippedTime } from './skipped-time';

interface Made {
  readonly byDevice?: boolean;
  readonly habits?: 'ours' | 'independent';
  readonly callbackSecret?: Secret<string>;
}

const SAID: OrderTexts = {
  payer: new Secret({ email: 'kim@example.com' }),
  purchase: new Secret({}),
  device: new Secret({ serialNumber: 'SN-1' }),
};

const openPaynet = async (
  folder: string,
  { authentication, cvvRequired, listens, tokens }: GateTraits,
  { byDevice = false, habits = 'ours', callbackSecret }: Made = {},
): Promise<GateUnderContract> => {
  const upstream = await ServedUpstream.start({ habits });
  const { gateway } = upstream;
  const keys = new Map<string, string>();
  const time = new SkippedTime();
  const configured = {
    cvvRequired,
    threeDSecure: authentication !== 'none',
    idempotencyKeys: true,
    callbacks: listens,
    ...(tokens && { cardRegistration: 'v2' }),
    ...(byDevice && { upstream: { device: { endpoint: '7002', inGroupA: habits === 'ours' } } }),
    ...(habits === 'independent' && { codes: { '7': 'unknown' } }),
    ...(callbackSecret !== undefined && { callbackSecret: callbackSecret.reveal() }),
  };
  const connect = (): Gate => upstream.gate(configured, { clock: time, monotonic: time, scheduler: time });
  const book = join(folder, 'orders.json');
  const gate = connect();
  const orderOf = (orderId: string) => gateway.orders.get(keys.get(orderId) ?? '');
  return {
    gate,
    request: (wanted) => noted({ ...contractCharge(wanted), ...(byDevice && { texts: SAID, isByDevice: true }) }),
    followUp: (original, wanted) => {
      const gateOrderId = gateway.orders.get(original.key)?.orderId;
      return { ...contractFollowUp(original, wanted), ...(habits === 'independent' && gateOrderId !== undefined && { gateOrderId }) };
    },
    transfer: (wanted) => noted({ ...contractTransfer(wanted), texts: SAID, isByDevice: true }),
    rebill: (by, operation) => noted(contractRebill(by, operation)),
    payer: { passes: new Map(), fails: new Map() },
    authenticateAtGate: ({ key }, outcome) => Promise.resolve(gateway.authenticate(key, outcome)),
    settle: () => Promise.resolve(gateway.settle()),
    approvedCharges: (orderId) => (orderOf(orderId)?.status === 'approved' ? 1 : 0),
    moved: (orderId) => {
      const done = orderOf(orderId)?.followUps.filter(({ status }) => status === 'approved') ?? [];
      const sum = (wanted: string) => done.reduce((total, { operation, minor }) => (operation === wanted ? total + minor : total), 0n);
      return { captured: sum('capture'), returned: sum('return'), isVoided: done.some(({ operation }) => operation === 'void') };
    },
    ...(listens && { notifications: notificationsOf(gateway, (orderId) => orderOf(orderId)?.callbackUrl, time, callbackSecret) }),
    inAnotherProcess: () => Promise.resolve(connect()),
    files: () => {
      const orders = [...gateway.orders.values()];
      writeFileSync(
        book,
        JSON.stringify(orders, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
      );
      return [book];
    },
    close: () => upstream.close(),
  };

  function noted<Request extends ChargeRequest | RebillRequest>(request: Request): Request {
    keys.set(request.orderId, request.key);
    return request;
  }
};

const PLAIN: GateTraits = {
  authentication: 'none',
  cvvRequired: false,
  operations: EVERY_OPERATION,
  findsFollowUps: false,
  transfers: false,
  quotes: false,
  withdrawsRandomSum: false,
  listens: false,
  wireFaults: 'elsewhere',
};
const HOSTED: GateTraits = { ...PLAIN, authentication: 'hosted' };
const LISTENING: GateTraits = { ...PLAIN, listens: true };
const REGISTERING: GateTraits = { ...PLAIN, tokens: 'registration' };
/** The device interface has no charge without a CVV, so such charges use Group A. */
const BY_DEVICE: GateTraits = { ...HOSTED, cvvRequired: true, transfers: true, answersRequests: true };
const INDEPENDENT: GateTraits = { ...PLAIN, tellsNotFound: false };
const INDEPENDENT_BY_DEVICE: GateTraits = { ...BY_DEVICE, tellsNotFound: false };
const WITH_CVV: GateTraits = { ...PLAIN, cvvRequired: true };

export const paynetUnderContract: readonly ContractedGate[] = [
  { title: 'an upstream gateway', traits: PLAIN, open: (folder) => openPaynet(folder, PLAIN) },
  {
    title: 'an upstream gateway that takes payers through 3-D Secure',
    traits: HOSTED,
    open: (folder) => openPaynet(folder, HOSTED),
  },
  {
    title: 'an upstream gateway that calls back, by its control',
    traits: LISTENING,
    open: (folder) => openPaynet(folder, LISTENING),
  },
  {
    title: 'an upstream gateway that calls back, by its signature',
    traits: LISTENING,
    open: (folder) => openPaynet(folder, LISTENING, { callbackSecret: CALLBACK_SECRET }),
  },
  {
    title: 'an upstream gateway, of orders that devices made',
    traits: BY_DEVICE,
    open: (folder) => openPaynet(folder, BY_DEVICE, { byDevice: true }),
  },
  {
    title: 'an upstream gateway that wants its own name of the order in each question',
    traits: INDEPENDENT,
    open: (folder) => openPaynet(folder, INDEPENDENT, { habits: 'independent' }),
  },
  {
    title: 'an upstream gateway whose order status knows no orders that devices made',
    traits: INDEPENDENT_BY_DEVICE,
    open: (folder) => openPaynet(folder, INDEPENDENT_BY_DEVICE, { byDevice: true, habits: 'independent' }),
  },
  { title: 'an upstream gateway that registers cards', traits: REGISTERING, open: (folder) => openPaynet(folder, REGISTERING) },
  { title: 'an upstream gateway that needs a CVV', traits: WITH_CVV, open: (folder) => openPaynet(folder, WITH_CVV) },
];
