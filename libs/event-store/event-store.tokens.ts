import { token } from '@app/injection';
import type { EventStore } from './core/port';

export const EVENT_STORE = token<EventStore>('EVENT_STORE');
/** The same log as requests write to it: what is caused by a request gets what is left of its time. */
export const REQUEST_EVENT_STORE = token<EventStore>('REQUEST_EVENT_STORE');
/** Whether other processes work on the same log. */
export const IS_LOG_SHARED = token<boolean>('IS_LOG_SHARED');
