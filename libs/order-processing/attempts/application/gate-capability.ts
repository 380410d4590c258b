import { unreachable, type DestinationCard, type Secret } from '@app/kernel';
import type { CallLimit, ChargeAnswer, ChargeRequest, Gate, VerifyRequest } from '@app/gateway-adapters/contract';
import type { Operation } from '../../domain';

/** What an operation that moves money brings; of a verification the currency alone counts, that of its random sum. */
export interface Sum extends Pick<ChargeRequest, 'amount' | 'recurrent'> {
  /** Of a transfer; undefined where the card was shredded. */
  readonly destination?: Secret<DestinationCard> | undefined;
}

type Ability = (request: VerifyRequest, sum: Sum, limit: CallLimit) => Promise<ChargeAnswer>;

/** What the gate has for this operation; undefined where it has nothing. */
export const abilityFor = ({ charging, authorising, verifying, transferring }: Gate, operation: Operation): Ability | undefined => {
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
