import type { Moment } from '@app/audit';
import { instantText, isoText } from '../timeline/instant-text';

const SENTENCES = { 'known-at': 'on record at', 'true-at': 'so, by the gates’ clocks, at' } as const;

export const momentText = (moment: Moment): string =>
  moment.kind === 'version' ? `of revision ${moment.version}` : `${SENTENCES[moment.kind]} ${instantText(moment.at)}`;

export const momentAsData = (moment: Moment): object =>
  moment.kind === 'version'
    ? { version: Number(moment.version) }
    : { [moment.kind === 'known-at' ? 'knownAt' : 'trueAt']: isoText(moment.at) };
