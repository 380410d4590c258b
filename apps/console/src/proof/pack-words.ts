import type { PackPart, PackVerdict } from '@app/proofs';
import { instant } from '../format';

export interface VerdictWords {
  readonly tone: 'held' | 'unsure' | 'wrong';
  readonly title: string;
  readonly lead: string;
  /** What was checked, or each fault. */
  readonly details: readonly string[];
}

const PARTS: Readonly<Record<PackPart, string>> = { zip: 'The zip', signature: 'Signatures', file: 'Files', event: 'Events' };
const PART_NAMES = Object.keys(PARTS) as readonly PackPart[];

/** The result of a pack's check, for people. */
export const packWords = (verdict: PackVerdict): VerdictWords => {
  switch (verdict.kind) {
    case 'no-pack':
      return { tone: 'wrong', title: 'This file is no evidence pack.', lead: `It cannot be checked: ${verdict.reason}.`, details: [] };
    case 'wrong':
      return {
        tone: 'wrong',
        title: 'The pack is not as it was signed.',
        lead: 'Do not rely on it.',
        details: PART_NAMES.flatMap((name) =>
          verdict.faults.filter(({ part }) => part === name).map(({ text }) => `${PARTS[name]}: ${text}`),
        ),
      };
    case 'held':
    case 'held-under-own-key': {
      const { orderId, merchant, origin, signedAt, events, streams, at } = verdict.contents;
      const details = [
        `Signed by ${origin} at ${instant(signedAt.replace(/^time /, ''))}.`,
        'All files are those of the signed manifest.',
        `${events} events of ${streams} streams: each lies in the log where its proof says, none is missing, none was moved.`,
      ];
      const lead = `Order ${orderId} of ${merchant}, as of ${instant(at)}.`;
      return verdict.kind === 'held'
        ? { tone: 'held', title: 'All of it holds.', lead, details }
        : {
            tone: 'unsure',
            title: 'It holds under the key that came with it.',
            lead: `Anybody can make such a pack. Compare its key with the published one: it ends in ${verdict.key}.`,
            details: [lead, ...details],
          };
    }
  }
};
