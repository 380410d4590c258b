import type { CallbackTarget } from '@app/order-processing/events';

// A record, so that a target that is not named here does not compile.
const NAMES: { readonly [Target in CallbackTarget]: Target } = { callback: 'callback', notify: 'notify', notification: 'notification' };

export const CALLBACK_TARGETS = Object.values(NAMES);

export const isCallbackTarget = (text: string): text is CallbackTarget => Object.hasOwn(NAMES, text);
