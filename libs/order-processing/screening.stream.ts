import { streamName, type StreamName } from '@app/event-store';

export const SCREENING_CATEGORY = 'screening';
export const VELOCITY_CATEGORY = 'velocity';

/** Rules are named by their own text: what is recorded under a version can be no other rules. */
export const screeningStreamOf = (rulesText: string): StreamName => streamName(SCREENING_CATEGORY, rulesText);

export const rulesVersionOf = (stream: StreamName): string => stream.slice(SCREENING_CATEGORY.length + 1);

export const screeningStream = (rulesVersion: string): StreamName => `${SCREENING_CATEGORY}-${rulesVersion}` as StreamName;

/** @param keyedDigest of what is counted: a card and an address stand nowhere in the log */
export const velocityStream = (keyedDigest: string): StreamName => streamName(VELOCITY_CATEGORY, keyedDigest);
