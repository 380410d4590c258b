import { resultMessage } from '@app/kernel';

/** The catalogue does not have every gate's own codes. */
export const reasonText = (code: number): string => resultMessage(code) ?? `Declined with code ${code}`;
