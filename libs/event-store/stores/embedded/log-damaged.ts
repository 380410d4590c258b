const SQLITE_ERROR = 1;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
/** Result codes that mean damage: a schema without our columns, a malformed page, another kind of file. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB]);

/** The driver has no code for it. */
const NUMBER_TOO_LARGE = 'Value is too large to be represented as a JavaScript number';

/** The file was changed after it was written. No decision may be based on it, so the process does not start (safety, F26 and F27). */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged';

  constructor(path: string, what: string) {
    super(
      `${path} cannot be read, or is damaged: ${what}. It is not served: restore a back-up, or copy what is whole with "orch copy-log" (docs/recover.md, "A damaged log file")`,
    );
  }
}

/** Reports the finding of a check with the result code that SQLite uses for a malformed page. */
export class DamageFound extends Error {
  override readonly name = 'DamageFound';
  readonly errcode = SQLITE_CORRUPT;
}

/** Whether SQLite reports a malformed page or file, or a row holds a number that nobody wrote: one that JavaScript cannot hold. */
export const isDamage = (error: unknown): boolean => {
  const { errcode = 0, message = '' } = error as { readonly errcode?: number; readonly message?: string };
  return [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff) || message.startsWith(NUMBER_TOO_LARGE);
};

/** Turns an error of opening that means damage into one with advice; returns any other unchanged. */
export const asLogDamaged = (path: string, error: unknown): unknown => {
  const { errcode, message } = error as { readonly errcode?: number; readonly message?: string };
  return errcode !== undefined && DAMAGE_CODES.has(errcode & 0xff) ? new LogDamaged(path, (message ?? '').replace(`${path}: `, '')) : error;
};
