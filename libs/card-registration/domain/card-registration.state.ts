import type { CardReferenceIssued, CardRegistrationEvent } from './card-registration.events';

export type CardRegistration = { readonly status: 'none' } | (CardReferenceIssued['data'] & { readonly status: 'issued' });

export const evolve = (state: CardRegistration, event: CardRegistrationEvent): CardRegistration => {
  if (state.status !== 'none') throw new Error(`${event.type} twice`);
  return { status: 'issued', ...event.data };
};
