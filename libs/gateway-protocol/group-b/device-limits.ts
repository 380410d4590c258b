/** A larger body gets 413 (protocol decisions, section 8). */
export const DEVICE_BODY_BYTES_MAX = 262_144;
/** For a body with only a session (interface, section 4.2: status and complete transfer). */
export const SHORT_DEVICE_BODY_BYTES_MAX = 8_192;
/** For requests of apps and the gateway to a merchant server. */
export const MERCHANT_SERVER_BODY_BYTES_MAX = 32_768;
/** The outermost object is depth 1 (protocol decisions, section 8). */
export const JSON_DEPTH_MAX = 10;
/** As `client_orderid` of Group A. Used as a path segment (safety, T18). */
export const INVOICE_ID_LENGTH_MAX = 128;
/** Gate alias in a list of fees and in the path of complete transfer; our limit. */
export const ASSIGNED_ID_LENGTH_MAX = 128;
/** Our limit; the interface has none. */
export const ENDPOINT_ID_LENGTH_MAX = 20;
/** session.accessToken, nonce and signature (interface, section 2.6). */
export const SESSION_TEXT_LENGTH_MIN = 32;
export const SESSION_TEXT_LENGTH_MAX = 128;
/** session.token (interface, section 2.6). */
export const SESSION_TOKEN_LENGTH_MIN = 16;
export const SESSION_TOKEN_LENGTH_MAX = 36;
export const BIN_LENGTH = 6;
export const CLIENT_CARD_ID_LENGTH_MAX = 128;
/** order.*, bankOrderId, redirectUrl and errorMessage (interface, sections 2.6 and 3.2). */
export const DEVICE_TEXT_LENGTH_MAX = 128;
/** Our limit; the interface has none. */
export const LIST_LENGTH_MAX = 100;
/** error.message, and identifiers and dates without a limit in the interface; our limit. */
export const OPEN_TEXT_LENGTH_MAX = 1_024;
