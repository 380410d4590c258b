import type { Call, Received, Transport } from '@app/device-client';
import { jsonFields } from './json-fields';
import type { TourReport } from './tour-report';

const STATUS_PATH = '/status';

/** Shows the device's requests and answers; of its polling only the answers with something new. */
export class ShownTransport implements Transport {
  #lastStatus = '';

  constructor(
    private readonly transport: Transport,
    private readonly report: TourReport,
  ) {}

  async send(call: Call): Promise<Received> {
    const startedAt = performance.now();
    const received = await this.transport.send(call);
    const body = received.kind === 'received' ? Buffer.from(received.body).toString('utf8') : '';
    if (call.url.endsWith(STATUS_PATH)) {
      if (body === this.#lastStatus) return received;
      this.#lastStatus = body;
    }
    this.report.request(call.method, call.url, jsonFields(call.body ?? ''));
    const head = received.kind === 'no-answer' ? received.reason : `HTTP ${received.httpStatus}`;
    this.report.answer(`${head}, ${(performance.now() - startedAt).toFixed(0)} ms`, jsonFields(body));
    return received;
  }

  close(): Promise<void> {
    return this.transport.close();
  }
}
