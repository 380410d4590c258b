import type { Writable } from 'node:stream';
import pino, { type Logger } from 'pino';
import type { LoggerService } from '@nestjs/common';
import { looksLikeCardNumber } from '@app/event-store';

const REDACTED = '[redacted]';
const DEPTH_MAX = 4;
/** What an error may say of itself; its cause and own members may hold what a client sent (safety, T32). */
const FRAMES_MAX = 12;
/** What waits for whoever reads the log. A collector that stands still takes lines from the log, never memory from the paying (safety, I14). */
const WAITING_BYTES_MAX = 8_388_608;

/** A UUID, or a digest or trace in hexadecimal: chance makes digits there that look like a card number, and no card number has that length. */
const GENERATED_ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{64})$/;

const safeText = (text: string): string => (looksLikeCardNumber(text) && !GENERATED_ID.test(text) ? REDACTED : text);

/** Every text that leaves is looked at: path rules do not know what a library put where. */
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

/** One JSON object a line; control characters are escaped by the encoding, so no text can begin a line of its own (safety, T31). */
export class ServiceLog implements LoggerService {
  readonly #pino: Logger;
  #linesLost = 0;

  /** @param service what every line names as its source */
  constructor(level: string, destination: Writable = process.stdout, service = 'orchestrator') {
    // A full log volume or a closed pipe must not stop the paying (safety, F43).
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
