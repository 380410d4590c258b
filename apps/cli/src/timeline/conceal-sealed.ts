import type { FieldEntry } from '@app/event-store';
import type { Instant, Sealed } from '@app/kernel';
import { ERASED, nothingErased, SEALED, type IsErased } from './event-description';
import { isoText } from './instant-text';
import { tokenEnd } from './token-end';

/** Members by which a card could be charged; of them no more than the end is shown. */
const CHARGES_CARD = /(^|\.)(token|cardToken|networkTransactionId)$/;

const CASE = /\([^)]*\)/g;

/**
 * Event data for programs: sealed fields are only marked as such, or as erased, since their ciphertext is of no use, of a gate's token there is the end alone, and
 * times are ISO 8601.
 */
export const concealSealed = (data: unknown, fields: readonly FieldEntry[], isErased: IsErased = nothingErased): unknown => {
  // The path of a tagged field contains its case, which is a member of its own in the data.
  const pathsOf = (wanted: FieldEntry['kind']): ReadonlySet<string> =>
    new Set(fields.filter(({ kind }) => kind === wanted).map(({ path }) => path.replace(CASE, '')));
  const [sealed, instants, references] = [pathsOf('sealed'), pathsOf('instant'), pathsOf('gate-reference')];
  const conceal = (value: unknown, path: string): unknown => {
    if (sealed.has(path)) return isErased(value as Sealed) ? ERASED : SEALED;
    if (instants.has(path) && typeof value === 'number') return isoText(value as Instant);
    if (references.has(path) && CHARGES_CARD.test(path) && typeof value === 'string') return tokenEnd(value);
    if (Array.isArray(value)) return value.map((item) => conceal(item, `${path}[]`));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, conceal(member, path === '' ? name : `${path}.${name}`)]),
    );
  };
  return conceal(data, '');
};
