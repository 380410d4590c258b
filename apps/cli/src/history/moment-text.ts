import type { Moment } from '@app/audit';
import { instantText } from '../timeline/instant-text';

const SENTENCES = { 'known-at': 'on record at', 'true-at': 'so, by the gates’ clocks, at' } as const;

export const momentText = (moment: Moment): string =>
  moment.kind === 'version' ? `of revision ${moment.version}` : `${SENTENCES[moment.kind]} ${instantText(moment.at)}`;
