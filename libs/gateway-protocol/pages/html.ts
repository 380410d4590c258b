const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;' };

/** For text and for attributes in quotes (safety, T46). */
export const escapeHtml = (text: string): string => text.replace(/[&<>"'`]/g, (found) => ENTITIES[found] ?? '');

/** `head` and `body` are HTML already: what comes from outside goes through `escapeHtml` first. */
export const htmlPage = (title: string, head: string, body: string): string =>
  `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>${escapeHtml(title)}</title>\n${head}</head>\n<body>\n${body}</body>\n</html>\n`;
