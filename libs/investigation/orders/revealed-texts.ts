import type { OrderSealer } from '@app/card-vault';
import { RESEND_REASON } from '@app/callbacks';
import type { Deadline, MerchantLogin, Sealed } from '@app/kernel';
import { SEALED_FIELDS, unpackTexts } from '@app/orders/domain';
import { CASE_REASON } from '@app/reconciliation';
import { ERASURE_REASON } from '../erasure/erase-order';
import { HOLD_REASON } from '../erasure/legal-holds';
import { REVEAL_REASON } from '../record/operator-audit.events';
import { ERASED, type SealedText } from './conceal-sealed';
import { shownText } from './shown-text';

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
