import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import { accessTokenCodec, invoiceCodec, orderEndCodec, sessionCodec, walletCodec } from './merchant-server.codec';

const golden = (category: string): string => join(__dirname, 'golden', category);

goldenSpec(accessTokenCodec, golden('access-token'));
goldenSpec(invoiceCodec, golden('invoice'));
goldenSpec(sessionCodec, golden('session'));
goldenSpec(walletCodec, golden('wallet'));
goldenSpec(orderEndCodec, golden('order-end'));
