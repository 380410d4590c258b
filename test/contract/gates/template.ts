import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationFrom } from '@app/configuration';
import { GateClients } from '@app/gateway-adapters/client';
import { refusedBaseUrl, replyText, ScriptedPeer, type PeerAnswer } from '@app/gateway-adapters/client/testing';
import type { ChargeRequest, Gate, InboundRequest } from '@app/gateway-adapters/contract';
import { templateAdapter } from '@app/gateway-adapters/template';
import { systemClock, systemMonotonic, systemScheduler, type AttemptKey } from '@app/kernel';
import {
  contractCharge,
  contractFollowUp,
  contractTransfer,
  type ContractedGate,
  type GateTraits,
  type GateUnderContract,
} from '@app/testing';
import { Acquirer } from './acquirer';

const ADAPTERS = [templateAdapter] as const;
const API_KEY = 'template-key-of-the-tests';
const NOTIFICATION_KEY = 'template-notification-key';

const UNKNOWN_KEY = '00000000-0000-4000-8000-000000000000' as AttemptKey;

const notified = (body: string, key: string): InboundRequest => ({
  method: 'POST',
  path: [],
  query: new Map(),
  rawQuery: '',
  headers: new Map([['x-signature', createHmac('sha256', key).update(body).digest('hex')]]),
  contentType: 'application/json',
  body,
});

const openTemplate = async (folder: string, { cvvRequired }: GateTraits): Promise<GateUnderContract> => {
  const acquirer = new Acquirer(API_KEY);
  const peer = await ScriptedPeer.start();
  const honest: PeerAnswer = (socket, request) => {
    const { status, body } = acquirer.answer(request);
    socket.write(replyText(body, { status, contentType: 'application/json' }));
  };
  peer.otherwise(honest);
  const clients = new GateClients({ monotonic: systemMonotonic, scheduler: systemScheduler });
  const keys = new Map<string, string>();
  const noted = (request: ChargeRequest): ChargeRequest => {
    keys.set(request.orderId, request.key);
    return request;
  };
  const connect = (peerUrl = peer.baseUrl): Gate => {
    const gate = {
      alias: 'acquirer-a',
      adapter: 'template',
      currencies: ['USD'],
      cvvRequired,
      apiKey: API_KEY,
      notificationKey: NOTIFICATION_KEY,
      acquirer: { baseUrl: peerUrl, plainHttp: true },
    };
    const endpoints = [{ id: '1001', currency: 'USD', gates: [gate.alias] }];
    const merchants = [{ login: 'acme', controlKey: 'ab'.repeat(16), endpoints }];
    const at = { source: 'the test', folder: '/', environment: {}, adapters: ADAPTERS };
    const { accounts } = configurationFrom(JSON.stringify({ merchants, gates: [gate] }), at);
    return templateAdapter.create(accounts.gates[0], { clock: systemClock, clients });
  };
  return {
    gate: connect(),
    request: (wanted) => noted(contractCharge(wanted)),
    followUp: contractFollowUp,
    transfer: contractTransfer,
    payer: { passes: new Map(), fails: new Map() },
    settle: () => Promise.resolve(acquirer.settle()),
    approvedCharges: (orderId) => (acquirer.payments.get(keys.get(orderId) ?? '')?.state === 'approved' ? 1 : 0),
    moved: () => ({ captured: 0n, returned: 0n, isVoided: false }),
    notifications: {
      addressOf: (orderId) => acquirer.payments.get(keys.get(orderId) ?? '')?.notificationUrl,
      about: (request) => [notified(acquirer.notificationAbout(request), NOTIFICATION_KEY)],
      forgedAbout: (request) => {
        const { body, ...signed } = notified(acquirer.notificationAbout(request), NOTIFICATION_KEY);
        const approved = acquirer.notificationAbout({ ...request, key: UNKNOWN_KEY }).replace(UNKNOWN_KEY, request.key);
        return [notified(approved, 'another-key-than-that'), { ...signed, body: approved }, { ...signed, body, headers: new Map() }];
      },
    },
    wire: {
      peer,
      honest,
      carryOut: (request) => void acquirer.answer(request),
      charges: (orderId) => peer.requests.filter(({ method, body }) => method === 'POST' && body.includes(keys.get(orderId) ?? '')).length,
      unreachable: async () => connect(await refusedBaseUrl()),
    },
    inAnotherProcess: () => Promise.resolve(connect()),
    files: () => {
      const book = join(folder, 'payments.json');
      writeFileSync(book, JSON.stringify([...acquirer.payments.values()]));
      return [book];
    },
    close: async () => {
      await clients.close(0);
      await peer.close();
    },
  };
};

const PLAIN: GateTraits = {
  authentication: 'none',
  cvvRequired: false,
  operations: [],
  findsFollowUps: false,
  transfers: false,
  quotes: false,
  withdrawsRandomSum: false,
  listens: true,
  wireFaults: 'here',
};
const WITH_CVV: GateTraits = { ...PLAIN, cvvRequired: true, wireFaults: 'elsewhere' };

export const templateUnderContract: readonly ContractedGate[] = [
  { title: 'the template', traits: PLAIN, open: (folder) => openTemplate(folder, PLAIN) },
  { title: 'the template where it needs a CVV', traits: WITH_CVV, open: (folder) => openTemplate(folder, WITH_CVV) },
];
