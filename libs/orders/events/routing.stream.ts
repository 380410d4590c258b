import { streamName, type StreamName } from '@app/event-store';

export const ROUTING_CATEGORY = 'routing';

/** Rules are named by their own text, so that no other rules can be recorded under the same version. */
export const routingStreamOf = (rulesText: string): StreamName => streamName(ROUTING_CATEGORY, rulesText);

export const routingVersionOf = (stream: StreamName): string => stream.slice(ROUTING_CATEGORY.length + 1);

export const routingStream = (rulesVersion: string): StreamName => `${ROUTING_CATEGORY}-${rulesVersion}` as StreamName;
