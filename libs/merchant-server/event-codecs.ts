import { accessTokenCodec } from './access-token.codec';
import { invoiceCodec } from './invoice.codec';
import { orderEndCodec } from './order-end.codec';
import { sessionCodec } from './session.codec';
import { walletCodec } from './wallet.codec';

/** Every category of a merchant server's own store. */
export const MERCHANT_SERVER_EVENT_CODECS = [accessTokenCodec, invoiceCodec, sessionCodec, walletCodec, orderEndCodec] as const;
