import { unreachable, type DestinationCard, type Secret } from '@app/kernel';
import type { CallLimit, ChargeRequest, Gate, TransferAnswer, VerifyRequest } from '@app/gateway-adapters/contract';
import type { Operation } from '../domain';

/** What an operation that moves money needs; for a verification only the currency counts, which is that of its random sum. */
export interface Sum extends Pick<ChargeRequest, 'amount' | 'recurrent'> {
  /** Present for a transfer; undefined where the card was shredded. */
  readonly destination?: Secret<DestinationCard> | undefined;
}

type Ability = (request: VerifyRequest, sum: Sum, limit: CallLimit) => Promise<TransferAnswer>;

/** The gate's capability for this operation, or undefined where it has none. */
export const capabilityFor = ({ charging, authorising, verifying, transferring }: Gate, operation: Operation): Ability | undefined => {
  switch (operation) {
    case 'sale':
      return (
        charging &&
        ((request, { amount, recurrent }, limit) => charging.charge({ ...request, amount, ...(recurrent && { recurrent }) }, limit))
      );
    case 'preauth':
      return (
        authorising &&
        ((request, { amount, recurrent }, limit) => authorising.authorise({ ...request, amount, ...(recurrent && { recurrent }) }, limit))
      );
    case 'account-verification':
      return verifying && ((request, { amount }, limit) => verifying.verify({ ...request, currency: amount.currency }, limit));
    case 'transfer':
      return (
        transferring &&
        ((request, { amount, destination }, limit) =>
          destination === undefined
            ? Promise.resolve({ kind: 'not-asked', cause: 'refused-by-gate' })
            : transferring.transfer({ ...request, amount, destination }, limit))
      );
    default:
      return unreachable(operation);
  }
};
