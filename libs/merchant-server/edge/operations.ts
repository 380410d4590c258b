import { callback } from './callback';
import { check } from './check';
import { clientIds, requestAccessToken, recordRandomSum } from './consumer-requests';
import type { MerchantServerAnswer } from './answer';
import type { MerchantServerRequest } from './request';
import { initiateSale, initiateTransfer, initiateVerification } from './initiate';
import type { MountableMerchantServer } from './mountable-merchant-server';
import { notification } from './notification';

export interface MerchantServerOperationEntry {
  readonly methods: readonly string[];
  readonly run: (server: MountableMerchantServer, request: MerchantServerRequest) => Promise<MerchantServerAnswer>;
}

const POST = ['POST'];

/** Every operation of the merchant server (interface, section 4.3; protocol decisions, section 8). */
export const SERVED_OPERATIONS = {
  'request-access-token': {
    methods: ['GET'],
    run: (server, request) => requestAccessToken(server.consumers, server.issueAccessToken, request),
  },
  'initiate-verification': { methods: POST, run: (server, request) => initiateVerification(server.openInvoice, request) },
  'initiate-sale': { methods: POST, run: (server, request) => initiateSale(server.openInvoice, request) },
  'initiate-transfer': { methods: POST, run: (server, request) => initiateTransfer(server.openInvoice, request) },
  'check-verification': { methods: POST, run: (server, request) => check(server.answerCheck, 'verification', request) },
  'check-sale': { methods: POST, run: (server, request) => check(server.answerCheck, 'sale', request) },
  'check-transfer': { methods: POST, run: (server, request) => check(server.answerCheck, 'transfer', request) },
  'notification-verification': { methods: POST, run: (server, request) => notification(server, 'verification', request) },
  'notification-sale': { methods: POST, run: (server, request) => notification(server, 'sale', request) },
  'notification-transfer': { methods: POST, run: (server, request) => notification(server, 'transfer', request) },
  'get-client-ids': { methods: POST, run: (server, request) => clientIds(server.consumerCards, request) },
  'random-sum': { methods: POST, run: (server, request) => recordRandomSum(server.consumerCards, request) },
  callback: { methods: ['POST', 'GET'], run: (server, request) => callback(server.orderEnds, request) },
} as const satisfies Readonly<Record<string, MerchantServerOperationEntry>>;

export type MerchantServerOperationName = keyof typeof SERVED_OPERATIONS;
export const MERCHANT_SERVER_OPERATIONS: readonly string[] = Object.keys(SERVED_OPERATIONS);
