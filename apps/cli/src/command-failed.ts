/** A verb cannot do what was asked; the message is one line for the person who asked. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}
