import {
  CONTENT_TYPES,
  inFormat,
  LISTED_ORDER_COLUMNS,
  listedOrder,
  questionParts,
  type AuditFormat,
  type ListOrders,
  type ListQuestion,
} from '@app/audit';
import type { Actor, EventStore } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import type { OperatorAudit } from '@app/operator-audit';
import { indexState } from '@app/order-queries';
import { ORDER_STATUS, type ProjectionHealth } from '@app/projections';
import { actorOf } from '../operator-access';
import type { ActingOperator } from '../acting-operator';

export interface AuditServicePorts {
  readonly lists: Pick<ListOrders, 'page'>;
  readonly log: Pick<EventStore, 'subscribe'>;
  readonly readModel: { health(): Promise<readonly ProjectionHealth[]> };
  readonly audit: Pick<OperatorAudit, 'answered'>;
}

export interface ListAsked {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly format: AuditFormat;
  readonly deadline: Deadline;
}

/** A page of an answer in its format. */
export interface AuditAnswer {
  readonly contentType: string;
  readonly body: string;
  /** The cursor of the next page. */
  readonly next: string | undefined;
}

const byOf = ({ operator, claimedActor }: ActingOperator): Actor => ({
  actor: actorOf(operator),
  ...(claimedActor !== undefined && { claimedActor }),
});

/** What investigators ask; each question is on record before its answer leaves. */
export class AuditService {
  constructor(private readonly ports: AuditServicePorts) {}

  /**
   * @returns undefined where the cursor is of no page of this question
   * @throws StoreUnavailable also where the question cannot be recorded
   */
  async listOrders(
    question: ListQuestion,
    { limit, cursor, format, deadline }: ListAsked,
    acting: ActingOperator,
  ): Promise<AuditAnswer | undefined> {
    const { lists, audit } = this.ports;
    const page = await lists.page(question, { limit, cursor, deadline });
    if (page === undefined) return undefined;
    const { orders, next, isCutShort, digest } = page;
    const index = format === 'json' ? await this.#indexState() : undefined;
    const facts = { next, isCutShort: isCutShort || undefined, index };
    const body = inFormat(format, 'orders', LISTED_ORDER_COLUMNS, orders.map(listedOrder), facts);
    const filters = questionParts(question).map(([name]) => name);
    const { role } = acting.operator;
    await audit.answered(byOf(acting), { query: 'list-orders', role, filters, digest, format, rows: orders.length });
    return { contentType: CONTENT_TYPES[format], body, next };
  }

  /** Says where the index is behind the log, so that an order may be missing. */
  async #indexState(): Promise<string | undefined> {
    const health = (await this.ports.readModel.health()).find(({ projection }) => projection === ORDER_STATUS);
    const state = await indexState(this.ports.log, health?.position);
    return state === 'level' ? undefined : state;
  }
}
