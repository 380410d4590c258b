import { CommandFailed, EXIT } from '../command-failed';
import { isColourWanted, paintFor, type Paint } from './paint';

/** The output of a verb: results on one stream, problems on the other. */
export interface Output {
  readonly paint: Paint;
  readonly isJson: boolean;
  line(text?: string): void;
  problem(text: string): void;
}

/** Bigints as text: amounts are minor units, and JSON has no integers that large. */
export const asJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? member.toString() : member));

/** A reader that closed early (`orch show ... | head`) is no failure, and a started child must be stopped all the same. */
export const passOverClosedPipes = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
};

/** The version of the `--json` output: it rises when a member is removed or changes its meaning, not when one is added. */
const JSON_VERSION = 1;

/** The version is the first member of every object, whichever verb made it. */
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

/** Runs a verb that shows one object a line: for programs an empty result is an empty list, for people a sentence or nothing. */
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
