import { unreachable } from '@app/kernel';
import type { ChargeAnswer, ChargeRequest, Gate, VerifyRequest } from '@app/gateway-adapters/contract';
import type { Operation } from '../domain';

/** What only an operation that moves money brings. */
export type Sum = Pick<ChargeRequest, 'amount' | 'recurrent'>;

type Ability = (request: VerifyRequest, sum: Sum) => Promise<ChargeAnswer>;

/** What the gate has for this operation; undefined where it has nothing. */
export const abilityFor = ({ charging, authorising, verifying }: Gate, operation: Operation): Ability | undefined => {
  switch (operation) {
    case 'sale':
      return charging && ((request, sum) => charging.charge({ ...request, ...sum }));
    case 'preauth':
      return authorising && ((request, sum) => authorising.authorise({ ...request, ...sum }));
    case 'account-verification':
      return verifying && ((request) => verifying.verify(request));
    default:
      return unreachable(operation);
  }
};
