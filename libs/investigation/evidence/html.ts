import { printable } from '@app/kernel';

/** Text that is HTML already. Made by `html` only, so that no text of a payer or merchant becomes markup. */
export class Html {
  constructor(readonly text: string) {}
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Also shows as codes the characters that would hide or reorder text: a payer's text must not mislead the reader. */
const escaped = (text: string): string => printable(text).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

type Part = Html | string | number | null | readonly (Html | string)[];

const textOf = (part: Part): string => {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.map(textOf).join('') : escaped(String(part));
};

/** Escapes every value that is not HTML already. Null is nothing. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.map((text, at) => text + textOf(parts[at] ?? null)).join(''));

/** Data for the page's script, which no policy has to allow. No text in them can end the element. */
export const dataElement = (id: string, value: unknown): Html => {
  const json = JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return new Html(`<script type="application/json" id="${id}">${json}</script>`);
};
