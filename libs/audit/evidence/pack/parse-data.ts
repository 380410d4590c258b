import type { Json } from './evidence';

/** The data of an event as stored. */
export const parseData = (data: string): Json => JSON.parse(data) as Json;
