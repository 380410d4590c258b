import { resultMessage } from '@app/kernel';

/** The catalogue's text of a reason; a gate's own code that the catalogue does not have is said to be so. */
export const reasonText = (code: number): string => resultMessage(code) ?? `Declined with code ${code}`;
