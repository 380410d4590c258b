import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  checkSaleSignature,
  checkTransferSignature,
  checkVerificationSignature,
  notificationSignature,
  type DeviceOperation,
} from '@app/gateway-protocol';
import { Secret } from '@app/kernel';
import { freePort } from '../processes/free-port';

export interface Invoice {
  readonly operation: DeviceOperation;
  readonly endpointId: string;
  readonly nonce: string;
  readonly serialNumber: string;
  readonly sourceServerCardId?: string;
  readonly destinationServerCardId?: string;
  readonly email?: string;
  readonly more?: object;
}

export interface ReceivedCall {
  readonly kind: 'check' | 'notification' | 'callback';
  readonly operation: string;
  readonly invoiceId: string;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Session {
  readonly token: string;
}

type Reaction = (response: ServerResponse, right: object) => void;

const send = (response: ServerResponse, status: number, body: object | string = ''): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body));
};
export const answerRight: Reaction = (response, right) => send(response, 200, right);
export const answerStatus =
  (status: number, body: object | string = ''): Reaction =>
  (response) =>
    send(response, status, body);

/** A merchant's own server for the device interface (interface, section 4.3). It answers honestly unless a test sets another reaction. */
export class ScriptedMerchant {
  readonly received: ReceivedCall[] = [];
  readonly reactions: Readonly<Record<'check' | 'notification', Reaction[]>> = { check: [], notification: [] };
  /** How many notifications of an invoice get status 500 before the reactions apply. */
  readonly unacknowledged = new Map<string, number>();
  readonly #invoices = new Map<string, Invoice>();
  readonly #byToken = new Map<string, string>();
  readonly #key: Secret<string>;
  readonly #server: Server;

  private constructor(
    controlKey: string,
    readonly port: number,
  ) {
    this.#key = new Secret(controlKey);
    this.#server = createServer((request, response) => void this.serve(request, response));
  }

  static async start(controlKey: string): Promise<ScriptedMerchant> {
    const merchant = new ScriptedMerchant(controlKey, await freePort());
    await merchant.listen();
    return merchant;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  invoice(invoiceId: string, invoice: Invoice): void {
    this.#invoices.set(invoiceId, invoice);
  }

  of(kind: ReceivedCall['kind'], invoiceId: string): readonly ReceivedCall[] {
    return this.received.filter((call) => call.kind === kind && call.invoiceId === invoiceId);
  }

  async listen(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Readonly<Record<string, unknown>> & { readonly session?: Session };
    const [, operation = '', ...rest] = (request.url ?? '').split('/');
    if (operation === 'callback') {
      this.received.push({ kind: 'callback', operation, invoiceId: String(body['client_orderid']), body });
      return send(response, 200);
    }
    const kind = rest.at(-1) === 'check' ? 'check' : 'notification';
    const token = body.session?.token ?? '';
    const invoiceId = kind === 'check' ? decodeURIComponent(rest[0] ?? '') : (this.#byToken.get(token) ?? '');
    if (kind === 'check') this.#byToken.set(token, invoiceId);
    this.received.push({ kind, operation, invoiceId, body });
    const invoice = this.#invoices.get(invoiceId);
    if (invoice === undefined) return send(response, 403);
    const right = kind === 'check' ? this.checkAnswer(invoiceId, invoice, token) : this.acknowledgement(invoiceId, invoice, token);
    const left = kind === 'notification' ? (this.unacknowledged.get(invoiceId) ?? 0) : 0;
    if (left > 0) {
      this.unacknowledged.set(invoiceId, left - 1);
      return send(response, 500);
    }
    (this.reactions[kind].shift() ?? answerRight)(response, right);
  }

  private checkAnswer(invoiceId: string, invoice: Invoice, token: string): object {
    const { operation, endpointId, nonce, serialNumber, sourceServerCardId, destinationServerCardId, email, more } = invoice;
    const signed = { serialNumber, nonce, endpointId, invoiceId, sourceServerCardId, destinationServerCardId };
    const sign = { verification: checkVerificationSignature, sale: checkSaleSignature, transfer: checkTransferSignature }[operation];
    const referring = (serverCardId: string) => ({ reference: { serverCardId } });
    return {
      invoiceId,
      session: { checkSignature: sign(signed, this.#key), nonce, token },
      ...(sourceServerCardId !== undefined && { sourceOfFunds: referring(sourceServerCardId) }),
      ...(destinationServerCardId !== undefined && { destinationOfFunds: referring(destinationServerCardId) }),
      ...(email !== undefined && { consumer: { email } }),
      ...more,
    };
  }

  private acknowledgement(invoiceId: string, { endpointId, nonce }: Invoice, token: string): object {
    return { invoiceId, session: { checkSignature: notificationSignature({ nonce, endpointId, invoiceId }, this.#key), nonce, token } };
  }
}
