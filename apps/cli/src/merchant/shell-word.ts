const SAFE = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Quotes one word for a POSIX shell where it needs quotes. */
export const shellWord = (text: string): string => (SAFE.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
