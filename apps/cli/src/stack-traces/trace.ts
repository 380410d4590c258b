import { sourcePositions } from './mapped-stack';
import { asJson, type Output } from '../terminal/output';
import { printable } from '../terminal/printable';

interface LoggedError {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly stack: string;
}
interface LoggedFailure {
  readonly time?: unknown;
  readonly event?: unknown;
  readonly error: LoggedError;
}

const failureIn = (line: string): LoggedFailure | undefined => {
  if (!line.startsWith('{')) return undefined;
  try {
    const { error } = JSON.parse(line) as { readonly error?: Partial<LoggedError> | null };
    return typeof error?.stack === 'string' ? (JSON.parse(line) as LoggedFailure) : undefined;
  } catch {
    return undefined;
  }
};

/**
 * `orch trace`: maps the positions in the packed program, in lines of a server's log or in a copied trace, to those in the sources. It needs the build that
 * wrote them, since the servers themselves do not read the maps.
 */
export const trace = async (lines: AsyncIterable<string>, output: Output): Promise<void> => {
  const mapped = sourcePositions();
  for await (const line of lines) {
    const failure = failureIn(line);
    if (failure === undefined) {
      output.line(output.isJson ? asJson({ text: mapped(line) }) : printable(mapped(line)));
      continue;
    }
    const { time, event, error } = failure;
    const stack = error.stack.split('\n').map(mapped);
    if (output.isJson) output.line(asJson({ ...failure, error: { ...error, stack: stack.join('\n') } }));
    else {
      output.line(printable(`${String(time)} ${String(event)} ${String(error.name)}: ${String(error.message)}`));
      for (const frame of stack) output.line(printable(frame));
    }
  }
};
