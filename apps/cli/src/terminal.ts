import { styleText } from 'node:util';
import { printable } from '@app/kernel';

export { printable };

export const EXIT = {
  /** Any other failure: an unreachable store or service, an invalid configuration, a bug. */
  failed: 1,
  /** Unknown option or argument. */
  usage: 2,
  /** No order, delivery or stream has that name. */
  notFound: 3,
  /** Refused by the service, by a process that locks the files, or because the state does not allow it. */
  refused: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A verb failed; the message is one line for the user. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';

  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}

export type Tone = 'plain' | 'strong' | 'faint' | 'good' | 'bad' | 'waiting';
export type Paint = (tone: Tone, text: string) => string;

const FORMATS = { strong: 'bold', faint: 'dim', good: 'green', bad: 'red', waiting: 'yellow' } as const;

export const paintFor = (isColoured: boolean): Paint =>
  isColoured
    ? (tone, text) => (tone === 'plain' ? text : styleText(FORMATS[tone], text, { validateStream: false }))
    : (_tone, text) => text;

/** NO_COLOR turns colour off with any value (no-color.org). */
export const isColourWanted = (stream: { readonly isTTY?: boolean }, environment: Readonly<Record<string, string | undefined>>): boolean =>
  stream.isTTY === true && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';

export interface Output {
  readonly paint: Paint;
  readonly isJson: boolean;
  line(text?: string): void;
  problem(text: string): void;
}

/** Bigints as text: amounts are minor units, and JSON has no integers that large. */
export const asJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? member.toString() : member));

export const writeResult = (output: Output, data: unknown, lines: () => string | readonly string[]): void => {
  if (output.isJson) output.line(asJson(data));
  else for (const line of [lines()].flat()) output.line(line);
};

export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** A reader may close early (`orch show <order> | head`). This is no failure, and child processes must still be stopped. */
export const ignoreClosedPipes = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
};

/** Version of the `--json` output. Increment it if a member is removed or changes its meaning, not if one is added. */
const JSON_VERSION = 1;

/** Makes the version the first member of every object. */
const versioned = (line: string): string =>
  line.startsWith('{') ? `{"version":${JSON_VERSION}${line === '{}' ? '' : ','}${line.slice(1)}` : line;

export interface TerminalStreams {
  readonly stdout: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;
  readonly stderr: Pick<NodeJS.WriteStream, 'write'>;
}

export const terminalOutput = (isJson: boolean, { stdout, stderr }: TerminalStreams = process): Output => ({
  paint: paintFor(!isJson && isColourWanted(stdout, process.env)),
  isJson,
  line: (text = '') => void stdout.write(`${isJson ? versioned(text) : text}\n`),
  problem: (text) => void stderr.write(isJson ? `${versioned(asJson({ error: text }))}\n` : `${text}\n`),
});

export const listing = async (output: Output, show: (output: Output) => Promise<void>): Promise<void> => {
  let isEmpty = true;
  const line = (text?: string): void => {
    isEmpty = false;
    output.line(text);
  };
  const end = (): void => {
    if (isEmpty && output.isJson) output.line('[]');
  };
  try {
    await show({ ...output, line });
  } catch (error) {
    if (error instanceof CommandFailed && error.exitCode === EXIT.notFound) end();
    throw error;
  }
  end();
};

export const shortened = (text: string, charactersMax: number): string => {
  const shown = printable(text);
  return shown.length <= charactersMax ? shown : `${shown.slice(0, charactersMax - 1)}…`;
};

const START_OF_LINE = '\r\u001b[2K';

export class RedrawnLine {
  readonly #write: (text: string) => void;
  #isShown = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  show(text: string): void {
    this.#isShown = true;
    this.#write(START_OF_LINE + text);
  }

  clear(): void {
    if (this.#isShown) this.#write(START_OF_LINE);
    this.#isShown = false;
  }
}

const ON_TERMINAL_MS = 200;
const ELSEWHERE_MS = 10_000;

export interface ProgressTarget {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  readonly nowMs: () => number;
}

/** Standard error, so that the results on standard output stay clean. */
const progressOnStderr = (): ProgressTarget => ({
  write: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
  nowMs: () => performance.now(),
});

/** A progress text: one changing line on a terminal, an occasional new line elsewhere. */
export class ProgressDisplay {
  readonly #target: ProgressTarget;
  readonly #redrawn: RedrawnLine | undefined;
  #startedMs: number;
  #shownMs: number;
  #stage: string | undefined;

  constructor(target: ProgressTarget) {
    this.#target = target;
    this.#redrawn = target.isTerminal ? new RedrawnLine(target.write) : undefined;
    this.#startedMs = this.#shownMs = target.nowMs();
  }

  /** Called for every event; `textOf` gets the time since the start of the stage, and runs only if a text is due. */
  update(textOf: (elapsedMs: number) => string, stage?: string): void {
    const nowMs = this.#target.nowMs();
    if (stage !== this.#stage) {
      this.#stage = stage;
      this.#startedMs = this.#shownMs = nowMs;
    }
    if (nowMs - this.#shownMs < (this.#redrawn !== undefined ? ON_TERMINAL_MS : ELSEWHERE_MS)) return;
    this.#shownMs = nowMs;
    const text = textOf(Math.max(nowMs - this.#startedMs, 1));
    if (this.#redrawn === undefined) this.#target.write(`${text}\n`);
    else this.#redrawn.show(text);
  }

  end(): void {
    this.#redrawn?.clear();
  }
}

/** Runs work with a progress display, which JSON does not have. */
export const withProgress = async <Result>({ isJson }: Output, work: (display: ProgressDisplay) => Promise<Result>): Promise<Result> => {
  const display = new ProgressDisplay(isJson ? { ...progressOnStderr(), isTerminal: false, write: () => undefined } : progressOnStderr());
  try {
    return await work(display);
  } finally {
    display.end();
  }
};

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A request to stop by a signal such as Ctrl-C; it is never withdrawn. */
export class StopRequest {
  readonly requested: Promise<void>;
  #isRequested = false;

  constructor() {
    this.requested = new Promise((resolve) => {
      for (const signal of SIGNALS) {
        process.on(signal, () => {
          this.#isRequested = true;
          resolve();
        });
      }
    });
  }

  get isRequested(): boolean {
    return this.#isRequested;
  }
}

export interface CommandContext {
  readonly output: () => Output;
  /** For verbs with special exit codes. */
  readonly endedWith: (code: number) => void;
}

export const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export const MERCHANT = ['--merchant <login>', 'only orders of this merchant'] as const;
export const REASON = ['--reason <text>', 'the reason; stored sealed'] as const;
/** For actions that the configuration may make subject to a second person. */
export const ALONE = ['--alone', 'as an admin without the second person that the configuration requires; raises an alarm'] as const;
export const ACTOR = [
  '--actor <name>',
  'the person for whom you act, recorded with the operator of the token (default: the user of this terminal)',
] as const;
export const OFFLINE = ['--offline', 'read the stores, and never ask the running service'] as const;
