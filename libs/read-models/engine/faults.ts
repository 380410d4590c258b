import { BrokenChain, StoreUnavailable, UndecodableEvent, type StreamName } from '@app/event-store';
import type { BatchEvent } from './log-event';

/** A fold cannot apply an event, so that its stream is parked (architecture, rule 15). The message names types, never data. */
export class CannotApply extends Error {
  override readonly name = 'CannotApply';
}

export interface Failure {
  readonly event: Pick<BatchEvent, 'stream' | 'revision' | 'id'>;
  readonly error: unknown;
}

const SQLITE_PRIMARY_CODE = 0xff;
/** Result codes for one row's fault (too big, constraint, mismatch, out of range), after which other rows may succeed. */
const SQLITE_DATA_FAULTS: ReadonlySet<number> = new Set([18, 19, 20, 25]);
/** Data exception, integrity constraint violation. */
const SQLSTATE_DATA_FAULT = /^2[23]\w{3}$/;
const SQLSTATE_UNDEFINED_TABLE = '42P01';

interface Fault {
  readonly errcode?: unknown;
  readonly code?: unknown;
  readonly name?: unknown;
  readonly message?: unknown;
}

/** Reads members instead of testing the class, because a native module may throw an `Error` of another realm. */
const faultOf = (error: unknown): Fault => (typeof error === 'object' && error !== null ? error : {});

/** True where the database refused the content of a row; false where the database itself has a problem, which is retried. */
export const isDataFault = (error: unknown): boolean => {
  const { errcode, code } = faultOf(error);
  if (typeof errcode === 'number') return SQLITE_DATA_FAULTS.has(errcode & SQLITE_PRIMARY_CODE);
  return typeof code === 'string' && SQLSTATE_DATA_FAULT.test(code);
};

/** Whether a rebuild replaced the generation, and dropped its table, since its name was looked up. */
export const isMissingTable = (error: unknown): boolean => {
  const { code, message } = faultOf(error);
  return code === SQLSTATE_UNDEFINED_TABLE || (typeof message === 'string' && message.startsWith('no such table'));
};

const ERROR_TEXT_LENGTH_MAX = 500;

/** By name, because an error loses its class on the way to the projecting thread. */
const OWN_ERRORS: ReadonlySet<unknown> = new Set([CannotApply.name, UndecodableEvent.name, BrokenChain.name]);

/** Text of an error that may be stored: messages of this service, which contain no data; of any other error only name and code (safety, T32). */
export const errorText = (error: unknown): string => {
  const { errcode, code, name: given, message } = faultOf(error);
  if (OWN_ERRORS.has(given)) return `${String(given)}: ${String(message)}`.slice(0, ERROR_TEXT_LENGTH_MAX);
  const name = typeof given === 'string' ? given : 'Error';
  const known = typeof errcode === 'number' ? errcode : typeof code === 'string' ? code : undefined;
  return (known === undefined ? name : `${name} ${known}`).slice(0, ERROR_TEXT_LENGTH_MAX);
};

/** Turns a failure of the database into the one on which the subscription retries the batch. */
export const asUnavailable = (error: unknown): StoreUnavailable =>
  error instanceof StoreUnavailable
    ? error
    : new StoreUnavailable(`the read model cannot be written: ${errorText(error)}`, { cause: error });

/** Errors that tell of events or of a bug, whatever the database does. */
const TELLS_OF_MORE = [StoreUnavailable, BrokenChain, CannotApply, UndecodableEvent, TypeError];

/** Turns what a database throws that cannot be read into what every store throws that is away; returns any other error unchanged. */
export const asUnread = (error: unknown): unknown => {
  if (TELLS_OF_MORE.some((kind) => error instanceof kind)) return error;
  const { message } = faultOf(error);
  return new StoreUnavailable(`the read model does not answer: ${typeof message === 'string' ? message : String(error)}`, { cause: error });
};

/** Folds event by event. After a failure the rest of that stream in the batch is skipped, and other streams go on. */
export const foldEach = (
  events: readonly BatchEvent[],
  isParked: (stream: StreamName) => boolean,
  fold: (event: Extract<BatchEvent, { isReadable: true }>) => void,
): readonly Failure[] => {
  const failures: Failure[] = [];
  const failed = new Set<StreamName>();
  for (const event of events) {
    if (failed.has(event.stream) || isParked(event.stream)) continue;
    try {
      if (!event.isReadable) throw event.error;
      fold(event);
    } catch (error) {
      failed.add(event.stream);
      failures.push({ event, error });
    }
  }
  return failures;
};
