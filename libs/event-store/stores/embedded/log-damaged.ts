const SQLITE_ERROR = 1;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
/** How SQLite says that a file is not what it wrote: a schema that does not hold our columns, a page that cannot be one, another kind of file. */
const SIGNS: ReadonlySet<number> = new Set([SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB]);

/** The file is not what was written: nothing may be decided from it, so the process does not start on it (safety, F26 and F27). */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged';

  constructor(path: string, what: string) {
    super(
      `${path} cannot be read, or is damaged: ${what}. It is not served: restore a back-up, or copy what is whole with "orch copy-log" (docs/operations.md, section 6)`,
    );
  }
}

/** What a check found: as SQLite would say it of a page. */
export class DamageFound extends Error {
  override readonly name = 'DamageFound';
  readonly errcode = SQLITE_CORRUPT;
}

/** Whether SQLite says that a page is not what it wrote. */
export const isDamage = (error: unknown): boolean => {
  const { errcode = 0 } = error as { readonly errcode?: number };
  return [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff);
};

/** The error of an opening in words that say what to do, where damage is what it means; any other as it is. */
export const asLogDamaged = (path: string, error: unknown): unknown => {
  const { errcode, message } = error as { readonly errcode?: number; readonly message?: string };
  return errcode !== undefined && SIGNS.has(errcode & 0xff) ? new LogDamaged(path, message ?? '') : error;
};
