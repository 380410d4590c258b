/** The exit codes of a verb; `docs/operations.md`, section 11, lists them. */
export const EXIT = {
  /** Any other failure: a store or service that cannot be reached, a configuration with faults, a bug. */
  failed: 1,
  /** The command line has an option or argument that the verb does not have. */
  usage: 2,
  /** No order, delivery or stream has that name. */
  notFound: 3,
  /** The verb was refused: by the service, by another process that holds the files, or because the state does not allow it. */
  refused: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A verb failed; the message is one line for the person who ran it. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';

  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}
