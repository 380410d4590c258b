import { createHash } from 'node:crypto';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;' };

/** For text and quoted attributes (safety, T46). */
export const escapeHtml = (text: string): string => text.replace(/[&<>"'`]/g, (found) => ENTITIES[found] ?? '');

/** `head` and `body` are HTML. Escape outside input with `escapeHtml` first. */
export const htmlPage = (title: string, head: string, body: string): string =>
  `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>${escapeHtml(title)}</title>\n${head}</head>\n<body>\n${body}</body>\n</html>\n`;

/** One line, because policies identify it by its hash. */
export const PAGE_STYLE = [
  ':root{color-scheme:light dark;--ink:#18202e;--soft:#566072;--paper:#fff;--ground:#f2f4f8;--line:#d8dde6;--act:#1d4ed8;--on-act:#fff}',
  '@media (prefers-color-scheme:dark){:root{--ink:#eef1f6;--soft:#aab4c3;--paper:#1b212c;--ground:#0f131a;--line:#333c4a;--act:#8fb4ff;--on-act:#0b1424}}',
  '*{box-sizing:border-box}',
  'body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}',
  'header,main{width:min(36rem,100% - 2rem);margin-inline:auto}',
  'header{padding-block:clamp(1.25rem,7vh,4rem) .75rem;color:var(--soft);font-weight:600}',
  'header p{margin:0}',
  'main{margin-bottom:2rem;padding:clamp(1.25rem,5vw,2rem);background:var(--paper);border:1px solid var(--line);border-radius:1rem}',
  'body>main:first-child{margin-top:clamp(1.25rem,7vh,4rem)}',
  'h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25}',
  'h2{margin:2rem 0 .5rem;font-size:1.125rem}',
  'p{margin:0 0 1.25rem}',
  'form,main>:last-child{margin-bottom:0}',
  '.go{display:inline-block;min-height:2.75rem;padding:.6rem 1.4rem;border:0;border-radius:.6rem;background:var(--act);color:var(--on-act);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}',
  ':focus-visible{outline:3px solid var(--act);outline-offset:3px}',
  'table{width:100%;margin-bottom:1.25rem;border-collapse:collapse}',
  'th,td{padding:.5rem 0;border-top:1px solid var(--line);text-align:left;vertical-align:top}',
  'th{width:9rem;padding-right:1rem;color:var(--soft);font-weight:400}',
  '@media print{:root{--ground:#fff;--paper:#fff;--ink:#000;--soft:#333;--line:#999}main{border:0;padding:0}.go{display:none}}',
].join('');

export const inlineSource = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
