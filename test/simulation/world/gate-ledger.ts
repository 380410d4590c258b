import type { Approved, ChargeAnswer, ChargeRequest, Declined, PayerNeeded, VerifyRequest } from '@app/gateway-adapters/contract';
import type { AttemptKey, Clock, Currency, Money, OrderId, Scheduler } from '@app/kernel';
import type { KeyedChance } from './keyed-chance';

const ISSUER_DECLINED = 116;
const CAPTURE_TWICE = 194;
/** The gate declines a return of one cent. A persistent shop requests it. */
const NOT_RETURNED_MINOR = 1n;
const HOSTED_SHARE = 0.3;
/** Until the payer finishes or the gate stops waiting, which may exceed the service's limit for payers. */
const HOSTED_MS = [1_000, 20 * 60_000] as const;

export const WITHDRAWN: Money = { minor: 111n, currency: 'USD' as Currency };

export type EntryKind = 'charge' | 'authorisation' | 'verification' | 'transfer' | 'capture' | 'refund' | 'void';

export interface BookEntry {
  readonly key: AttemptKey;
  readonly kind: EntryKind;
  readonly orderId: OrderId;
  readonly amount: Money | undefined;
  readonly original: AttemptKey | undefined;
  outcome: Approved | Declined | PayerNeeded;
}

export interface Asked {
  readonly key: AttemptKey;
  readonly kind: EntryKind;
  readonly orderId: OrderId;
  readonly amount?: Money;
  readonly original?: AttemptKey;
  readonly payerReturnUrl: string | undefined;
}

type Decided = Pick<BookEntry, 'key' | 'kind'> & { readonly amount?: Money | undefined };

export interface LedgerRates {
  readonly declines: number;
  readonly payerNeeded: number;
}

/** Processes each key once, however often callers send it. */
export class GateLedger {
  readonly overdrawn = new Set<OrderId>();
  readonly #entries = new Map<AttemptKey, BookEntry>();

  constructor(
    private readonly clock: Clock,
    private readonly scheduler: Scheduler,
    private readonly chance: KeyedChance,
    private readonly rates: () => LedgerRates,
    private readonly commissionOf: (amount: Money) => Money,
  ) {}

  get entries(): readonly BookEntry[] {
    return [...this.#entries.values()];
  }

  find(key: AttemptKey): BookEntry | undefined {
    return this.#entries.get(key);
  }

  process(asked: Asked): BookEntry {
    const known = this.#entries.get(asked.key);
    if (known !== undefined) return known;
    const { key, kind, orderId, amount, original } = asked;
    const { payerReturnUrl } = asked;
    const asksPayer = payerReturnUrl !== undefined && this.chance.happens(this.rates().payerNeeded, 'gate.payer', key);
    const outcome = asksPayer ? this.#challenge(key, payerReturnUrl) : this.#decideOn(asked);
    const entry: BookEntry = { key, kind, orderId, amount, original, outcome };
    this.#entries.set(key, entry);
    if (asksPayer && entry.outcome.kind === 'payer-needed' && entry.outcome.isHosted === true)
      this.scheduler.after(this.chance.between(...HOSTED_MS, 'gate.hosts-ms', key), () => void this.complete(entry));
    return entry;
  }

  #challenge(key: AttemptKey, payerReturnUrl: string): PayerNeeded {
    const fields = { PaReq: key, TermUrl: payerReturnUrl };
    const challenge = { kind: 'payer-needed', transactionId: `t-${key}` } as const;
    if (!this.chance.happens(HOSTED_SHARE, 'gate.hosts', key)) return { ...challenge, page: { action: 'https://acs.example/', fields } };
    return { ...challenge, page: { address: `https://acs.example/?${new URLSearchParams(fields).toString()}` }, isHosted: true };
  }

  complete(entry: BookEntry): ChargeAnswer {
    if (entry.outcome.kind === 'payer-needed') entry.outcome = this.#decide(entry, 'AUTHENTICATED');
    return entry.outcome;
  }

  oppositeOf(entry: BookEntry): Approved | Declined {
    return entry.outcome.kind === 'approved' ? this.#declined(entry.key, ISSUER_DECLINED) : this.#approved(entry);
  }

  #decideOn(asked: Asked): Approved | Declined {
    const { key, kind, orderId, amount, original } = asked;
    if (original === undefined) return this.#decide(asked);
    if (kind === 'refund' && amount?.minor === NOT_RETURNED_MINOR) return this.#declined(key, ISSUER_DECLINED);
    const leftMinor = this.#leftOf(original, kind);
    if (leftMinor === undefined || (amount?.minor ?? 0n) > leftMinor) {
      this.overdrawn.add(orderId);
      return this.#declined(key, CAPTURE_TWICE);
    }
    return this.#decide(asked);
  }

  /** The amount that a follow-up may still use; undefined if it is not allowed. */
  #leftOf(original: AttemptKey, kind: EntryKind): bigint | undefined {
    const first = this.#entries.get(original);
    if (first?.outcome.kind !== 'approved') return undefined;
    const followed = this.entries.filter((entry) => entry.original === original && entry.outcome.kind === 'approved');
    if (followed.some((entry) => entry.kind === 'void')) return undefined;
    const captureAt = followed.findIndex((entry) => entry.kind === 'capture');
    // A return before the capture releases a part of the authorisation.
    const returned = followed.slice(captureAt + 1).filter((entry) => entry.kind === 'refund');
    const left = (from: bigint): bigint => returned.reduce((sum, { amount }) => sum - (amount?.minor ?? 0n), from);
    if (kind === 'void') return returned.length > 0 ? undefined : first.amount?.minor;
    if (kind === 'capture') return captureAt >= 0 ? undefined : left(first.amount?.minor ?? 0n);
    return left((captureAt < 0 ? first : followed[captureAt])?.amount?.minor ?? 0n);
  }

  #decide(asked: Decided, payerAuthentication?: 'AUTHENTICATED'): Approved | Declined {
    if (this.chance.happens(this.rates().declines, 'gate.declines', asked.key)) return this.#declined(asked.key, ISSUER_DECLINED);
    const authentication = payerAuthentication === undefined ? {} : { payerAuthentication };
    return { ...this.#approved(asked), ...authentication };
  }

  #approved({ key, kind, amount }: Decided): Approved {
    const approved = { kind: 'approved', transactionId: `t-${key}`, approvalCode: 'W0RLD1', processedAt: this.clock.now() } as const;
    if (kind === 'transfer' && amount !== undefined) return { ...approved, commission: this.commissionOf(amount) };
    return kind === 'verification' ? { ...approved, randomSum: WITHDRAWN } : approved;
  }

  #declined(key: AttemptKey, code: number): Declined {
    return { kind: 'declined', transactionId: `t-${key}`, code, processedAt: this.clock.now() };
  }
}

export const chargeAsked = (kind: EntryKind, { key, orderId, amount, payerReturnUrl }: ChargeRequest): Asked => ({
  key,
  kind,
  orderId,
  amount,
  payerReturnUrl,
});

export const verifyAsked = ({ key, orderId, payerReturnUrl }: VerifyRequest): Asked => ({
  key,
  kind: 'verification',
  orderId,
  payerReturnUrl,
});

const isCharging = ({ kind }: { readonly kind: EntryKind }): boolean =>
  kind === 'charge' || kind === 'authorisation' || kind === 'transfer';

export const chargesIn = (book: readonly BookEntry[]): readonly BookEntry[] =>
  book.filter((entry) => isCharging(entry) && entry.outcome.kind === 'approved');
