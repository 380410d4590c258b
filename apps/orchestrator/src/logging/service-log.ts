export { ServiceLog } from '@app/serving';
