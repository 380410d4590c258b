import type { Writable } from 'node:stream';
import pino, { type Logger } from 'pino';
import type { LoggerService } from '@nestjs/common';
import { looksLikeCardNumber } from '@app/event-store';

const REDACTED = '[redacted]';
const DEPTH_MAX = 4;
/** Only stack frames are logged: cause and members of an error may hold client data (safety, T32). */
const FRAMES_MAX = 12;
/**
 * Maximum buffered bytes. If the log collector stalls, lines are dropped, so that payments keep their memory (safety,
 * I14).
 */
const WAITING_BYTES_MAX = 8_388_608;

/** UUIDs, digests and trace ids can contain digits that look like a card number. No card number has their length. */
const GENERATED_ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{64})$/;

const safeText = (text: string): string => (looksLikeCardNumber(text) && !GENERATED_ID.test(text) ? REDACTED : text);

/** Masks every text, because a library may log card data under any key. */
const safe = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return safeText(value);
  if (value instanceof Error) {
    const stack = (value.stack ?? '').split('\n').slice(1, FRAMES_MAX).join('\n');
    return { name: value.name, message: safeText(value.message), stack: safeText(stack) };
  }
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return value;
  if (depth >= DEPTH_MAX) return REDACTED;
  if ('toJSON' in value && typeof value.toJSON === 'function') return safe((value.toJSON as () => unknown)(), depth + 1);
  if (Array.isArray(value)) return value.map((item) => safe(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, safe(member, depth + 1)]));
};

/** One JSON object per line. Control characters are escaped, so no text can start a line (safety, T31). */
export class ServiceLog implements LoggerService {
  readonly #pino: Logger;
  #linesLost = 0;

  /** @param service source named in every line */
  constructor(level: string, destination: Writable = process.stdout, service = 'orchestrator') {
    // A full log volume or a closed pipe must not stop payments (safety, F43). A silent log writes nothing that can fail.
    if (level !== 'silent')
      destination.on('error', () => {
        this.#linesLost++;
      });
    const write = (line: string): void => {
      if (destination.writableLength > WAITING_BYTES_MAX) this.#linesLost++;
      else destination.write(line);
    };
    this.#pino = pino({ level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime }, { write });
  }

  get linesLost(): number {
    return this.#linesLost;
  }

  info(event: string, facts: Readonly<Record<string, unknown>> = {}): void {
    if (this.#pino.isLevelEnabled('info')) this.#pino.info(safe({ event, ...facts }) as object);
  }

  warning(event: string, facts: Readonly<Record<string, unknown>> = {}): void {
    this.#pino.warn(safe({ event, ...facts }) as object);
  }

  failure(event: string, error: unknown, facts: Readonly<Record<string, unknown>> = {}): void {
    this.#pino.error(safe({ event, ...facts, error }) as object);
  }

  log(message: unknown): void {
    if (this.#pino.isLevelEnabled('debug')) this.#pino.debug(safe({ event: 'framework', message }) as object);
  }

  error(message: unknown): void {
    this.#pino.error(safe({ event: 'framework', message }) as object);
  }

  warn(message: unknown): void {
    this.#pino.warn(safe({ event: 'framework', message }) as object);
  }
}
