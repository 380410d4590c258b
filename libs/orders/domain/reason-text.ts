import { resultMessage } from '@app/kernel';

/** The catalogue's text of a reason; the catalogue does not have every gate's own codes. */
export const reasonText = (code: number): string => resultMessage(code) ?? `Declined with code ${code}`;
