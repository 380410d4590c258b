const SAFE = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** One word for a POSIX shell, quoted where it must be. */
export const shellWord = (text: string): string => (SAFE.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
