export { type RebillPorts, RebillTranslations, RecurringController } from './recurring.controller';
