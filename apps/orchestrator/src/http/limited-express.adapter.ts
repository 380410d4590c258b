export { LimitedExpressAdapter } from '@app/serving';
