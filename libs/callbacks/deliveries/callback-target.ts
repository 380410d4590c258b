import type { CallbackTarget } from '@app/orders/events';

// With a record, a target that is missing here does not compile.
const NAMES: { readonly [Target in CallbackTarget]: Target } = { callback: 'callback', notify: 'notify', notification: 'notification' };

export const CALLBACK_TARGETS = Object.values(NAMES);

export const isCallbackTarget = (text: string): text is CallbackTarget => Object.hasOwn(NAMES, text);
