import { type FieldEntry, concealCardNumbers } from '@app/event-store';
import type { Instant, Deadline, MerchantLogin, Sealed } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { RESEND_REASON } from '@app/callbacks';
import { SEALED_FIELDS, unpackTexts } from '@app/orders/domain';
import { CASE_REASON } from '@app/reconciliation';
import { auditInstant } from './audit-instant';
import { APPROVAL_REASON } from '../approvals';
import { ERASURE_REASON, HOLD_REASON } from '../erasure/erase-order';
import { ACTION_REASON, REVEAL_REASON } from '../record/operator-audit.events';

const SHOWN_MAX = 4;

/** The end of a card token, never more than half of it. */
export const tokenEnd = (reference: string): string => {
  const shown = Math.min(SHOWN_MAX, Math.floor(reference.length / 2));
  return `…${shown === 0 ? '' : reference.slice(-shown)}`;
};

const SEALED = '[sealed]';
export const ERASED = '[erased]';

/** Members that could be used to charge a card; only their end is shown. */
const CHARGES_CARD = /(^|\.)(token|cardToken|networkTransactionId)$/;

const CASE = /\([^)]*\)/g;

interface SealedText {
  readonly path: string;
  readonly sealed: string;
}

// Paths of tagged fields include the tag, which is a separate member in the data.
const pathsOf = (fields: readonly FieldEntry[], wanted: FieldEntry['kind']): ReadonlySet<string> =>
  new Set(fields.filter(({ kind }) => kind === wanted).map(({ path }) => path.replace(CASE, '')));

/** Replaces members by path; descends if `replace` returns undefined. */
const replaced = (value: unknown, path: string, replace: (value: unknown, path: string) => unknown): unknown => {
  const own = replace(value, path);
  if (own !== undefined) return own;
  if (Array.isArray(value)) return value.map((item) => replaced(item, `${path}[]`, replace));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, replaced(member, path === '' ? name : `${path}.${name}`, replace)]),
  );
};

/**
 * Event data for programs: seals are marked, card tokens shortened, times ISO 8601, amounts texts.
 * @param shown replacement of a sealed text
 */
export const concealSealed = (
  data: unknown,
  fields: readonly FieldEntry[],
  shown: Pick<ReadonlyMap<string, unknown>, 'get'> = NOTHING,
): unknown => {
  const [sealed, instants, references] = [pathsOf(fields, 'sealed'), pathsOf(fields, 'instant'), pathsOf(fields, 'gate-reference')];
  return replaced(data, '', (value, path) => {
    if (sealed.has(path)) return (typeof value === 'string' ? shown.get(value) : undefined) ?? SEALED;
    if (instants.has(path) && typeof value === 'number') return auditInstant(value as Instant);
    if (references.has(path) && CHARGES_CARD.test(path) && typeof value === 'string') return tokenEnd(value);
    return typeof value === 'bigint' ? value.toString() : undefined;
  });
};

const NOTHING: ReadonlyMap<string, unknown> = new Map();

export const sealedTexts = (data: unknown, fields: readonly FieldEntry[]): readonly SealedText[] => {
  const sealed = pathsOf(fields, 'sealed');
  const found: SealedText[] = [];
  replaced(data, '', (value, path) => {
    if (sealed.has(path) && typeof value === 'string') found.push({ path, sealed: value });
    return undefined;
  });
  return found;
};

/** Numeric fields. One in ten passes a card number check by chance, and an IMEI always, so masking would hide them. */
const NUMBERS: ReadonlySet<string> = new Set([
  'phone',
  'cellPhone',
  'imei',
  'serialNumber',
  'ipAddress',
  'ipAddresses',
  'latitude',
  'longitude',
]);

/** An unsealed text for people. Possible card numbers are masked, since a payer may have typed one in any field. */
export const shownText = (name: string, text: string): string => (NUMBERS.has(name) ? text : concealCardNumbers(text));

/** Shown whole, or as its packed parts without those that grant access to a session. */
type Shown = 'text' | { readonly without: ReadonlySet<string> };

interface SealedPlace {
  readonly field: string;
  readonly shown: Shown;
}

const PACKED: Shown = { without: new Set() };
/** With these anyone could query the order's status, or act as the consumer's device. */
const SESSION: Shown = { without: new Set(['accessToken', 'nonce', 'signature', 'token']) };

const PLACES: Readonly<Record<string, SealedPlace>> = {
  customer: { field: SEALED_FIELDS.customer, shown: PACKED },
  details: { field: SEALED_FIELDS.details, shown: PACKED },
  device: { field: SEALED_FIELDS.device, shown: SESSION },
  comment: { field: SEALED_FIELDS.followUpComment, shown: 'text' },
};

/** Reasons are sealed under a different name per category; those of holds have a separate one. */
const REASONS: Readonly<Record<string, string>> = {
  delivery: RESEND_REASON,
  reconciliation: CASE_REASON,
  operator: REVEAL_REASON,
  OperatorActionBegun: ACTION_REASON,
  erasure: ERASURE_REASON,
  approval: APPROVAL_REASON,
  LegalHoldPlaced: HOLD_REASON,
  LegalHoldReleased: HOLD_REASON,
};

/** Undefined for texts that are never shown: a gate's session, and the page that leads a payer's browser into it. */
const placeOf = (category: string, type: string, path: string): SealedPlace | undefined => {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return name === 'reason' ? { field: REASONS[type] ?? REASONS[category] ?? SEALED_FIELDS.settlementReason, shown: 'text' } : PLACES[name];
};

const textsIn = (packed: string, { without }: Exclude<Shown, 'text'>): Readonly<Record<string, string>> =>
  Object.fromEntries([...unpackTexts(packed)].flatMap(([name, text]) => (without.has(name) ? [] : [[name, shownText(name, text)]])));

/**
 * Unsealed texts of one event, by sealed text; excludes texts that are never shown.
 * @throws VaultUnavailable
 */
export const revealedTexts = async (
  sealer: Pick<OrderSealer, 'unseal'>,
  { category, type, merchant }: { readonly category: string; readonly type: string; readonly merchant: MerchantLogin },
  texts: readonly SealedText[],
  deadline?: Deadline,
): Promise<ReadonlyMap<string, unknown>> => {
  const revealed = new Map<string, unknown>();
  for (const { path, sealed } of texts) {
    const place = placeOf(category, type, path);
    if (place === undefined) continue;
    const text = await sealer.unseal(merchant, place.field, sealed as Sealed, deadline);
    revealed.set(sealed, text === undefined ? ERASED : place.shown === 'text' ? shownText(place.field, text) : textsIn(text, place.shown));
  }
  return revealed;
};
