import { token } from '@app/kernel/injection';
import type { EventStore } from './core/port';

export const EVENT_STORE = token<EventStore>('EVENT_STORE');
/** The log that requests write to: an append gets the time that is left of its request's deadline. */
export const REQUEST_EVENT_STORE = token<EventStore>('REQUEST_EVENT_STORE');
/** Whether other processes work on the same log. */
export const IS_LOG_SHARED = token<boolean>('IS_LOG_SHARED');
