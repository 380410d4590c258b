import type { MerchantLogin, Sealed } from '@app/kernel';
import type { TextSealer } from '@app/card-vault';
import type { ClientCardId } from '../domain/terms';
import type { ToldSum } from '../domain/wallet/wallet.events';
import { digestOf } from './digests';
import type { MerchantServerPorts } from './ports';

const FIELD = 'random sum';
/** Of Number.MAX_SAFE_INTEGER: sums of any size seal to one length. */
const DIGITS = 16;

/** A random sum in minor units as events keep it: whoever knows it passes for the cardholder (safety, T36). */
export const sealSum = (sealer: TextSealer, merchant: MerchantLogin, centis: number): Sealed =>
  sealer.seal(merchant, FIELD, String(centis).padStart(DIGITS, '0'));

export const openSum = (sealer: TextSealer, merchant: MerchantLogin, sealed: Sealed): number =>
  Number(sealer.unseal(merchant, FIELD, sealed));

/** With what tells it from another one of the same card; equal sums of two cards look different. */
export const toldSum = (
  { digests, sealer }: Pick<MerchantServerPorts, 'digests' | 'sealer'>,
  merchant: MerchantLogin,
  card: ClientCardId,
  centis: number,
): ToldSum => ({ digest: digestOf(digests, 'random sum', merchant, card, String(centis)), sealed: sealSum(sealer, merchant, centis) });
