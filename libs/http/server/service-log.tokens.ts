import { token } from '@app/kernel/injection';
import type { ServiceLog } from './program/service-log';

export const SERVICE_LOG = token<ServiceLog>('SERVICE_LOG');
