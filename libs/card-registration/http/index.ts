export { CardRegistrationController } from './card-registration.controller';
export { CreateCardRefTranslations } from './create-card-ref.translation';
export { GetCardInfoTranslation } from './get-card-info.translation';
