import type { Instant } from '@app/kernel';
import type { Period } from '@app/reconciliation';
import { CommandFailed, EXIT } from '../command-failed';

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?Z$/;

const momentOf = (option: string, text: string): number => {
  const at = DAY.test(text) || MOMENT.test(text) ? Date.parse(text) : NaN;
  // Date.parse takes the 31st of February for the 3rd of March.
  const isReal = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.slice(0, DAY_LENGTH));
  if (!isReal) throw new CommandFailed(`${option} is a day or a time in UTC, such as 2026-11-24 or 2026-11-24T08:30Z`, EXIT.usage);
  return at;
};
const DAY_LENGTH = 10;

/** Of `--from` and `--to`: a day as the end is meant whole, a time is not. @throws CommandFailed */
export const periodOf = ({ from, to }: { readonly from?: string; readonly to?: string }): Partial<Period> => {
  const first = from === undefined ? undefined : momentOf('--from', from);
  const last = to === undefined ? undefined : momentOf('--to', to) + (DAY.test(to) ? DAY_MS : 0);
  if (first !== undefined && last !== undefined && first >= last) throw new CommandFailed('--from must be before --to', EXIT.usage);
  return {
    ...(first !== undefined && { from: first as Instant }),
    ...(last !== undefined && { before: last as Instant }),
  };
};
