import type { Moment } from '@app/investigation';
import { instantText } from './instant-text';

const WORDS = { 'known-at': 'what was on record at', 'true-at': 'what was so, by the gates’ clocks, at' } as const;

export const momentText = (moment: Moment): string =>
  moment.kind === 'version' ? `what revision ${moment.version} left` : `${WORDS[moment.kind]} ${instantText(moment.at)}`;
