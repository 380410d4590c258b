import { unreachable } from '@app/kernel';
import type { CardRegistrationEvent } from '@app/card-registration/events';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import type { CardReferenceView } from './card-reference.view';

/** @throws CannotApply if the event cannot follow the previous ones */
export const foldCardReference = (view: CardReferenceView | undefined, { event }: LogEvent<CardRegistrationEvent>): CardReferenceView => {
  switch (event.type) {
    case 'CardReferenceIssued': {
      if (view !== undefined) throw new CannotApply('CardReferenceIssued of a reference that was issued before');
      const { merchant, cardRefId, use, orderKind, orderId, clientOrderId, endpointId, card, customer, issuedAt } = event.data;
      return { merchant, cardRefId, use, orderKind, orderId, clientOrderId, endpointId, card, customer, issuedAt };
    }
    case 'GateTokenWanted':
    case 'GateTokenKept':
    case 'GateTokenRefused':
    case 'NetworkTransactionKept':
    case 'CardShredded':
      if (view === undefined) throw new CannotApply(`${event.type} of a reference that was never issued`);
      return view;
    default:
      return unreachable(event);
  }
};
