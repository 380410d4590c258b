import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import { accessTokenCodec } from './access-token.codec';
import { invoiceCodec } from './invoice.codec';
import { orderEndCodec } from './order-end.codec';
import { sessionCodec } from './session.codec';
import { walletCodec } from './wallet.codec';

const golden = (category: string): string => join(__dirname, 'golden', category);

goldenSpec(accessTokenCodec, golden('access-token'));
goldenSpec(invoiceCodec, golden('invoice'));
goldenSpec(sessionCodec, golden('session'));
goldenSpec(walletCodec, golden('wallet'));
goldenSpec(orderEndCodec, golden('order-end'));
