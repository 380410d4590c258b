import { callback } from './callback';
import { check } from './check';
import { clientIds, requestAccessToken, tellRandomSum } from './consumer-requests';
import type { MerchantServerAnswer } from './answer';
import type { MerchantServerRequest } from './request';
import { initiateSale, initiateTransfer, initiateVerification } from './initiate';
import type { MountableMerchantServer } from './mountable-merchant-server';
import { notification } from './notification';

export interface MerchantServerOperationEntry {
  readonly methods: readonly string[];
  readonly run: (desk: MountableMerchantServer, request: MerchantServerRequest) => Promise<MerchantServerAnswer>;
}

const POST = ['POST'];

/** Every operation of the desk (interface, section 4.3; protocol decisions, section 8). */
export const DESK_OPERATIONS_SERVED = {
  'request-access-token': {
    methods: ['GET'],
    run: (desk, request) => requestAccessToken(desk.consumers, desk.issueAccessToken, request),
  },
  'initiate-verification': { methods: POST, run: (desk, request) => initiateVerification(desk.openInvoice, request) },
  'initiate-sale': { methods: POST, run: (desk, request) => initiateSale(desk.openInvoice, request) },
  'initiate-transfer': { methods: POST, run: (desk, request) => initiateTransfer(desk.openInvoice, request) },
  'check-verification': { methods: POST, run: (desk, request) => check(desk.answerCheck, 'verification', request) },
  'check-sale': { methods: POST, run: (desk, request) => check(desk.answerCheck, 'sale', request) },
  'check-transfer': { methods: POST, run: (desk, request) => check(desk.answerCheck, 'transfer', request) },
  'notification-verification': { methods: POST, run: (desk, request) => notification(desk, 'verification', request) },
  'notification-sale': { methods: POST, run: (desk, request) => notification(desk, 'sale', request) },
  'notification-transfer': { methods: POST, run: (desk, request) => notification(desk, 'transfer', request) },
  'get-client-ids': { methods: POST, run: (desk, request) => clientIds(desk.consumerCards, request) },
  'random-sum': { methods: POST, run: (desk, request) => tellRandomSum(desk.consumerCards, request) },
  callback: { methods: ['POST', 'GET'], run: (desk, request) => callback(desk.orderEnds, request) },
} as const satisfies Readonly<Record<string, MerchantServerOperationEntry>>;

export type MerchantServerOperationName = keyof typeof DESK_OPERATIONS_SERVED;
