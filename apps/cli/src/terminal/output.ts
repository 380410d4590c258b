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

export const terminalOutput = (isJson: boolean): Output => ({
  paint: paintFor(!isJson && isColourWanted(process.stdout, process.env)),
  isJson,
  line: (text = '') => void process.stdout.write(`${text}\n`),
  problem: (text) => void process.stderr.write(isJson ? `${asJson({ error: text })}\n` : `${text}\n`),
});
