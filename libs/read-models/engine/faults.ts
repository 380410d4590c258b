import { BrokenChain, StoreUnavailable, UndecodableEvent, type StreamName } from '@app/event-store';
import type { BatchEvent } from './log-event';

/** The event cannot be applied, so its stream is parked (architecture, rule 15). The message names types, never data. */
export class CannotApply extends Error {
  override readonly name = 'CannotApply';
}

export interface Failure {
  readonly event: Pick<BatchEvent, 'stream' | 'revision' | 'id'>;
  readonly error: unknown;
}

const SQLITE_PRIMARY_CODE = 0xff;
/** Result codes for a fault of one row (too big, constraint, mismatch, out of range); other rows may succeed. */
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

/** True if the database refused a row's content; false if the database itself failed, so that the batch can be retried. */
export const isDataFault = (error: unknown): boolean => {
  const { errcode, code } = faultOf(error);
  if (typeof errcode === 'number') return SQLITE_DATA_FAULTS.has(errcode & SQLITE_PRIMARY_CODE);
  return typeof code === 'string' && SQLSTATE_DATA_FAULT.test(code);
};

/** True if a rebuild has replaced the generation and dropped its table. */
export const isMissingTable = (error: unknown): boolean => {
  const { code, message } = faultOf(error);
  return code === SQLSTATE_UNDEFINED_TABLE || (typeof message === 'string' && message.startsWith('no such table'));
};

const ERROR_TEXT_LENGTH_MAX = 500;

/** Compared by name, because an error loses its class when it is sent between threads. */
const OWN_ERRORS: ReadonlySet<unknown> = new Set([CannotApply.name, UndecodableEvent.name, BrokenChain.name]);

/** Text of an error that may be stored: our own messages contain no data; of other errors only name and code (safety, T32). */
export const errorText = (error: unknown): string => {
  const { errcode, code, name: given, message } = faultOf(error);
  if (OWN_ERRORS.has(given)) return `${String(given)}: ${String(message)}`.slice(0, ERROR_TEXT_LENGTH_MAX);
  const name = typeof given === 'string' ? given : 'Error';
  const known = typeof errcode === 'number' ? errcode : typeof code === 'string' ? code : undefined;
  return (known === undefined ? name : `${name} ${known}`).slice(0, ERROR_TEXT_LENGTH_MAX);
};

/** The subscription retries the batch on this error. */
export const asUnavailable = (error: unknown): StoreUnavailable =>
  error instanceof StoreUnavailable
    ? error
    : new StoreUnavailable(`the read model cannot be written: ${errorText(error)}`, { cause: error });

const TELLS_OF_MORE = [StoreUnavailable, BrokenChain, CannotApply, UndecodableEvent, TypeError];

export const asUnread = (error: unknown): unknown => {
  if (TELLS_OF_MORE.some((kind) => error instanceof kind)) return error;
  const { message } = faultOf(error);
  return new StoreUnavailable(`the read model does not answer: ${typeof message === 'string' ? message : String(error)}`, { cause: error });
};

/** After a failure, the rest of that stream in the batch is skipped; other streams continue. */
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
