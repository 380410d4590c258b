/** What the device interface does where the file says nothing. */
export const GROUP_B_DEFAULTS = { httpErrors: 'always-200', notificationWaitSeconds: 10, feeChoiceMinutes: 15 } as const;
