export { CardRegistrationController, CreateCardRefTranslations, GetCardInfoTranslation } from './card-registration.controller';
