import { styleText } from 'node:util';

export type Tone = 'plain' | 'strong' | 'faint' | 'good' | 'bad' | 'waiting';
export type Paint = (tone: Tone, text: string) => string;

const FORMATS = { strong: 'bold', faint: 'dim', good: 'green', bad: 'red', waiting: 'yellow' } as const;

export const paintFor = (isColoured: boolean): Paint =>
  isColoured
    ? (tone, text) => (tone === 'plain' ? text : styleText(FORMATS[tone], text, { validateStream: false }))
    : (_tone, text) => text;

/** Colour on a terminal, unless NO_COLOR is set to anything (no-color.org) or the terminal knows none. */
export const isColourWanted = (stream: { readonly isTTY?: boolean }, environment: Readonly<Record<string, string | undefined>>): boolean =>
  stream.isTTY === true && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
