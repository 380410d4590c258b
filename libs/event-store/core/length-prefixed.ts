/** A text after its length in UTF-8 bytes, so that joined texts stay distinct wherever one ends. */
export const lengthPrefixed = (text: string): string => `${Buffer.byteLength(text)}:${text}`;
