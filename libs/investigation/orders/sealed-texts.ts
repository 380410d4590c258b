import { type FieldEntry, concealCardNumbers } from '@app/event-store';
import type { Instant, Deadline, MerchantLogin, Sealed } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { RESEND_REASON } from '@app/callbacks';
import { SEALED_FIELDS, unpackTexts } from '@app/orders/domain';
import { CASE_REASON } from '@app/reconciliation';
import { auditInstant } from './audit-instant';
import { ERASURE_REASON, HOLD_REASON } from '../erasure/erase-order';
import { REVEAL_REASON } from '../record/operator-audit.events';

const SHOWN_MAX = 4;

/** The end of a reference by which a card is charged, and never more than half of it. */
export const tokenEnd = (reference: string): string => {
  const shown = Math.min(SHOWN_MAX, Math.floor(reference.length / 2));
  return `…${shown === 0 ? '' : reference.slice(-shown)}`;
};

/** Stands in place of a sealed text. */
export const SEALED = '[sealed]';
/** Stands in place of a sealed text whose key was erased. */
export const ERASED = '[erased]';

/** Members by which a card could be charged; of them no more than the end is shown. */
const CHARGES_CARD = /(^|\.)(token|cardToken|networkTransactionId)$/;

const CASE = /\([^)]*\)/g;

/** A sealed text of an event, and where it stands. */
interface SealedText {
  readonly path: string;
  readonly sealed: string;
}

// The path of a tagged field contains its case, which is a member of its own in the data.
const pathsOf = (fields: readonly FieldEntry[], wanted: FieldEntry['kind']): ReadonlySet<string> =>
  new Set(fields.filter(({ kind }) => kind === wanted).map(({ path }) => path.replace(CASE, '')));

/** Replaces the members of data by their paths; a member that `replace` gives undefined for is looked into. */
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
 * Event data for programs: sealed fields are only marked as such, since their ciphertext is of no use, of a gate's token there is the end alone, times are
 * ISO 8601 and amounts are texts.
 * @param shown what stands in place of sealed texts, by the text
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

/** The sealed texts of event data, at any depth. */
export const sealedTexts = (data: unknown, fields: readonly FieldEntry[]): readonly SealedText[] => {
  const sealed = pathsOf(fields, 'sealed');
  const found: SealedText[] = [];
  replaced(data, '', (value, path) => {
    if (sealed.has(path) && typeof value === 'string') found.push({ path, sealed: value });
    return undefined;
  });
  return found;
};

/** Numbers by what they are, of which one in ten passes the check of a card number by chance, and an IMEI always: it would hide what is asked for. */
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

/** A text that was unsealed, for people: without what looks like a card number, which a payer may have typed into any of them. */
export const shownText = (name: string, text: string): string => (NUMBERS.has(name) ? text : concealCardNumbers(text));

/** How a sealed text is shown: as it is, or as the texts that are packed in it, without those that would give somebody a session. */
type Shown = 'text' | { readonly without: ReadonlySet<string> };

interface SealedPlace {
  /** The name under which it was sealed; bound into the ciphertext. */
  readonly field: string;
  readonly shown: Shown;
}

const PACKED: Shown = { without: new Set() };
/** Whoever holds them can ask for the status of the order, or act as the consumer's device. */
const SESSION: Shown = { without: new Set(['accessToken', 'nonce', 'signature', 'token']) };

const PLACES: Readonly<Record<string, SealedPlace>> = {
  customer: { field: SEALED_FIELDS.customer, shown: PACKED },
  details: { field: SEALED_FIELDS.details, shown: PACKED },
  device: { field: SEALED_FIELDS.device, shown: SESSION },
  comment: { field: SEALED_FIELDS.followUpComment, shown: 'text' },
};

/** A person's grounds are sealed under another name in each category that has any, and of a hold under its own. */
const REASONS: Readonly<Record<string, string>> = {
  delivery: RESEND_REASON,
  reconciliation: CASE_REASON,
  operator: REVEAL_REASON,
  erasure: ERASURE_REASON,
  LegalHoldPlaced: HOLD_REASON,
  LegalHoldReleased: HOLD_REASON,
};

/** Undefined for what is never shown: a gate's session, and the page that leads a payer's browser into one. */
const placeOf = (category: string, type: string, path: string): SealedPlace | undefined => {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return name === 'reason' ? { field: REASONS[type] ?? REASONS[category] ?? SEALED_FIELDS.settlementReason, shown: 'text' } : PLACES[name];
};

const textsIn = (packed: string, { without }: Exclude<Shown, 'text'>): Readonly<Record<string, string>> =>
  Object.fromEntries([...unpackTexts(packed)].flatMap(([name, text]) => (without.has(name) ? [] : [[name, shownText(name, text)]])));

/**
 * What sealed texts of one event say, by the text; those that are never shown are left out.
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
