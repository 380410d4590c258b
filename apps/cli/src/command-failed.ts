/** How a verb ends, as the shell sees it; `docs/operations.md`, section 11, lists them. */
export const EXIT = {
  /** What is not told apart below: a store or service that cannot be reached, a configuration with faults, a bug. */
  failed: 1,
  /** The line that was typed asks for something that the verb does not have. */
  usage: 2,
  /** Nothing has that name. */
  notFound: 3,
  /** It was understood, and is not done: by the service, by another process that holds the files, or because the state does not allow it. */
  refused: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A verb cannot do what was asked; the message is one line for the person who asked. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';

  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}
