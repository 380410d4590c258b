import type { MerchantLogin, Sealed } from '@app/kernel';
import type { TextSealer } from '@app/card-vault';
import type { ClientCardId } from '../domain/terms';
import type { RecordedSum } from '../domain/wallet.events';
import { digestOf } from './digests';
import type { MerchantServerPorts } from './ports';

const FIELD = 'random sum';
/** The digits of Number.MAX_SAFE_INTEGER, so that sums of any size seal to one length. */
const DIGITS = 16;

/** Seals a random sum in minor units for events: a reader who knew it would pass for the cardholder (safety, T36). */
export const sealSum = (sealer: TextSealer, merchant: MerchantLogin, centis: number): Sealed =>
  sealer.seal(merchant, FIELD, String(centis).padStart(DIGITS, '0'));

export const openSum = (sealer: TextSealer, merchant: MerchantLogin, sealed: Sealed): number =>
  Number(sealer.unseal(merchant, FIELD, sealed));

/** Adds a digest that distinguishes two sums of one card; equal sums of two cards have different digests. */
export const recordedSum = (
  { digests, sealer }: Pick<MerchantServerPorts, 'digests' | 'sealer'>,
  merchant: MerchantLogin,
  card: ClientCardId,
  centis: number,
): RecordedSum => ({ digest: digestOf(digests, 'random sum', merchant, card, String(centis)), sealed: sealSum(sealer, merchant, centis) });
