/**
 * An absolute URL, or undefined where it is none. Not `URL.canParse`: on Node 20 its optimised form takes a Latin-1 text such as
 * `https://bücher.example/` for malformed after some thousand calls.
 */
export const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};
