import { sleep, type AttemptKey, type Deadline, type GateAlias, type Instant, type Scheduler } from '@app/kernel';
import { assertInTime, type StreamName } from '@app/event-store';
import type { CallLimit, Gate, InquiryAnswer, SentFollowUp, SentRequest } from '@app/gateway-adapters/contract';
import type { OperatorAudit } from '@app/investigation/record';
import type { GateAttemptView, GateAttemptsPage, GateAttemptsCursor, GateAttemptsRecord } from '@app/read-models';
import {
  caseRequestOf,
  compareAnswer,
  type CaseRequestBody,
  type Finding,
  type InquiryPage,
  type OrderName,
  type InquiredRecord,
} from '@app/reconciliation';
import { act, type ActingOperator } from '@app/investigation';
import type { InquireRequest } from './reconciliation.requests';

const INQUIRIES_AT_ONCE = 20;
/** Pause between inquiries, so that a request for a whole day leaves the gate room for current orders. */
const GAP_MS = 20;
const INQUIRY_MS = 5_000;
const PLACE = /^(\d{1,16})@([A-Za-z]{1,64}-[a-z2-7]{52})$/;

export interface GateInquiriesPorts {
  readonly gates: { find(alias: GateAlias): Gate | undefined };
  readonly gateAttempts: {
    touchedIn(from: Instant, before: Instant, limit: number, after?: GateAttemptsCursor): Promise<GateAttemptsPage>;
  };
  readonly scheduler: Scheduler;
  readonly audit: Pick<OperatorAudit, 'begin' | 'end'>;
}

export type Inquired =
  ({ readonly reason: 'asked' } & InquiryPage) | { readonly reason: 'unknown-gate' | 'takes-no-inquiries' | 'malformed-after' };

const placeOf = (after: string): GateAttemptsCursor | undefined => {
  const found = PLACE.exec(after);
  return found === null ? undefined : { touchedAt: Number(found[1]) as Instant, stream: found[2] as StreamName };
};

type Sent = GateAttemptView & { readonly key: AttemptKey };

const sentOf = ({ view: { orderId, merchant, endpointId, asked } }: GateAttemptsRecord, one: Sent): SentRequest | SentFollowUp => {
  const { key, original, operation, amountMinor, currency } = one;
  const named = { key, orderId: orderId, merchant: merchant, endpointId };
  if (operation === 'account-verification') return named;
  const amount = { minor: BigInt(amountMinor), currency };
  if (operation !== 'capture' && operation !== 'return' && operation !== 'void') return { ...named, amount };
  const gateOrderId = asked.find((other) => other.key === original)?.gateOrderId ?? undefined;
  return { ...named, amount, original, operation, ...(gateOrderId !== undefined && { gateOrderId }) };
};

const toldBy = (answer: InquiryAnswer): InquiredRecord => {
  switch (answer.kind) {
    case 'approved':
    case 'declined': {
      const { kind, processedAt, commission, gateOrderId, rrn, transactionId } = answer;
      return {
        kind,
        processedAt,
        reference: transactionId,
        ...(commission !== undefined && { commissionMinor: commission.minor }),
        ...(gateOrderId !== undefined && { gateOrderId }),
        ...(rrn !== undefined && { rrn }),
      };
    }
    case 'not-asked':
    case 'not-found':
      return { kind: answer.kind };
    case 'unknown':
    case 'payer-needed':
      return { kind: 'undecided' };
  }
};

/** Asks a gate for the outcomes of a period, page by page, and compares. It changes nothing: a second request opens cases. */
export class GateInquiries {
  constructor(private readonly ports: GateInquiriesPorts) {}

  /** @param deadline ends the inquiries when the caller has disconnected. @throws StoreUnavailable also then */
  async ask({ gate: alias, from, before, after }: InquireRequest, acting: ActingOperator, deadline?: Deadline): Promise<Inquired> {
    const { audit, gates } = this.ports;
    const place = after === undefined ? undefined : placeOf(after);
    if (after !== undefined && place === undefined) return { reason: 'malformed-after' };
    return act(audit, acting, { action: 'inquire-gate', target: alias, done: ['asked'] }, async (): Promise<Inquired> => {
      const gate = gates.find(alias as GateAlias);
      if (gate === undefined) return { reason: 'unknown-gate' };
      if (gate.inquiring === undefined) return { reason: 'takes-no-inquiries' };
      return this.#askPage({ gate, inquiring: gate.inquiring, from: from as Instant, before: before as Instant, after: place, deadline });
    });
  }

  async #askPage({ gate, inquiring, from, before, after, deadline }: AskedPage): Promise<Inquired> {
    const { alias } = gate.profile;
    const page = await this.ports.gateAttempts.touchedIn(from, before, INQUIRIES_AT_ONCE, after);
    const told = { asked: 0, matched: 0, notTold: 0 };
    const differences: CaseRequestBody[] = [];
    for (const record of page.records) {
      for (const one of record.view.asked) {
        if (one.gate !== alias || !isSent(one) || one.askedAt >= before) continue;
        if (told.asked > 0) await sleep(this.ports.scheduler, GAP_MS);
        assertInTime(deadline);
        told.asked += 1;
        const answer = await this.#inquire(inquiring, sentOf(record, one), deadline);
        assertInTime(deadline);
        const compared = compareAnswer(one, answer);
        const order: OrderName = { stream: record.stream, orderId: record.view.orderId, merchant: record.view.merchant };
        if (compared.kind === 'matched') told.matched += 1;
        else if (compared.kind === 'not-told') told.notTold += 1;
        else differences.push(caseRequestOf(findingOf(order, one, compared), { gate: alias, source: 'inquiry' }));
      }
    }
    const next = page.next === undefined ? {} : { next: `${page.next.touchedAt}@${page.next.stream}` };
    return { reason: 'asked', ...told, differences, ...next };
  }

  /** A timeout or an error leaves our outcome unchanged. */
  async #inquire(
    inquiring: NonNullable<Gate['inquiring']>,
    sent: SentRequest | SentFollowUp,
    deadline: Deadline | undefined,
  ): Promise<InquiredRecord> {
    const abort = new AbortController();
    const limit: CallLimit = { withinMs: INQUIRY_MS, signal: abort.signal };
    const timer = this.ports.scheduler.after(INQUIRY_MS, () => abort.abort());
    const forget = deadline?.whenOver(() => abort.abort());
    try {
      const silence = new Promise<InquiredRecord>((resolve) =>
        abort.signal.addEventListener('abort', () => resolve({ kind: 'undecided' })),
      );
      return await Promise.race([inquiring.inquire(sent, limit).then(toldBy), silence]);
    } catch {
      return { kind: 'undecided' };
    } finally {
      timer.cancel();
      forget?.();
    }
  }
}

interface AskedPage {
  readonly gate: Gate;
  readonly inquiring: NonNullable<Gate['inquiring']>;
  readonly from: Instant;
  readonly before: Instant;
  readonly after: GateAttemptsCursor | undefined;
  readonly deadline: Deadline | undefined;
}

const isSent = (one: GateAttemptView): one is Sent => one.key !== null;

const findingOf = (
  order: OrderName,
  ours: GateAttemptView,
  compared: Extract<ReturnType<typeof compareAnswer>, { kind: 'different' | 'missing-there' }>,
): Exclude<Finding, { kind: 'matched' }> =>
  compared.kind === 'different'
    ? { kind: 'different', order, ours, line: compared.line, differences: compared.differences }
    : { kind: 'missing-there', order, ours };
