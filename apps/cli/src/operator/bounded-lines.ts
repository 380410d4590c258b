export type BoundedLine =
  | { readonly number: number; readonly text: string }
  /** Longer than a line may be; its rest is passed over. */
  | { readonly number: number; readonly text: undefined };

/** The lines of a text that comes in parts, numbered from 1, in memory for one line; the last needs no line break. */
export async function* boundedLines(parts: AsyncIterable<string>, lengthMax: number): AsyncGenerator<BoundedLine> {
  let number = 1;
  let text = '';
  let isTooLong = false;
  const take = (part: string): void => {
    isTooLong ||= text.length + part.length > lengthMax;
    text = isTooLong ? '' : text + part;
  };
  const line = (): BoundedLine => ({ number, text: isTooLong ? undefined : text.replace(/\r$/, '') });
  let isStart = true;
  for await (const part of parts) {
    let from = isStart && part.startsWith('\ufeff') ? 1 : 0;
    isStart = false;
    for (let at = part.indexOf('\n', from); at >= 0; at = part.indexOf('\n', from)) {
      take(part.slice(from, at));
      yield line();
      number += 1;
      text = '';
      isTooLong = false;
      from = at + 1;
    }
    take(part.slice(from));
  }
  if (text !== '' || isTooLong) yield line();
}
