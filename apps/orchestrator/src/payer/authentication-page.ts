import type { Deadline, Sealed } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { Merchant } from '@app/configuration';
import { autoSubmittingPage } from '@app/gateway-protocol';
import { SEALED_FIELDS } from '@app/order-processing/domain';

/** The page that submits itself to the issuer's authentication; undefined once the order's texts were erased. */
export const authenticationPage = async (
  sealer: OrderSealer,
  { login, name }: Pick<Merchant, 'login' | 'name'>,
  sealed: Sealed,
  deadline?: Deadline,
): Promise<string | undefined> => {
  const text = await sealer.unseal(login, SEALED_FIELDS.payerPage, sealed, deadline);
  if (text === undefined) return undefined;
  const { action, fields } = JSON.parse(text) as { action: string; fields: Record<string, string> };
  const message = 'You are being taken to your bank, which asks you to confirm the payment.';
  return autoSubmittingPage({ title: 'Card authentication', merchant: name, message, action, fields: Object.entries(fields) });
};
