import { CommandFailed, EXIT } from '../command-failed';
import { isColourWanted, paintFor, type Paint } from './paint';

/** Where a verb says what it has to say: results on one stream, problems on the other. */
export interface Output {
  readonly paint: Paint;
  readonly isJson: boolean;
  line(text?: string): void;
  problem(text: string): void;
}

/** Bigints as text: amounts are minor units, and JSON has no integers that large. */
export const asJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? member.toString() : member));

/** A reader that went away (`orch show ... | head`) is no failure of ours, and a child that we started wants to be stopped all the same. */
export const passOverClosedPipes = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
};

/** Of what `--json` prints: it goes up when a member goes away or means something else, not when one is added. */
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

/** A verb that tells one object a line of what it finds: to a program that nothing was found is an empty list, to people words or nothing at all. */
export const listing = async (output: Output, tell: (output: Output) => Promise<void>): Promise<void> => {
  let isEmpty = true;
  const line = (text?: string): void => {
    isEmpty = false;
    output.line(text);
  };
  const end = (): void => {
    if (isEmpty && output.isJson) output.line('[]');
  };
  try {
    await tell({ ...output, line });
  } catch (error) {
    if (error instanceof CommandFailed && error.exitCode === EXIT.notFound) end();
    throw error;
  }
  end();
};
