import type { ServerResponse } from 'node:http';

const writers = new WeakMap<ServerResponse, (value: unknown) => void>();

/** From now on what a controller returns for the request is written by `write`, in place of the framework's own ways. */
export const writeAnswersOf = (response: ServerResponse, write: (value: unknown) => void): void => {
  writers.set(response, write);
};

/** What writes the answers to a request; undefined where the framework does. */
export const writerOf = (response: ServerResponse): ((value: unknown) => void) | undefined => writers.get(response);
