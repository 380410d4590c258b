import { randomBytes, randomUUID } from 'node:crypto';
import { gatewayPath, paymentSignature, verificationSignature, type DeviceOperation } from '@app/gateway-protocol';
import { Secret } from '@app/kernel';
import type { HttpAnswer, PublicSide } from '../http/http-client';
import type { Invoice, ScriptedMerchant } from './scripted-merchant';
import { until } from '../until';

const PREFIX = '/paynet/';
const EMAIL = 'kim@example.com';
const token64 = (): string => randomBytes(32).toString('hex');

export interface Asked {
  readonly operation: DeviceOperation;
  readonly endpointId: string;
  readonly amountCentis?: number;
  readonly currency?: string;
  readonly body?: object;
  readonly invoice?: Partial<Invoice>;
  readonly nonce?: string;
}

export interface Initiated {
  readonly operation: DeviceOperation;
  readonly endpointId: string;
  readonly invoiceId: string;
  readonly nonce: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly accessToken: string;
}

export type JsonAnswer = HttpAnswer & { readonly json: Readonly<Record<string, unknown>> };

export const cardOf = (securityCode: string, number = '4444333322221111') => ({
  number,
  expiry: { month: 12, year: 2030 },
  holder: { firstName: 'Kim', lastName: 'Lee' },
  securityCode,
});

/** The mobile app's half of Group B (interface, sections 4.2 and 4.5), for tests. */
export class Device {
  readonly serialNumber = `SN-${randomUUID().slice(0, 8)}`;
  readonly accessToken = token64();

  constructor(
    private readonly service: PublicSide,
    private readonly merchant: ScriptedMerchant,
    private readonly controlKey: string,
  ) {}

  initiate({ operation, endpointId, amountCentis, currency = 'USD', body = {}, invoice = {}, nonce = token64() }: Asked): Initiated {
    const invoiceId = randomUUID();
    const { accessToken, serialNumber } = this;
    const signed = { accessToken, serialNumber, endpointId, nonce, invoiceId, currency };
    const key = new Secret(this.controlKey);
    const signature = amountCentis === undefined ? verificationSignature(signed, key) : paymentSignature({ ...signed, amountCentis }, key);
    this.merchant.invoice(invoiceId, { operation, endpointId, nonce, serialNumber, email: EMAIL, ...invoice });
    const whole = {
      consumer: { device: { serialNumber }, email: EMAIL },
      session: { accessToken, nonce, signature },
      transaction: { currency, ...(amountCentis !== undefined && { amountCentis }) },
      ...body,
    };
    return { operation, endpointId, invoiceId, nonce, body: whole, accessToken };
  }

  post(path: string, body: object | string): Promise<JsonAnswer> {
    return this.sent(path, typeof body === 'string' ? body : JSON.stringify(body));
  }

  perform(initiated: Initiated): Promise<JsonAnswer> {
    return this.post(gatewayPath.perform(initiated.operation, initiated), initiated.body);
  }

  async performed(initiated: Initiated): Promise<string> {
    const { json, body } = await this.perform(initiated);
    const { token } = (json['session'] ?? {}) as { readonly token?: string };
    if (token === undefined) throw new Error(`perform was refused: ${body}`);
    return token;
  }

  status(initiated: Initiated, token: string): Promise<JsonAnswer> {
    const { operation, accessToken } = initiated;
    return this.post(gatewayPath.status(operation, initiated), { session: { accessToken, token } });
  }

  complete(initiated: Initiated, token: string, assignedId: string): Promise<JsonAnswer> {
    return this.post(gatewayPath.complete(initiated, assignedId), { session: { accessToken: initiated.accessToken, token } });
  }

  async statusWhen(initiated: Initiated, token: string, ...states: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
    let seen: unknown;
    return until(
      async () => {
        const { json } = await this.status(initiated, token);
        seen = json;
        return (states.includes(String(json['state'])) || 'error' in json) && json;
      },
      { what: `state ${states.join(' or ')}`, timeoutMs: 30_000, seen: () => seen },
    );
  }

  private async sent(path: string, body: string): Promise<JsonAnswer> {
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const answer = await this.service.request(PREFIX + path, options);
    return { ...answer, json: JSON.parse(answer.body) as Readonly<Record<string, unknown>> };
  }
}
