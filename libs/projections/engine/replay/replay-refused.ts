/** A replay cannot be done as things are; the message says why, and nothing was changed. */
export class ReplayRefused extends Error {
  override readonly name = 'ReplayRefused';
}
