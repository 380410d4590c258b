/** A larger body is answered with 413 (protocol decisions, section 8). */
export const DEVICE_BODY_BYTES_MAX = 262_144;
/** Limit of a body that has no more than a session (interface, section 4.2: status and complete transfer). */
export const SHORT_DEVICE_BODY_BYTES_MAX = 8_192;
/** Limit of a request of apps and the gateway to a merchant server: identifiers, a session, and a list of addresses. */
export const MERCHANT_SERVER_BODY_BYTES_MAX = 32_768;
/** The body's own object is depth 1 (protocol decisions, section 8). */
export const JSON_DEPTH_MAX = 10;
/** As `client_orderid` of Group A; it is one segment of a path (safety, T18). */
export const INVOICE_ID_LENGTH_MAX = 128;
/** Limit of a payment gate's alias in a list of fees and in the path of complete transfer; ours, as the interface gives none. */
export const ASSIGNED_ID_LENGTH_MAX = 128;
/** Ours: the interface gives endpointId no length. */
export const ENDPOINT_ID_LENGTH_MAX = 20;
/** Limit of session.accessToken, nonce and signature (interface, section 2.6). */
export const SESSION_TEXT_LENGTH_MIN = 32;
export const SESSION_TEXT_LENGTH_MAX = 128;
/** Limit of session.token (interface, section 2.6). */
export const SESSION_TOKEN_LENGTH_MIN = 16;
export const SESSION_TOKEN_LENGTH_MAX = 36;
/** Limit of fromBin and toBin (interface, section 2.6). */
export const BIN_LENGTH = 6;
/** Limit of reference.clientCardId (interface, section 2.6). */
export const CLIENT_CARD_ID_LENGTH_MAX = 128;
/** Limit of order.*, bankOrderId, redirectUrl and errorMessage (interface, sections 2.6 and 3.2). */
export const DEVICE_TEXT_LENGTH_MAX = 128;
/** Entries of a list: ours, as the interface gives none. */
export const LIST_LENGTH_MAX = 100;
/** Limit of error.message, and of identifiers and dates whose length the interface leaves open; ours. */
export const OPEN_TEXT_LENGTH_MAX = 1_024;
