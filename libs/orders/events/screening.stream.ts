import { streamName, type StreamName } from '@app/event-store';

export const SCREENING_CATEGORY = 'screening';
export const VELOCITY_CATEGORY = 'velocity';

/** Rules are named by their own text, so that no other rules can be recorded under the same version. */
export const screeningStreamOf = (rulesText: string): StreamName => streamName(SCREENING_CATEGORY, rulesText);

export const rulesVersionOf = (stream: StreamName): string => stream.slice(SCREENING_CATEGORY.length + 1);

export const screeningStream = (rulesVersion: string): StreamName => `${SCREENING_CATEGORY}-${rulesVersion}` as StreamName;

/** @param keyedDigest of the card or address that is counted; neither is in the log itself */
export const velocityStream = (keyedDigest: string): StreamName => streamName(VELOCITY_CATEGORY, keyedDigest);
