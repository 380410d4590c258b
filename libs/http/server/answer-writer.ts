import type { ServerResponse } from 'node:http';

const WRITER = Symbol('answer writer');

/** A property of the response itself: a weak map of as many short-lived keys costs the collector more than the answer costs. */
interface Written extends ServerResponse {
  [WRITER]?: (value: unknown) => void;
}

/** From now on what a controller returns for the request is written by `write`, in place of the framework's own ways. */
export const writeAnswersOf = (response: ServerResponse, write: (value: unknown) => void): void => {
  (response as Written)[WRITER] = write;
};

/** What writes the answers to a request; undefined where the framework does. */
export const writerOf = (response: ServerResponse): ((value: unknown) => void) | undefined => (response as Written)[WRITER];
