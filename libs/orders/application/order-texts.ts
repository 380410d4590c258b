import type { Deadline, MerchantLogin, Sealed } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { unpackTexts } from '../domain';

const NOTHING: ReadonlyMap<string, string> = new Map();

/**
 * Empty if the order's key was erased.
 * @throws VaultUnavailable
 */
export const orderTexts = async (
  sealer: Pick<OrderSealer, 'unseal'>,
  {
    merchant,
    field,
    sealed,
    deadline,
  }: { readonly merchant: MerchantLogin; readonly field: string; readonly sealed: Sealed; readonly deadline?: Deadline | undefined },
): Promise<ReadonlyMap<string, string>> => {
  const packed = await sealer.unseal(merchant, field, sealed, deadline);
  return packed === undefined ? NOTHING : unpackTexts(packed);
};
