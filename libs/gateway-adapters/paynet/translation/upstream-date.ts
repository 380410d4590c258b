import type { Instant } from '@app/kernel';

const FORM = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?: ?([A-Z]{1,5}|[+-]\d{2}:?\d{2}))?$/;
const MINUTE_MS = 60_000;
/** Abbreviations that stand for one offset the world over, in minutes; of any other the gate's clock is not known. */
const ZONES: Readonly<Record<string, number>> = { UTC: 0, GMT: 0, Z: 0, MSK: 180, CET: 60, CEST: 120, EET: 120, EEST: 180 };

const offsetMinutes = (zone: string): number | undefined => {
  if (Object.hasOwn(ZONES, zone)) return ZONES[zone];
  if (!/^[+-]/.test(zone)) return undefined;
  const digits = zone.replace(':', '');
  const minutes = Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3, 5));
  return digits.startsWith('-') ? -minutes : minutes;
};

/**
 * `transaction-date` and `paynet-processing-date`: `YYYY-MM-DD HH:mm:ss ZZZ`, UTC where no zone is named (protocol decisions, section 2). Undefined for
 * a text that names no moment.
 */
export const readUpstreamDate = (text: string | undefined): Instant | undefined => {
  const found = text === undefined ? null : FORM.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second, zone = 'UTC'] = found;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as [number, number, number, number, number, number];
  const at = Date.UTC(y, mo - 1, d, h, mi, s);
  // Date.UTC takes the 31st of February for the 3rd of March.
  if (Number.isNaN(at) || new Date(at).getUTCDate() !== d || new Date(at).getUTCMonth() !== mo - 1 || h > 23 || mi > 59 || s > 60)
    return undefined;
  return (at - offset * MINUTE_MS) as Instant;
};
