import { token } from '@app/injection';
import type { MerchantServer } from './device/application/ports';

/** The merchants' own servers, asked before a gate is and told of cards. */
export const MERCHANT_SERVER = token<MerchantServer>('MERCHANT_SERVER');
