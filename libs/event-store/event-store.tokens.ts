import { token } from '@app/kernel/injection';
import type { EventStore } from './core/port';

export const EVENT_STORE = token<EventStore>('EVENT_STORE');
/** For requests: each append is limited by its request's deadline. */
export const REQUEST_EVENT_STORE = token<EventStore>('REQUEST_EVENT_STORE');
export const IS_LOG_SHARED = token<boolean>('IS_LOG_SHARED');
