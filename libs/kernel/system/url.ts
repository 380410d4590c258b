/**
 * Returns undefined for an invalid URL. Avoids `URL.canParse`, which on Node 20 rejects texts such as
 * `https://bücher.example/` after some thousand calls.
 */
export const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};
