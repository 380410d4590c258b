import { randomBytes } from 'node:crypto';
import { gatewayPath, type DeviceOperation } from '@app/gateway-protocol';
import { MerchantServerClient, type Begun } from '../../devices/merchant-server-client';
import type { HttpAnswer } from '../../http/http-client';
import { TEST_CARD_NUMBER } from '../../merchants/signed-requests';
import type { MerchantServer } from '../../devices/merchant-server';
import type { Service } from '../../processes/service';
import { until } from '../../until';

const EMAIL = 'kim@example.com';
const AMOUNT_CENTIS = 12_345;
const FINAL: ReadonlySet<unknown> = new Set(['APPROVED', 'DECLINED']);

export type Body = Record<string, unknown>;

export class Phone {
  private constructor(
    readonly gateway: Service,
    readonly server: MerchantServer,
    private readonly client: MerchantServerClient,
    readonly accessToken: string,
    readonly serialNumber: string,
  ) {}

  static async signIn(gateway: Service, server: MerchantServer): Promise<Phone> {
    const client = new MerchantServerClient(server);
    return new Phone(gateway, server, client, await client.token(EMAIL), `SN-${randomBytes(4).toString('hex')}`);
  }

  begin(operation: DeviceOperation): Promise<Begun> {
    return this.client.begin(operation, { accessToken: this.accessToken, serialNumber: this.serialNumber });
  }

  card(securityCode = '123', number = TEST_CARD_NUMBER, printedName = 'KIM LEE'): Body {
    return { number, securityCode, expiry: { month: 12, year: 2039 }, holder: { printedName } };
  }

  /** A correct perform (interface, section 4.5). */
  performBody({ operation, nonce, signature }: Begun, funds: Body): Body {
    return {
      consumer: { device: { serialNumber: this.serialNumber }, email: EMAIL },
      session: { accessToken: this.accessToken, nonce, signature },
      transaction: { currency: 'USD', ...(operation !== 'verification' && { amountCentis: AMOUNT_CENTIS }) },
      ...funds,
    };
  }

  perform(begun: Begun, body: Body | string): Promise<HttpAnswer> {
    return this.post(`/paynet/${gatewayPath.perform(begun.operation, begun)}`, body);
  }

  post(path: string, body: Body | string | Buffer, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    return this.gateway.request(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: written(body) });
  }

  tell(path: string, body: Body | string | Buffer, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    return this.server.request(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: written(body) });
  }

  async nameOfCard(begun: Begun, accepted: HttpAnswer): Promise<string> {
    const { token } = (JSON.parse(accepted.body) as { session: { token: string } }).session;
    const path = `/paynet/${gatewayPath.status(begun.operation, begun)}`;
    await until(
      async () => {
        const answer = await this.post(path, { session: { accessToken: this.accessToken, token } });
        const { state, error } = JSON.parse(answer.body) as { state?: string; error?: unknown };
        return FINAL.has(state) || error !== undefined;
      },
      { what: `the end of ${begun.invoiceId}`, timeoutMs: 30_000 },
    );
    const { body } = await this.client.clientIds(begun);
    return (body as { sourceCard?: { reference: { clientCardId: string } } }).sourceCard?.reference.clientCardId ?? '';
  }
}

const written = (body: Body | string | Buffer): string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
