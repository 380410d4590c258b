import type { ServiceDigests } from '@app/card-vault';
import type { OperatorAudit } from '../record/operator-audit';
import type { OperatorQuery } from '../record/operator-audit.events';
import { byOf, type ActingOperator } from './acting-operator';

/** A question as it was answered. */
export interface AnsweredQuestion {
  readonly query: OperatorQuery;
  /** The order that it was about, where there is one. */
  readonly orderId?: string;
  /** What it was narrowed by. */
  readonly question: object;
  readonly rows: number;
}

/** Puts a question on record before its answer leaves: by whom it was, by what it was narrowed, and the keyed digest of that. */
export class QuestionsOnRecord {
  constructor(
    private readonly audit: Pick<OperatorAudit, 'answered'>,
    private readonly digests: Pick<ServiceDigests, 'onceKey'>,
  ) {}

  /** @throws StoreUnavailable where it is not on record, and must not be answered */
  async answered(acting: ActingOperator, { query, orderId, question, rows }: AnsweredQuestion): Promise<void> {
    const given = Object.entries(question as Readonly<Record<string, unknown>>).filter(([, value]) => value !== undefined);
    const parts = given.sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([name, value]) => [name, String(value)]);
    await this.audit.answered(byOf(acting), {
      query,
      role: acting.operator.role,
      ...(orderId !== undefined && { target: orderId }),
      filters: given.map(([name]) => name),
      digest: this.digests.onceKey('audit question', [query, orderId ?? '', ...parts]),
      format: 'json',
      rows,
    });
  }
}
