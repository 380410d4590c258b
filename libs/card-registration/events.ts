export type { CardReferenceIssued, CardRegistrationEvent, CardUse, GateTokenKept, TokenRefusal } from './domain/card-registration';
