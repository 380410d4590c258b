import { createConnection } from 'node:net';
import { once } from 'node:events';
import type { CallbackReceiver } from '../../merchants/callback-receiver';
import type { Answer, Merchant } from '../../merchants/merchant';
import type { Order } from '../../merchants/signed-requests';
import type { HttpAnswer, Service } from '../../processes/service';
import type { Payer } from '../../merchants/payer';
import { isAnswerLost } from '../clients/clients';
import type { Phone } from './phone';

const SOCKET_TIMEOUT_MS = 15_000;

export interface RecordedAnswer {
  readonly name: string;
  readonly text: string;
}

export class CanaryService {
  readonly answers: RecordedAnswer[] = [];

  constructor(
    readonly service: Service,
    readonly merchant: Merchant,
    readonly payer: Payer,
    readonly receiver: CallbackReceiver,
    readonly cardRefId: string,
    readonly order: Order,
    readonly phone: Phone,
  ) {}

  async record<Answered extends HttpAnswer>(name: string, answer: Promise<Answered>): Promise<Answered> {
    const got = await answer;
    this.answers.push({ name, text: `${JSON.stringify(got.headers)}\n${got.body}` });
    return got;
  }

  send(
    name: string,
    path: string,
    options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
  ): Promise<HttpAnswer> {
    return this.record(name, this.service.request(path, options));
  }

  async sendRaw(name: string, bytes: string | Buffer, ending: 'wait' | 'break' = 'wait'): Promise<void> {
    const socket = createConnection(this.service.port, '127.0.0.1');
    socket.setTimeout(SOCKET_TIMEOUT_MS, () => socket.destroy());
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    socket.write(bytes, () => ending === 'break' && socket.destroySoon());
    await closed;
    this.answers.push({ name, text });
  }

  /** Undefined if the process ended before it answered. */
  async sale(name: string, fields: Parameters<Merchant['sale']>[0], at = '1001'): Promise<Answer | undefined> {
    try {
      return await this.record(name, this.merchant.sale(fields, { at }));
    } catch (error) {
      if (isAnswerLost(error)) return undefined;
      throw error;
    }
  }
}
