import { randomUUID } from 'node:crypto';
import { MERCHANT_ROUTES, webhookHeaders, type DeviceOperation } from '@app/gateway-protocol';
import type { Instant, Secret } from '@app/kernel';
import type { HttpAnswer, PublicSide } from '../http/http-client';

interface MerchantServerBody {
  readonly endpointId: string;
  readonly invoiceId: string;
  readonly session: {
    readonly accessToken: string;
    readonly nonce: string;
    readonly signature: string;
    readonly checkSignature: string;
    readonly token: string;
  };
  readonly rates?: { readonly min: string; readonly max: string };
  readonly consumer?: { readonly email: string };
  readonly transaction: { readonly currency: string; readonly randomSumCentis?: number };
  readonly sourceOfFunds?: { readonly reference: { readonly serverCardId: string } };
  readonly destinationOfFunds?: { readonly reference: { readonly serverCardId: string } };
  readonly sourceCard?: { readonly bin: number; readonly reference: { readonly clientCardId: string } };
  readonly destinationCard?: { readonly bin: number; readonly reference: { readonly clientCardId: string } };
  readonly error: { readonly cause: string; readonly code: string; readonly message: string };
}

export interface MerchantServerReply {
  readonly status: number;
  readonly headers: HttpAnswer['headers'];
  readonly text: string;
  readonly body: MerchantServerBody;
}

export interface Begun {
  readonly operation: DeviceOperation;
  readonly serialNumber: string;
  readonly accessToken: string;
  readonly endpointId: string;
  readonly invoiceId: string;
  readonly nonce: string;
  readonly signature: string;
  readonly token: string;
}

export interface MappedCardSample {
  readonly bin: number;
  readonly serverCardId: string;
  readonly uniqueReferenceCardId: number;
}

export const SAMPLE_CARD: MappedCardSample = { bin: 444_455, serverCardId: 'csample0reference00c', uniqueReferenceCardId: 123_456_789 };

export interface NotificationSigning {
  readonly secret: Secret<string>;
  readonly at: Instant;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bend?: (body: string) => string;
}

const mapped = ({ bin, ...reference }: MappedCardSample) => ({ bin, reference });

export class MerchantServerClient {
  constructor(
    private readonly side: PublicSide,
    private readonly prefix = '',
  ) {}

  below(login: string): MerchantServerClient {
    return new MerchantServerClient(this.side, `/${login}`);
  }

  async send(
    path: string,
    body?: unknown,
    { method = 'POST', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
  ): Promise<MerchantServerReply> {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const answer = await this.side.request(`${this.prefix}/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(text !== undefined && { body: text }),
    });
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    return {
      status: answer.status,
      headers: answer.headers,
      text: answer.body,
      body: (isJson ? JSON.parse(answer.body) : {}) as MerchantServerBody,
    };
  }

  requestToken(query = '', headers: Record<string, string> = {}): Promise<MerchantServerReply> {
    return this.send(MERCHANT_ROUTES.accessToken[0] + query, undefined, { method: 'GET', headers });
  }

  async token(email?: string): Promise<string> {
    const reply = await this.requestToken(email === undefined ? '' : `?email=${encodeURIComponent(email)}`);
    return reply.body.session.accessToken;
  }

  initiate(
    operation: DeviceOperation,
    {
      accessToken,
      serialNumber = 'SN-1',
      currency = 'USD',
      amountCentis = 12_345,
      path = MERCHANT_ROUTES.initiate[operation][0],
      transaction: extra = {},
      ...more
    }: {
      accessToken: string;
      serialNumber?: string;
      currency?: string;
      amountCentis?: number;
      path?: string;
      transaction?: object;
      [member: string]: unknown;
    },
  ): Promise<MerchantServerReply> {
    const transaction = { currency, ...(operation !== 'verification' && { amountCentis }), ...extra };
    return this.send(path, { consumer: { device: { serialNumber } }, session: { accessToken }, transaction, ...more });
  }

  async begin(
    operation: DeviceOperation,
    { email, serialNumber = 'SN-1', ...more }: { email?: string; serialNumber?: string; accessToken?: string } = {},
  ): Promise<Begun> {
    const accessToken = more.accessToken ?? (await this.token(email));
    const { body } = await this.initiate(operation, { accessToken, serialNumber });
    const { endpointId, invoiceId, session } = body as {
      endpointId: string;
      invoiceId: string;
      session: { nonce: string; signature: string };
    };
    const { nonce, signature } = session;
    return { operation, serialNumber, accessToken, endpointId, invoiceId, nonce, signature, token: randomUUID() };
  }

  check(begun: Begun, more: object = {}): Promise<MerchantServerReply> {
    const { operation, serialNumber, accessToken, invoiceId, nonce, signature, token } = begun;
    return this.send(`${operation}/${invoiceId}/check`, {
      consumer: { device: { serialNumber } },
      session: { accessToken, nonce, signature, token },
      ...more,
    });
  }

  notify(
    { operation, serialNumber, accessToken, token }: Begun,
    cards: { readonly source?: MappedCardSample; readonly destination?: MappedCardSample } = { source: SAMPLE_CARD },
    path = `${operation}/notification`,
    signed?: NotificationSigning,
  ): Promise<MerchantServerReply> {
    const { source, destination } = cards;
    const told =
      operation === 'verification' && source !== undefined
        ? { reference: mapped(source).reference, sourceCard: { bin: source.bin } }
        : { ...(source && { sourceCard: mapped(source) }), ...(destination && { destinationCard: mapped(destination) }) };
    const body = JSON.stringify({ consumer: { device: { serialNumber } }, session: { accessToken, token }, ...told });
    if (signed === undefined) return this.send(path, body);
    const { secret, at, headers = {}, bend = (text) => text } = signed;
    return this.send(path, bend(body), { headers: { ...webhookHeaders(`n-${token}`, at, body, secret), ...headers } });
  }

  clientIds({
    serialNumber,
    accessToken,
    invoiceId,
  }: Pick<Begun, 'serialNumber' | 'accessToken' | 'invoiceId'>): Promise<MerchantServerReply> {
    return this.send(`cardrefs/${invoiceId}/get-client-ids`, { consumer: { device: { serialNumber } }, session: { accessToken } });
  }

  tellRandomSum(
    { serialNumber, accessToken, invoiceId }: Pick<Begun, 'serialNumber' | 'accessToken' | 'invoiceId'>,
    randomSumCentis: number,
  ): Promise<MerchantServerReply> {
    const body = { consumer: { device: { serialNumber } }, session: { accessToken }, transaction: { randomSumCentis } };
    return this.send(`cardrefs/${invoiceId}/random-sum`, body);
  }

  /**
   * @returns the data of its initiate, and the app's names for the cards afterwards
   */
  async complete(
    operation: DeviceOperation,
    who: { email?: string; serialNumber?: string; accessToken?: string } = {},
    cards?: Parameters<MerchantServerClient['notify']>[1],
    signed?: NotificationSigning,
  ): Promise<{ begun: Begun; source: string; destination: string }> {
    const begun = await this.begin(operation, who);
    await this.check(begun);
    await this.notify(begun, cards, undefined, signed);
    const { sourceCard, destinationCard } = (await this.clientIds(begun)).body;
    return { begun, source: sourceCard?.reference.clientCardId ?? '', destination: destinationCard?.reference.clientCardId ?? '' };
  }
}

export const byReference = (clientCardId: string): object => ({ reference: { clientCardId } });
