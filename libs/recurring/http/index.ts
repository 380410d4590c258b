export { type RebillPorts, RebillTranslations } from './make-rebill.translation';
export { RecurringController } from './recurring.controller';
