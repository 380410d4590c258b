import type { Tone } from '../terminal/paint';

/** How an attempt stands in our log. */
export type AttemptStanding = 'approved' | 'declined' | 'nothing charged' | 'payer awaited' | 'unknown' | 'not answered yet';

/** What the event of an attempt makes of it; undefined for one that changes nothing about its outcome. */
export const standingAfter = (type: string, data: object): AttemptStanding | undefined => {
  switch (type) {
    case 'AttemptStarted':
      return 'not answered yet';
    case 'AttemptApproved':
      return 'approved';
    case 'AttemptDeclined':
      return 'declined';
    case 'AttemptNotAsked':
      return 'nothing charged';
    case 'AttemptUnknown':
      return 'unknown';
    case 'PayerChallenged':
      return 'payer awaited';
    case 'AttemptSettled':
      return 'as' in data && data.as === 'approved' ? 'approved' : 'declined';
    default:
      return undefined;
  }
};

/** Ends of an order there in which no money moved. */
const NOT_CHARGED: ReadonlySet<string> = new Set(['declined', 'filtered', 'error']);

export interface Agreement {
  readonly text: string;
  readonly tone: Tone;
}

/**
 * Compares an attempt with the order that it is at an upstream gateway.
 * @param there the status of that order; undefined where there is none, or it cannot be told
 */
export const agreementOf = (here: AttemptStanding, there: string | undefined): Agreement => {
  const isEndedThere = there === 'approved' || (there !== undefined && NOT_CHARGED.has(there));
  const both = `${here} here, ${there ?? 'no such order'} there`;
  switch (here) {
    case 'approved':
      return there === 'approved' ? { text: both, tone: 'good' } : { text: `${both}: they differ`, tone: 'bad' };
    case 'declined':
    case 'nothing charged':
      return there === 'approved' ? { text: `${both}: they differ`, tone: 'bad' } : { text: both, tone: 'plain' };
    case 'payer awaited':
    case 'unknown':
    case 'not answered yet':
      return isEndedThere ? { text: `${both}: the next inquiry brings it here`, tone: 'waiting' } : { text: both, tone: 'waiting' };
  }
};
