import type { TransferState } from '@app/gateway-protocol';
import { ScriptedServer, type ReceivedCall, type Reply } from './scripted-server';

export const ACCESS_TOKEN = 'a'.repeat(64);
export const NONCE = 'n'.repeat(64);
export const SIGNATURE = 'C0FFEE'.padEnd(40, '0');
/** Not in any configuration, so that only the merchant server can have named it. */
const ENDPOINT_ID = '4711';
export const SOURCE_CLIENT_CARD_ID = 'client-card-source';
export const DESTINATION_CLIENT_CARD_ID = 'client-card-destination';
export const FEES = [
  { assignedId: 'gate-dear', commissionCentis: 250, currency: 'USD' },
  { assignedId: 'gate-cheap', commissionCentis: 200, currency: 'USD' },
] as const;

export const invoiceIdOf = (number: number): string => `00000000-0000-4000-8000-${number.toString().padStart(12, '0')}`;
export const tokenOf = (invoiceId: string): string => `11111111-${invoiceId.slice(9)}`;

export interface Step {
  readonly state: TransferState;
  readonly more?: object;
}

export interface Script {
  /** The statuses in order, repeating the last one; TRANSFER_FEE_REQUEST until completed. */
  readonly steps?: readonly Step[];
  readonly merchant?: (call: ReceivedCall) => Reply | undefined;
  readonly gateway?: (call: ReceivedCall) => Reply | undefined;
}

const MEMBERS_OF_STATE: Readonly<Partial<Record<TransferState, object>>> = {
  APPROVED: { bankOrderId: 'PNTEST-1' },
  DECLINED: { bankOrderId: 'PNTEST-1', errorCode: 116, errorMessage: 'Not sufficient funds' },
  REDIRECT_REQUEST: { redirectUrl: 'https://gateway.example/pay/1' },
  TRANSFER_FEE_REQUEST: { transferFeeList: FEES },
};
const OF_PAYMENTS = {
  orderId: 't0000000000000or',
  transaction: {
    amountCentis: 1_042,
    orderCreatedDate: '2026-11-21 10:00:00 UTC',
    transactionCreatedDate: '2026-11-21 10:00:00 UTC',
  },
};

export class ScriptedParties {
  readonly merchant: ScriptedServer;
  readonly gateway: ScriptedServer;

  private constructor(merchant: ScriptedServer, gateway: ScriptedServer) {
    this.merchant = merchant;
    this.gateway = gateway;
  }

  static async open({ steps = [{ state: 'APPROVED' }], merchant, gateway }: Script = {}): Promise<ScriptedParties> {
    let invoices = 0;
    const asked = new Map<string, number>();
    const honestMerchant = ({ method, path }: ReceivedCall): Reply | undefined => {
      if (method === 'GET' && path === '/auth/request-access-token') return { json: { session: { accessToken: ACCESS_TOKEN } } };
      if (/^\/(verification|sale|transfer)\/initiate-/.test(path)) {
        const invoiceId = invoiceIdOf((invoices += 1));
        const rates = path.endsWith('transfer') ? { rates: { min: '2.00', max: '2.50' } } : {};
        return { json: { endpointId: ENDPOINT_ID, invoiceId, session: { nonce: NONCE, signature: SIGNATURE }, ...rates } };
      }
      const [, invoiceId] = /^\/cardrefs\/([^/]+)\/get-client-ids$/.exec(path) ?? [];
      if (invoiceId === undefined) return undefined;
      const sourceCard = { bin: 444433, reference: { clientCardId: SOURCE_CLIENT_CARD_ID } };
      const destinationCard = { bin: 555544, reference: { clientCardId: DESTINATION_CLIENT_CARD_ID } };
      return { json: { invoiceId, sourceCard, destinationCard } };
    };
    const statusOf = (operation: string, invoiceId: string): Reply => {
      const count = asked.get(invoiceId) ?? 0;
      const step = steps[Math.min(count, steps.length - 1)] ?? { state: 'PROCESSING' };
      if (step.state !== 'TRANSFER_FEE_REQUEST') asked.set(invoiceId, count + 1);
      const common = { invoiceId, session: { token: tokenOf(invoiceId) }, state: step.state };
      return { json: { ...common, ...MEMBERS_OF_STATE[step.state], ...(operation !== 'verification' && OF_PAYMENTS), ...step.more } };
    };
    const honestGateway = ({ path }: ReceivedCall): Reply | undefined => {
      const [, operation, invoiceId, rest] = /^\/paynet\/dapi\/v1\/(\w+)\/4711\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
      if (operation === undefined || invoiceId === undefined) return undefined;
      if (rest === 'status') return statusOf(operation, invoiceId);
      if (rest !== undefined) asked.set(invoiceId, (asked.get(invoiceId) ?? 0) + 1);
      return { json: { invoiceId, session: { token: tokenOf(invoiceId) } } };
    };
    return new ScriptedParties(
      await ScriptedServer.open((call) => merchant?.(call) ?? honestMerchant(call)),
      await ScriptedServer.open((call) => gateway?.(call) ?? honestGateway(call)),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.merchant.close(), this.gateway.close()]);
  }
}
