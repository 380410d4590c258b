const PREFIX = 'whsec_';
/** Standard Webhooks: 24 to 64 bytes. */
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;

/** `whsec_` and canonical base64 of 24 to 64 bytes: the form of Standard Webhooks (protocol decisions, section 6). */
export const isCallbackSecret = (text: string): boolean => {
  if (!text.startsWith(PREFIX) || text.length > PREFIX.length + SECRET_BYTES_MAX * 2) return false;
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded && bytes.length >= SECRET_BYTES_MIN && bytes.length <= SECRET_BYTES_MAX;
};
