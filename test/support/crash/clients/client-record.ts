import type { Answer } from '../../merchants/merchant';

const FINAL: ReadonlySet<string | undefined> = new Set(['approved', 'declined', 'filtered', 'error']);

export interface FinalStatus {
  readonly status: string;
  readonly code: string | undefined;
}

/** A request that the service must carry out once it has acknowledged it (safety, section 2.1). */
export class ClientRecord {
  /** Answers that the interface forbids. */
  readonly faults: string[] = [];
  #final: FinalStatus | undefined;
  #refusals = 0;

  get refusals(): number {
    return this.#refusals;
  }

  get final(): FinalStatus | undefined {
    return this.#final;
  }

  /** Repeat the request if it was not acknowledged: it was refused, or the outcome is unknown (protocol decisions, section 4). */
  protected takeRefusal({ fields, body }: Answer): void {
    const { type, 'error-code': code } = fields;
    if (type === 'error' && code === '20') this.#refusals++;
    if (type !== 'error' || (code !== '20' && code !== '21')) this.faults.push(`was answered ${JSON.stringify(body)}`);
  }

  protected takeStatusOf(expectedOrderId: string, fields: Answer['fields']): void {
    const { type, status, 'paynet-order-id': orderId, 'error-code': code } = fields;
    // The outcome is still unknown, so the client asks again later.
    if (type === 'error' && code === '20') return;
    if (type !== 'status-response' || status === undefined || orderId !== expectedOrderId) {
      this.faults.push(`acknowledged, and its status is ${JSON.stringify(fields)}`);
      return;
    }
    const known = this.#final;
    if (known !== undefined && (known.status !== status || known.code !== code)) {
      this.faults.push(`was told ${known.status} ${known.code}, and then ${status} ${code} (safety, I13)`);
    }
    if (FINAL.has(status)) this.#final = { status, code };
  }
}
