/** Limits of Group A that several messages share (interface, sections 2.3 and 2.4). */
export const LOGIN_LENGTH_MAX = 20;
export const CLIENT_ORDERID_LENGTH_MAX = 128;
export const CARDREFID_LENGTH_MAX = 20;
/** Ours: the interface gives orderid and by-request-sn no length. */
export const GATEWAY_ID_LENGTH_MAX = 128;
export const CONTROL_LENGTH_MAX = 40;
/** Limit for get-card-info alone (interface, section 2.3). */
export const CARD_INFO_CONTROL_LENGTH_MAX = 128;
/** `64k`, in bytes of UTF-8 (protocol decisions, section 4). */
export const LONG_TEXT_BYTES_MAX = 65_536;
/** Limit of a recurrent payment and of a return (interface, section 2.4; protocol decisions, section 10). */
export const COMMENT_LENGTH_MAX = 50;
